import { quoteIdentifier, tableParts } from '../statement/identifier.ts';
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
