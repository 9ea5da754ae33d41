import { mostColumns } from '../../../foundation/contracts/connector.ts';
import { type Ask, keysIn, type TableReader } from '../server/tables.ts';
import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
import { type NamedTable, quoteTable, type TableKey } from '../statement/named-table.ts';
import { Table } from '../statement/table.ts';
import { postgresDialect } from './dialect.ts';

const columns = `
SELECT n.nspname AS schema, c.relname AS relation, a.attname AS name, t.typname AS type, a.attidentity = 'a' AS own,
       c.relkind IN ('r', 'p') AND NOT c.relrowsecurity AND NOT c.relhasrules AS plain,
       c.relkind = 'r' AND c.relhassubclass AS heirs,
       CASE WHEN t.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS length
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.oid = coalesce(to_regclass($1), to_regclass($2)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY a.attnum`;

/** Unique indexes over whole columns and all rows, which are checked at once: one row of the answer for each column. */
const keys = `
SELECT x.relname AS index, i.indisprimary AS primary, a.attname AS name
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
CROSS JOIN LATERAL unnest(i.indkey[0:i.indnkeyatts - 1]) WITH ORDINALITY AS k (attnum, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = coalesce(to_regclass($1), to_regclass($2)) AND i.indisunique AND i.indimmediate AND i.indisvalid
  AND i.indpred IS NULL AND i.indexprs IS NULL
ORDER BY i.indisprimary DESC, i.indexrelid, k.place`;

/** The exact name wins over its lower case. */
async function readTable(ask: Ask, target: string): Promise<Table | undefined> {
  const names = regclasses(target);
  if (names === undefined) return undefined;
  const rows = await ask(columns, names);
  const first = rows[0];
  if (first === undefined) return undefined;
  const found = rows.map((row) => ({
    name: String(row['name']),
    type: String(row['type']),
    isOwn: row['own'] === true,
    maxLength: typeof row['length'] === 'number' ? row['length'] : undefined,
  }));
  const named = { schema: String(first['schema']), table: String(first['relation']) };
  // COPY passes over rules, and does not know row security.
  const traits = {
    uniqueKeys: keysIn(await ask(keys, names)),
    takesMany: first['plain'] === true,
    hasHeirs: first['heirs'] === true,
    place: named,
  };
  return new Table(target, named, found, postgresDialect, traits);
}

async function exists(ask: Ask, target: string): Promise<boolean> {
  const names = regclasses(target);
  if (names === undefined) return false;
  const rows = await ask('SELECT coalesce(to_regclass($1), to_regclass($2)) IS NOT NULL AS found', names);
  return rows[0]?.['found'] === true;
}

/** The name as written and folded, each quoted. */
function regclasses(target: string): [string, string] | undefined {
  const parts = tableParts(target);
  if (parts === undefined) return undefined;
  const quote = (fold: (name: string) => string) =>
    [parts.schema, parts.table].flatMap((part) => (part === undefined ? [] : [quoteIdentifier(fold(part))])).join('.');
  return [quote((name) => name), quote((name) => name.toLowerCase())];
}

const key = `
SELECT a.attname AS name, (i.indisprimary AND a.attnum = ANY (i.indkey)) IS TRUE AS primary,
       a.attidentity <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false) AS numbered
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.oid = to_regclass($1)`;

/** The primary key when it is one column, else the one column that the database numbers. */
async function readKey(ask: Ask, table: NamedTable): Promise<TableKey> {
  const columns = await ask(key, [quoteTable(table, postgresDialect)]);
  if (columns.length === 0) return 'no such table';
  const primary = columns.filter((column) => column['primary'] === true);
  const numbered = (primary.length === 0 ? columns : primary).filter((column) => column['numbered'] === true);
  const only = primary.length === 1 ? primary : numbered;
  return { column: only.length === 1 ? quoteIdentifier(String(only[0]?.['name'])) : undefined };
}

/** The first columns of every table come before the second ones, so that the limit leaves out no table before. */
const known = `
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
       CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind, a.attname AS column
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema'
  AND NOT starts_with(n.nspname, 'pg_') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
ORDER BY a.attnum, c.relname
LIMIT ${mostColumns}`;

export const postgresTables: TableReader = { exists, read: readTable, known, key: readKey };
