import type { DecodedToken } from '../../shared/token.ts';
import { dots } from './mask.ts';
import { isCredential, momentOf, partsOf, tokenIn } from './tokens.ts';
import { countOf, isContainer, preview, sizeOf } from './values.ts';

/** Members of one list or object that are drawn before the person asks for more. */
export const firstMembers = 100;

/** One line of a JSON value. */
export interface JsonRow {
  /** Unique in the value: its path, as JSON. */
  readonly id: string;
  readonly key: string;
  /** From 0. */
  readonly depth: number;
  readonly value: unknown;
  /** Undefined: has no members. */
  readonly isOpen: boolean | undefined;
  readonly text: string;
  /** How many members are not drawn, on the line that represents them. */
  readonly more: number | undefined;
  /** The token that the value is; it opens into its parts. */
  readonly token: DecodedToken | undefined;
  /** Its text is shown when the person asks for it. */
  readonly isMasked: boolean;
  /** Milliseconds since 1970 that a claim means. */
  readonly moment: number | undefined;
  readonly note: string | undefined;
}

/** How a value is drawn. `isOpen` is asked for everything that has members. */
type IsOpen = (id: string, depth: number, isToken: boolean) => boolean;

/** The lines of a value: members of what is open. `shown` says how many members of which row were asked for. */
export function jsonRows(
  value: unknown,
  isOpen: IsOpen,
  shown: ReadonlyMap<string, number> = new Map(),
): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const addMembers = (container: object, path: readonly string[], id: string, isToken = false) => {
    const entries = Object.entries(container);
    const most = shown.get(id) ?? firstMembers;
    for (const [key, member] of entries.slice(0, most)) add(key, member, [...path, key], isToken);
    if (entries.length > most)
      rows.push({ ...nothing, id: `${id} more`, depth: path.length, value: id, more: entries.length - most });
  };
  const add = (key: string, member: unknown, path: readonly string[], inToken: boolean) => {
    const id = JSON.stringify(path);
    const depth = path.length - 1;
    const token = tokenIn(member);
    const members = token ? partsOf(token) : isContainer(member) ? member : undefined;
    const opens = members && sizeOf(members) > 0 ? isOpen(id, depth, token !== undefined) : undefined;
    const isMasked = isCredential(key, member);
    const text = isMasked ? dots : opens && isContainer(member) ? countOf(member) : preview(member, 200);
    const moment = path.at(-2) === 'claims' ? momentOf(key, member) : undefined;
    const note = inToken && key === 'claims' ? 'not verified' : undefined;
    rows.push({ id, key, depth, value: member, isOpen: opens, text, more: undefined, token, isMasked, moment, note });
    if (opens && members) addMembers(members, path, id, token !== undefined);
  };
  if (isContainer(value)) addMembers(value, [], '[]');
  else rows.push({ ...nothing, id: 'value', depth: 0, value, text: preview(value, 2000), more: undefined });
  return rows;
}

const nothing = {
  key: '',
  isOpen: undefined,
  text: '',
  token: undefined,
  isMasked: false,
  moment: undefined,
  note: undefined,
} as const;
