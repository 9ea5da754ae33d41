import type { DatabaseSync } from 'node:sqlite';
import type { KnownTarget } from '@svc/protocol/wire';
import { mostColumns } from '../../../foundation/contracts/connector.ts';
import type { NamedKey } from '../statement/column.ts';
import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
import { knownTables } from '../statement/known.ts';
import type { NamedTable, TableKey } from '../statement/named-table.ts';
import { Table } from '../statement/table.ts';
import { sqliteDialect } from './dialect.ts';

/** Reads the columns of a table or view; undefined when none has that name. */
export function readTable(database: DatabaseSync, target: string): Table | undefined {
  const parts = tableParts(target);
  if (parts === undefined) return undefined;
  const schema = parts.schema ?? null;
  const found = database
    .prepare(
      'SELECT schema, name, type FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE AND (?2 IS NULL OR schema = ?2 COLLATE NOCASE)',
    )
    .get(parts.table, schema) as { schema: string; name: string; type: string } | undefined;
  if (found === undefined) return undefined;
  const columns = database
    .prepare(
      // A key without an index is the number of the row itself.
      `SELECT name, lower(type) AS type, pk > 0 AS isKey, hidden > 0 AS isGenerated,
              pk > 0 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, ?2) WHERE origin = 'pk') AS isNumbered
       FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1`,
    )
    .all(found.name, found.schema) as (Record<'isKey' | 'isGenerated' | 'isNumbered', number> &
    Record<'name' | 'type', string>)[];
  const named = columns.map(({ name, type, isKey, isGenerated, isNumbered }) => ({
    name,
    type,
    isKey: isKey === 1,
    isNumbered: isNumbered === 1,
    isPassedOver: isGenerated === 1,
  }));
  const schemaName = parts.schema === undefined ? undefined : found.schema;
  const place = { schema: found.schema, table: found.name };
  const traits = { uniqueKeys: uniqueKeys(database, found), takesMany: found.type === 'table', place };
  return new Table(target, { schema: schemaName, table: found.name }, named, sqliteDialect, traits);
}

/** The first columns of every table come before the second ones, so that the limit leaves out no table before. */
export function readKnown(database: DatabaseSync): readonly KnownTarget[] {
  const rows = database
    .prepare(`SELECT list.name, CASE list.type WHEN 'view' THEN 'view' ELSE 'table' END AS kind, info.name AS column
              FROM pragma_table_list AS list JOIN pragma_table_xinfo(list.name, list.schema) AS info
              WHERE list.schema = 'main' AND list.type <> 'shadow' AND info.hidden <> 1
              ORDER BY info.cid, list.name LIMIT ${mostColumns}`)
    .all();
  return knownTables(rows, sqliteDialect);
}

/** The primary key, which need not have an index, and the unique indexes over whole columns and all rows. */
function uniqueKeys(database: DatabaseSync, { schema, name }: { schema: string; name: string }): NamedKey[] {
  const primary = database
    .prepare('SELECT name FROM pragma_table_info(?, ?) WHERE pk > 0 ORDER BY pk')
    .all(name, schema);
  const indexes = database
    .prepare(`SELECT list.name AS "index", info.name FROM pragma_index_list(?1, ?2) AS list
              JOIN pragma_index_info(list.name, ?2) AS info
              WHERE list."unique" = 1 AND list.partial = 0 AND list.origin <> 'pk' ORDER BY list.seq, info.seqno`)
    .all(name, schema) as { index: string; name: string | null }[];
  const found = new Map<string, (string | null)[]>();
  for (const each of indexes) found.set(each.index, [...(found.get(each.index) ?? []), each.name]);
  const keys: NamedKey[] = [];
  if (primary.length > 0) keys.push({ names: primary.map((column) => String(column['name'])), isPrimary: true });
  // The name of an expression is null.
  for (const names of found.values()) if (names.every((each) => each !== null)) keys.push({ names, isPrimary: false });
  return keys;
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
