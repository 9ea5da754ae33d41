import type { DatabaseSync } from 'node:sqlite';
import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
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
    .prepare('SELECT name, lower(type) AS type FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1')
    .all(found.name, found.schema) as { name: string; type: string }[];
  const quoted =
    parts.schema === undefined
      ? quoteIdentifier(found.name)
      : `${quoteIdentifier(found.schema)}.${quoteIdentifier(found.name)}`;
  return new Table(target, quoted, columns, found.wr === 0);
}
