import { mostColumns } from '../../../foundation/contracts/connector.ts';
import { type Ask, keysIn, type TableReader } from '../server/tables.ts';
import { tableParts } from '../statement/identifier.ts';
import type { NamedTable, TableKey } from '../statement/named-table.ts';
import { Table } from '../statement/table.ts';
import { mysqlDialect } from './dialect.ts';

const columns = `
SELECT TABLE_NAME AS relation, COLUMN_NAME AS name, DATA_TYPE AS type, CHARACTER_MAXIMUM_LENGTH AS length, COLUMN_KEY = 'PRI' AS isKey,
       EXTRA LIKE '%auto_increment%' AS numbered
FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?
ORDER BY ORDINAL_POSITION`;

/** Whether a failure undoes what was written before it: a table whose engine has no transactions keeps it. */
const undoes = `
SELECT e.TRANSACTIONS = 'YES' AS undoes
FROM information_schema.TABLES t
JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_NAME = ? AND t.TABLE_TYPE = 'BASE TABLE'`;

/** Unique indexes over whole columns: one row of the answer for each column. */
const keys = `
SELECT INDEX_NAME AS \`index\`, INDEX_NAME = 'PRIMARY' AS \`primary\`, COLUMN_NAME AS name
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? AND NON_UNIQUE = 0 AND INDEX_NAME NOT IN (
  SELECT INDEX_NAME FROM information_schema.STATISTICS
  WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? AND (SUB_PART IS NOT NULL OR COLUMN_NAME IS NULL))
ORDER BY INDEX_NAME = 'PRIMARY' DESC, INDEX_NAME, SEQ_IN_INDEX`;

async function readTable(ask: Ask, target: string): Promise<Table | undefined> {
  const parts = tableParts(target);
  if (parts === undefined) return undefined;
  const rows = await ask(columns, [parts.schema ?? null, parts.table]);
  if (rows.length === 0) return undefined;
  const found = rows.map((row) => ({
    name: String(row['name']),
    type: String(row['type']).toLowerCase(),
    isKey: Number(row['isKey']) === 1,
    isNumbered: Number(row['numbered']) === 1,
    maxLength: row['length'] === null ? undefined : Number(row['length']),
  }));
  const place = [parts.schema ?? null, parts.table];
  const uniqueKeys = keysIn(await ask(keys, [...place, ...place]));
  const takesMany = Number((await ask(undoes, place))[0]?.['undoes']) === 1;
  const named = { schema: parts.schema, table: String(rows[0]?.['relation']) };
  return new Table(target, parts, found, mysqlDialect, { uniqueKeys, takesMany, place: named });
}

/** The column that the database numbers. */
async function readKey(ask: Ask, { schema, table }: NamedTable): Promise<TableKey> {
  const rows = await ask(columns, [schema ?? null, table]);
  if (rows.length === 0) return 'no such table';
  const numbered = rows.find((row) => Number(row['numbered']) === 1);
  return { column: numbered && mysqlDialect.quote(String(numbered['name'])) };
}

/** The first columns of every table come before the second ones, so that the limit leaves out no table before. */
const known = `
SELECT c.TABLE_NAME AS name, CASE WHEN t.TABLE_TYPE LIKE '%VIEW' THEN 'view' ELSE 'table' END AS kind,
       c.COLUMN_NAME AS \`column\`
FROM information_schema.COLUMNS c
JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
WHERE c.TABLE_SCHEMA = DATABASE()
ORDER BY c.ORDINAL_POSITION, c.TABLE_NAME
LIMIT ${mostColumns}`;

export const mysqlTables: TableReader = {
  exists: async (ask, target) => (await readTable(ask, target)) !== undefined,
  read: readTable,
  known,
  key: readKey,
};
