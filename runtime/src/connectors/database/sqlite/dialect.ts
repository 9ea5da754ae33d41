import { Content } from '../../../foundation/contracts/content.ts';
import { type Dialect, plainTables, returnedKeys, ValueRefused } from '../statement/dialect.ts';
import { quoteIdentifier } from '../statement/identifier.ts';
import { onConflict, type UpsertRules } from '../statement/upsert.ts';
import { toJson } from '../values/json.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** The number of the last row that was inserted says nothing of one that was changed, so the key itself is asked for. */
const upserts: UpsertRules = {
  clause: (upsert) => {
    const key = upsert.table.uniqueKeys.find(({ isPrimary }) => isPrimary)?.columns;
    const returning = key?.length === 1 ? ` RETURNING ${key[0]?.quoted}` : '';
    return `${onConflict(upsert)}${returning}`;
  },
  answer: ({ rows, affected = 0 }) => {
    const [row] = rows ?? [];
    return row === undefined ? { affected } : { affected, id: Object.values(row)[0] };
  },
};

/** What is set for a connection, and what later statements of every flow would mean or keep by it. */
const pragmas: ReadonlySet<string> = new Set([
  'foreign_keys',
  'defer_foreign_keys',
  'ignore_check_constraints',
  'recursive_triggers',
  'query_only',
  'read_uncommitted',
  'case_sensitive_like',
  'legacy_alter_table',
  'writable_schema',
  'trusted_schema',
  'journal_mode',
  'locking_mode',
  'synchronous',
  'busy_timeout',
]);

/** In which SQLite differs from other engines. */
export const sqliteDialect: Dialect = {
  title: 'SQLite',
  lexis: {
    names: { '"': '"', '`': '`', '[': ']' },
    texts: "'",
    escapes: 'nowhere',
    lineComment: /--/y,
    blockComments: 'plain',
    subscripts: false,
    any: false,
    numbered: '?',
    questions: false,
    dollarQuotes: false,
    foreign: '@$',
    foldsNames: false,
  },
  session: { effect: () => undefined, functions: new Set(), pragmas },
  quote: quoteIdentifier,
  placeholder: () => '?',
  page: (limit, offset) => {
    if (offset === undefined) return limit === undefined ? '' : ` LIMIT ${limit}`;
    return ` LIMIT ${limit ?? '-1'} OFFSET ${offset}`;
  },
  maxParameters: 32_766,
  returning: false,
  rowNumber: 'rowid',
  encode,
  encodeFor: ({ type }) => (type === 'blob' ? encodeBytes : undefined),
  encodeList: toJson,
  // Every type with `int` in its name is one of integers (https://www.sqlite.org/datatype3.html, 3.1).
  isInteger: (type) => type.includes('int'),
  booleansAreIntegers: true,
  ownTables: /^(.*\.)?sqlite_/i,
  keys: returnedKeys,
  upserts,
  runtimeTables: {
    ...plainTables,
    undoesSchema: true,
    name: 'TEXT',
    text: 'TEXT',
    time: 'TIMESTAMP',
    flag: 'BOOLEAN',
    json: 'TEXT',
    now: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
    quote: quoteIdentifier,
    moment: (text) => text,
    // SQLite changes no key. The table is not renamed, so that views of others still mean it.
    widen: ({ table, definitions, columns }) => {
      const listed = columns.join(', ');
      return [
        `CREATE TEMPORARY TABLE svc_widened AS SELECT ${listed} FROM ${table}`,
        `DROP TABLE ${table}`,
        `CREATE TABLE ${table} (${definitions.join(', ')})`,
        `INSERT INTO ${table} (${listed}) SELECT ${listed} FROM svc_widened`,
        'DROP TABLE svc_widened',
      ];
    },
    asText: (column) => column,
  },
  reach: ({ database }) => (/^(file:)?:memory:/.test(String(database)) ? 'process' : 'machine'),
};

/** Whole numbers are bound as integers: a double would be stored as `5.0` in a text column and divide without rest. */
function encode(value: unknown): null | number | bigint | string | Uint8Array {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return BigInt(value);
      return Number.isNaN(value) ? null : value;
    case 'bigint':
      if (value < smallest || value > largest) throw new ValueRefused('is too large for a 64-bit integer');
      return value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'object':
      return encodeObject(value);
    case 'undefined':
      return null;
    default:
      throw new ValueRefused('is not a value that a database can hold');
  }
}

/** A file goes into a column of bytes as its bytes. */
function encodeBytes(value: unknown) {
  return value instanceof Content ? value.bytes.read() : encode(value);
}

function encodeObject(value: object | null): null | number | bigint | string | Uint8Array {
  if (value === null) return null;
  if (value instanceof Uint8Array) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON());
  return toJson(value);
}
