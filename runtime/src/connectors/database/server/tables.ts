import type { NamedKey } from '../statement/column.ts';
import type { NamedTable, TableKey } from '../statement/named-table.ts';
import type { Table } from '../statement/table.ts';

/** Rows as columns by name. */
export type Rows = readonly Readonly<Record<string, unknown>>[];
/** Runs a read, whose rows it answers. Rejects with a Failure. */
export type Ask = (text: string, values: readonly unknown[]) => Promise<Rows>;

/** Unique keys from rows with the name of their `index`, `primary` and the `name` of a column, in their order. */
export function keysIn(rows: Rows): readonly NamedKey[] {
  const found = new Map<unknown, { readonly name: string; readonly names: string[]; readonly isPrimary: boolean }>();
  for (const { index, primary, name } of rows) {
    const isPrimary = primary === true || Number(primary) === 1;
    const key = found.get(index) ?? { name: String(index), names: [], isPrimary };
    key.names.push(String(name));
    found.set(index, key);
  }
  return [...found.values()];
}

/** How a server describes its tables. */
export interface TableReader {
  /** Whether a table or view of this name exists. */
  exists(ask: Ask, target: string): Promise<boolean>;
  /** The columns of a table or view; undefined when it does not exist. */
  read(ask: Ask, target: string): Promise<Table | undefined>;
  /** Reads rows with the `name` of a table or view, its `kind` and a `column`: at most `mostColumns`. */
  readonly known: string;
  /** The column that names a row which an INSERT made. */
  key(ask: Ask, table: NamedTable): Promise<TableKey>;
}
