import type { InlayHint, StructureItem } from '@svc/protocol/language';
import type { Diagnostic, Severity } from '@svc/protocol/text';
import { titleOf } from './trail.ts';
import type { TreeRow } from './tree-keys.ts';

/** One line of the outline of a file. */
export interface OutlineRow extends TreeRow {
  readonly item: StructureItem;
  readonly title: string;
  /** What else is said of a block; the type of a rule where it is known. */
  readonly detail: string;
  /** The worst that is wrong in it, and in no line below it. */
  readonly severity: Severity | undefined;
}

export interface FileOutline {
  /** The name of the only root, whose inside is shown then. */
  readonly name: string | undefined;
  readonly rows: readonly OutlineRow[];
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** What the outline of a file shows: its blocks and rules. A row is known by the words that lead to it. */
export function outlineRows(
  items: readonly StructureItem[],
  closed: ReadonlySet<string>,
  diagnostics: readonly Diagnostic[],
  types: readonly Pick<InlayHint, 'offset' | 'label'>[],
): FileOutline {
  const roots = items.filter(isShown);
  const [only] = roots;
  const inside = only?.children.filter(isShown) ?? [];
  const isOne = roots.length === 1 && inside.length > 0;
  const rows: OutlineRow[] = [];
  const add = (shown: readonly StructureItem[], level: number, before: string): void => {
    const taken = new Map<string, number>();
    for (const item of shown) {
      const isRoot = level === 1 && !isOne;
      const words = `${item.word} ${item.name}`.trim();
      const count = (taken.get(words) ?? 0) + 1;
      taken.set(words, count);
      const id = `${before}/${words}${count === 1 ? '' : `#${count}`}`;
      const children = item.children.filter(isShown);
      const isOpen = children.length === 0 ? undefined : !closed.has(id);
      const below = isOpen ? children : [];
      const { range } = item;
      const type = types.find(({ offset }) => offset > range.start && offset <= range.end)?.label;
      const detail = item.kind === 'block' ? item.detail : (type ?? '');
      const severity = worstOf(item, below, diagnostics);
      rows.push({ id, level, isOpen, item, title: titleOf(item, isRoot), detail, severity });
      add(below, level + 1, id);
    }
  };
  add(isOne ? inside : roots, 1, '');
  return { name: isOne && only ? titleOf(only, true) : undefined, rows };
}

function isShown({ kind }: StructureItem): boolean {
  return kind !== 'attribute';
}

function worstOf(
  { range }: StructureItem,
  below: readonly StructureItem[],
  diagnostics: readonly Diagnostic[],
): Severity | undefined {
  const isIn = (place: StructureItem['range'], { start }: StructureItem['range']) =>
    place.start <= start && start <= place.end;
  const own = diagnostics.filter(
    (one) => isIn(range, one.range) && !below.some((child) => isIn(child.range, one.range)),
  );
  return severities.find((severity) => own.some((one) => one.severity === severity));
}

/** The innermost row that an offset is in. */
export function rowAt(rows: readonly OutlineRow[], offset: number): OutlineRow | undefined {
  return rows.findLast(({ item: { range } }) => range.start <= offset && offset <= range.end);
}
