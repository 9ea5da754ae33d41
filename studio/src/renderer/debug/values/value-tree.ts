import type { ForcedValue, Variables } from '@svc/protocol/wire';
import type { DecodedToken } from '../../../shared/token.ts';
import { dots, mask } from '../../values/mask.ts';
import { isCredential, momentOf, partsOf, tokenIn } from '../../values/tokens.ts';
import { countOf, cutOff, isContainer, isSameValue, memberExpression, preview, sizeOf } from '../../values/values.ts';
import { forcedNote } from '../session/forced.ts';

/** Members of one list or map that are drawn before the person asks for more. */
const firstMembers = 100;
/** Values this deep are cut by the service and read piece by piece. */
const cutDepth = 24;

interface Entry {
  readonly key: string;
  readonly value: unknown;
}

/** One line of the tree of variables. */
export interface ValueRow {
  /** Unique, and the same from stop to stop. */
  readonly id: string;
  /** As `debug.page` and `debug.setVariable` take it; empty for the rule. */
  readonly path: readonly string[];
  readonly key: string;
  /** How an expression reads the value. */
  readonly expression: string;
  /** From 0. */
  readonly depth: number;
  readonly value: unknown;
  /** `more` represents members that are not drawn yet, `decoded` what a token says: no expression reads that. */
  readonly kind: 'scope' | 'member' | 'more' | 'decoded';
  /** Undefined: has no members. */
  readonly isOpen: boolean | undefined;
  /** Differs from what it was at the last stop. */
  readonly isChanged: boolean;
  readonly forced: ForcedValue | undefined;
  readonly text: string;
  readonly note: string;
  /** The token that the value is; it opens into its parts. */
  readonly token: DecodedToken | undefined;
  /** Its text is shown when the person asks for it. */
  readonly isMasked: boolean;
  /** Milliseconds since 1970 that a claim means. */
  readonly moment: number | undefined;
}

/** Which values of a thread are open, and the lines that are drawn of them. Paths stay open from stop to stop. */
export class ValueTree {
  #open: ReadonlySet<string> = new Set(['input', 'output']);
  /** Credentials that the person asked to see, until the values change. */
  readonly #unmasked = new Set<string>();
  /** Members drawn of a container, by path. */
  #shown = new Map<string, number>();
  /** Members that were read piece by piece, by path. */
  #pages = new Map<string, { readonly entries: readonly Entry[]; readonly size: number }>();

  toggle(id: string): void {
    const open = new Set(this.#open);
    if (!open.delete(id)) open.add(id);
    this.#open = open;
  }

  /** Shows a text that is masked, or masks it again. */
  unmask(id: string): void {
    if (!this.#unmasked.delete(id)) this.#unmasked.add(id);
  }

  /** Opens everything above a path, so that its line is drawn. */
  reveal(path: readonly string[]): void {
    this.#open = new Set([...this.#open, ...path.slice(0, -1).map((_, at) => idOf(path.slice(0, at + 1)))]);
  }

  /** The values changed: what was read piece by piece is read again when it is drawn. */
  forgetPages(): void {
    this.#pages.clear();
    this.#unmasked.clear();
  }

  /** Draws more members of a container; what must be read for it from the service, if anything. */
  more(
    row: ValueRow,
  ): { readonly path: readonly string[]; readonly start: number; readonly count: number } | undefined {
    const id = idOf(row.path);
    const shown = (this.#shown.get(id) ?? firstMembers) + firstMembers;
    this.#shown.set(id, shown);
    const { entries } = this.#entries(row.path, row.value);
    return entries.length >= shown ? undefined : { path: row.path, start: entries.length, count: firstMembers };
  }

  /** What `debug.page` answered for members from `start` on. */
  paged(path: readonly string[], value: unknown, start: number, size: number, page: readonly Entry[]): void {
    const { entries } = this.#entries(path, value);
    this.#pages.set(idOf(path), { entries: [...entries.slice(0, start), ...page], size });
  }

  /** `notes`: what is shown at the right of a scope, by its root. */
  rows(
    variables: Variables,
    before: Variables | undefined,
    notes: Readonly<Record<string, string>> = {},
  ): readonly ValueRow[] {
    const rows: ValueRow[] = [];
    const forced = new Map(variables.forced.map((each) => [idOf(each.path), each]));
    const { rule } = variables;
    if (rule !== undefined) {
      const value = { target: rule.target, expression: rule.expression };
      this.#add(
        rows,
        ['rule'],
        { key: 'rule', expression: rule.expression, value },
        { previous: value, isKnown: true },
        forced,
      );
    }
    for (const scope of ['input', 'output', 'steps', 'enriched'] as const) {
      const value = variables[scope];
      const previous = before?.[scope];
      const shown = { key: scope === 'steps' ? 'step' : scope, expression: scope === 'steps' ? 'step' : scope, value };
      this.#add(rows, [scope], shown, { previous, isKnown: before !== undefined }, forced);
    }
    for (const [name, value] of Object.entries(variables.others ?? {})) {
      const previous = before?.others?.[name];
      this.#add(
        rows,
        [name],
        { key: name, expression: name, value },
        { previous, isKnown: before !== undefined },
        forced,
      );
    }
    return rows.map((row) => (row.kind === 'scope' && row.note === '' ? { ...row, note: notes[row.id] ?? '' } : row));
  }

  #add(
    rows: ValueRow[],
    path: readonly string[],
    { key, expression, value }: { readonly key: string; readonly expression: string; readonly value: unknown },
    before: { readonly previous: unknown; readonly isKnown: boolean },
    forced: ReadonlyMap<string, ForcedValue>,
  ): void {
    const id = idOf(path);
    const depth = path.length - 1;
    const isDeep = depth >= cutDepth && (value === '{…}' || value === '[…]');
    const token = tokenIn(value);
    const hasMembers = isDeep || token !== undefined || (isContainer(value) && sizeOf(value) > 0);
    const isOpen = hasMembers ? this.#open.has(id) : undefined;
    const own = forced.get(id);
    const isSecret = isCredential(key, value);
    const isMasked = isSecret && !this.#unmasked.has(id);
    rows.push({
      id,
      path,
      key,
      expression,
      depth,
      value,
      kind: depth === 0 ? 'scope' : 'member',
      isOpen,
      isChanged: depth > 0 && isOpen !== true && before.isKnown && !isSameValue(value, before.previous),
      forced: own,
      text: isMasked ? dots : isSecret ? JSON.stringify(value) : textOf(value, isOpen, depth),
      note: noteOf(value, own, depth),
      token,
      isMasked: isSecret,
      moment: path.at(-2) === 'claims' ? momentOf(key, value) : undefined,
    });
    if (!isOpen) return;
    if (token !== undefined) return this.#addDecoded(rows, path, token);
    const { entries, size } = this.#entries(path, value);
    const shown = this.#shown.get(id) ?? firstMembers;
    for (const entry of entries.slice(0, shown)) {
      const previous = isContainer(before.previous)
        ? (before.previous as Readonly<Record<string, unknown>>)[entry.key]
        : undefined;
      const member = { ...entry, expression: memberExpression(expression, value, entry.key) };
      this.#add(rows, [...path, entry.key], member, { previous, isKnown: before.isKnown }, forced);
    }
    const rest = size - Math.min(shown, entries.length);
    if (rest > 0) rows.push({ ...moreRow, id: `${id}\u0000more`, path, depth: depth + 1, value, note: `${rest} more` });
  }

  /** What a token says. Paths of these lines lead to nothing that the service has. */
  #addDecoded(rows: ValueRow[], path: readonly string[], token: DecodedToken): void {
    const add = (at: readonly string[], key: string, value: unknown) => {
      const own = [...at, key];
      const id = idOf(own);
      const isOpen = isContainer(value) && sizeOf(value) > 0 ? !this.#open.has(id) : undefined;
      const isClaims = at === path && key === 'claims';
      const text = textOf(value, isOpen, own.length);
      const moment = at.at(-1) === 'claims' ? momentOf(key, value) : undefined;
      const line = { id, path: own, key, value, isOpen, text, moment, depth: own.length - 1 };
      rows.push({ ...decodedRow, ...line, note: isClaims ? 'not verified' : '' });
      if (isOpen) for (const [name, member] of Object.entries(value as object)) add(own, name, member);
    };
    for (const [key, value] of Object.entries(partsOf(token))) add(path, key, value);
  }

  #entries(path: readonly string[], value: unknown): { readonly entries: readonly Entry[]; readonly size: number } {
    const page = this.#pages.get(idOf(path));
    if (page) return page;
    if (!isContainer(value)) return { entries: [], size: 1 };
    const entries = Object.entries(value).map(([key, item]) => ({ key, value: item as unknown }));
    const rest = cutOff(value);
    return { entries: rest === undefined ? entries : entries.slice(0, -1), size: sizeOf(value) };
  }
}

const moreRow = {
  key: '',
  expression: '',
  kind: 'more',
  isOpen: undefined,
  isChanged: false,
  forced: undefined,
  text: '',
  token: undefined,
  isMasked: false,
  moment: undefined,
} as const;

const decodedRow = { ...moreRow, kind: 'decoded' } as const;

function idOf(path: readonly string[]): string {
  return path.join('\u0000');
}

function textOf(value: unknown, isOpen: boolean | undefined, depth: number): string {
  if (depth === 0 && isContainer(value)) return '';
  return isOpen && isContainer(value) ? countOf(value) : preview(value, 200);
}

function noteOf(value: unknown, forced: ForcedValue | undefined, depth: number): string {
  if (forced !== undefined) return forcedNote(forced);
  if (value === mask) return 'masked';
  if (depth === 0) return isContainer(value) && sizeOf(value) === 0 ? 'empty' : '';
  if (Array.isArray(value)) return 'list';
  return '';
}
