import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
import { type NamedTable, quoteTable, type TableKey } from '../statement/insert.ts';
import { Table } from '../statement/table.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];
export type Ask = (text: string, values: readonly unknown[]) => Promise<Rows>;

const columns = `
SELECT n.nspname AS schema, c.relname AS relation, a.attname AS name, t.typname AS type,
       CASE WHEN t.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS length
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.oid = coalesce(to_regclass($1), to_regclass($2)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY a.attnum`;

/** Reads the columns of a table or view; undefined when there is none. The exact name wins over its lower case. */
export async function readTable(ask: Ask, target: string): Promise<Table | undefined> {
  const names = regclasses(target);
  if (names === undefined) return undefined;
  const rows = await ask(columns, names);
  const first = rows[0];
  if (first === undefined) return undefined;
  const quoted = `${quoteIdentifier(String(first['schema']))}.${quoteIdentifier(String(first['relation']))}`;
  const found = rows.map((row) => ({
    name: String(row['name']),
    type: String(row['type']),
    maxLength: typeof row['length'] === 'number' ? row['length'] : undefined,
  }));
  return new Table(target, quoted, found, false);
}

/** The name as written and folded, each quoted. */
export function regclasses(target: string): [string, string] | undefined {
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
export async function readKey(ask: Ask, table: NamedTable): Promise<TableKey> {
  const columns = await ask(key, [quoteTable(table)]);
  if (columns.length === 0) return 'no such table';
  const primary = columns.filter((column) => column['primary'] === true);
  const numbered = (primary.length === 0 ? columns : primary).filter((column) => column['numbered'] === true);
  const only = primary.length === 1 ? primary : numbered;
  return { column: only.length === 1 ? quoteIdentifier(String(only[0]?.['name'])) : undefined };
}
