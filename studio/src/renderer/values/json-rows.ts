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
}

/** The lines of a value: members of what is open. `shown` says how many members of which row were asked for. */
export function jsonRows(
  value: unknown,
  isOpen: (id: string, depth: number) => boolean,
  shown: ReadonlyMap<string, number> = new Map(),
): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const addMembers = (container: object, path: readonly string[], id: string) => {
    const entries = Object.entries(container);
    const most = shown.get(id) ?? firstMembers;
    for (const [key, member] of entries.slice(0, most)) add(key, member, [...path, key]);
    if (entries.length > most)
      rows.push({ ...nothing, id: `${id} more`, depth: path.length, value: id, more: entries.length - most });
  };
  const add = (key: string, member: unknown, path: readonly string[]) => {
    const id = JSON.stringify(path);
    const depth = path.length - 1;
    const opens = isContainer(member) && sizeOf(member) > 0 ? isOpen(id, depth) : undefined;
    const text = opens && isContainer(member) ? countOf(member) : preview(member, 200);
    rows.push({ id, key, depth, value: member, isOpen: opens, text, more: undefined });
    if (opens && isContainer(member)) addMembers(member, path, id);
  };
  if (isContainer(value)) addMembers(value, [], '[]');
  else rows.push({ ...nothing, id: 'value', depth: 0, value, text: preview(value, 2000), more: undefined });
  return rows;
}

const nothing = { key: '', isOpen: undefined, text: '' } as const;
