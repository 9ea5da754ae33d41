import type { DatabaseSync } from 'node:sqlite';
import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
import type { NamedTable, TableKey } from '../statement/insert.ts';
import { Table } from '../statement/table.ts';

/** Reads the columns of a table or view; undefined when there is none of that name. */
export function readTable(database: DatabaseSync, target: string): Table | undefined {
  const parts = tableParts(target);
  if (parts === undefined) return undefined;
  const schema = parts.schema ?? null;
  const found = database
    .prepare(
      'SELECT schema, name, wr FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE AND (?2 IS NULL OR schema = ?2 COLLATE NOCASE)',
    )
    .get(parts.table, schema) as { schema: string; name: string; wr: number } | undefined;
  if (found === undefined) return undefined;
  const columns = database
    .prepare('SELECT name, lower(type) AS type, pk > 0 AS isKey FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1')
    .all(found.name, found.schema) as { name: string; type: string; isKey: number }[];
  const quoted =
    parts.schema === undefined
      ? quoteIdentifier(found.name)
      : `${quoteIdentifier(found.schema)}.${quoteIdentifier(found.name)}`;
  const named = columns.map(({ name, type, isKey }) => ({ name, type, isKey: isKey === 1 }));
  return new Table(target, quoted, named, found.wr === 0);
}

/** The primary key when it is one column, else the number that SQLite gives every row of an ordinary table. */
export function readKey(database: DatabaseSync, { schema, table }: NamedTable): TableKey {
  const found = database
    .prepare(
      'SELECT schema, name, type, wr FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE AND (?2 IS NULL OR schema = ?2 COLLATE NOCASE)',
    )
    .get(table, schema ?? null) as { schema: string; name: string; type: string; wr: number } | undefined;
  if (found === undefined) return 'no such table';
  const columns = database.prepare('SELECT name, pk FROM pragma_table_info(?, ?)').all(found.name, found.schema) as {
    name: string;
    pk: number;
  }[];
  const primary = columns.filter(({ pk }) => pk > 0);
  if (primary.length === 1) return { column: quoteIdentifier(primary[0]?.name as string) };
  if (found.type === 'view' || found.wr !== 0) return { column: undefined };
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  return { column: ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name)) };
}
