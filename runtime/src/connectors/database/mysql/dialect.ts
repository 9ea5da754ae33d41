import { Content } from '../../../foundation/contracts/content.ts';
import { insertText } from '../../../foundation/contracts/sql.ts';
import type { Column } from '../statement/column.ts';
import { type Dialect, ValueRefused } from '../statement/dialect.ts';
import type { Insert } from '../statement/named-table.ts';
import { toJson } from '../values/json.ts';
import { toRfc3339 } from '../values/time.ts';
import { mysqlUpserts } from './upsert.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 64n - 1n;
const integers: ReadonlySet<string> = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
/** MySQL has no LIMIT without a number; this is the one that its manual gives for all rows. */
const allRows = '18446744073709551615';

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** First words of statements about the connection, and what they are followed by where they are for the whole server, or for one statement. */
const settings: ReadonlySet<string> = new Set(
  'set use lock unlock flush handler prepare execute deallocate'.split(' '),
);
const notKept: ReadonlySet<string> = new Set(
  'global persist persist_only password default resource instance privileges statement'.split(' '),
);

/** In which MySQL and MariaDB differ from other engines. What only one of the two has is not used. */
export const mysqlDialect: Dialect = {
  title: 'MySQL',
  lexis: {
    names: { '`': '`' },
    texts: '\'"',
    escapes: 'everywhere',
    lineComment: /#|--(?=[\s\0-\x1f]|$)/y,
    blockComments: 'code',
    subscripts: false,
    any: false,
    numbered: undefined,
    questions: false,
    dollarQuotes: false,
    foreign: '',
    foldsNames: false,
  },
  session: {
    effect: ([first = '', second = '']) => (settings.has(first) && !notKept.has(second) ? 'stays' : undefined),
    functions: new Set(['get_lock']),
    pragmas: new Set(),
  },
  quote,
  placeholder: () => '?',
  maxParameters: 65_535,
  page: (limit, offset) => {
    if (offset === undefined) return limit === undefined ? '' : ` LIMIT ${limit}`;
    return ` LIMIT ${limit ?? allRows} OFFSET ${offset}`;
  },
  returning: false,
  encode,
  encodeFor,
  encodeStored,
  encodeList: toJson,
  isInteger: (type) => integers.has(type),
  booleansAreIntegers: true,
  ownTables: /^(mysql|performance_schema|sys)\./i,
  keys: {
    ask: (insert, column) =>
      // What the statement changes instead of making it has a key too.
      changes(insert) && !insert.text.toLowerCase().includes('last_insert_id')
        ? `${insert.text}\n, ${column} = LAST_INSERT_ID(${column})`
        : insert.text,
    read: ({ affected = 0, id }, insert, column) => {
      if (affected === 0) return null;
      const one = affected === 1 || (affected === 2 && changes(insert) && !hasRows(insert));
      // Of several rows that the database numbers, it says the number of the first.
      return one || namesColumn(insert, column) ? (id ?? null) : undefined;
    },
    remedy:
      'it has no AUTO_INCREMENT column, or the statement makes several rows. Insert one row, or capture any other key with a SELECT',
  },
  upserts: mysqlUpserts,
  runtimeTables: {
    name: 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    text: 'LONGTEXT CHARACTER SET utf8mb4',
    time: 'DATETIME(3)',
    flag: 'BOOLEAN',
    // A JSON column would put members in another order and rewrite numbers.
    json: 'LONGTEXT CHARACTER SET utf8mb4',
    now: 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now',
    quote,
    moment: toDateTime,
    asText: (column) => column,
    make: (table, definitions, indexes = {}) => {
      const keys = Object.entries(indexes).map(([name, columns]) => `INDEX ${name} (${columns})`);
      return [`CREATE TABLE IF NOT EXISTS ${table} (${[...definitions, ...keys].join(', ')}) ENGINE = InnoDB`];
    },
    widen: ({ table, added, ended, made }) => {
      const drops = ended.map(({ name, isPrimary }) =>
        isPrimary ? 'DROP PRIMARY KEY' : `DROP INDEX ${quote(String(name))}`,
      );
      const changes = [`ADD COLUMN ${added}`, ...drops, ...made.map((key) => `ADD ${key}`)];
      return [`ALTER TABLE ${table} ${changes.join(', ')}`];
    },
    asKey: (column) => `CAST(${column} AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin`,
    insertOnce: (table, columns) => insertText(table, columns, 'INSERT IGNORE'),
    undoesSchema: false,
  },
  reach: () => 'network',
};

function changes({ words }: Insert): boolean {
  return words.includes('duplicate');
}

/** Whether more than one row may be made: several in brackets, or those of a SELECT. */
function hasRows({ words, rest }: Insert): boolean {
  return !/\bvalues?\b/i.test(rest) || words.includes('select') || /\)\s*,\s*\(/.test(rest);
}

/** Whether the statement gives the column its values. */
function namesColumn({ rest }: Insert, column: string): boolean {
  const listed = /^\s*\(([^()]*)\)/.exec(rest)?.[1];
  if (listed === undefined) return /^\s*(values?|select)\b/i.test(rest);
  const plain = (name: string) => name.trim().replace(/^`|`$/g, '').replaceAll('``', '`').toLowerCase();
  return listed.split(',').some((name) => plain(name) === plain(column));
}

/** Integers are bigint, so that they are bound as integers: a double has no place in LIMIT and divides otherwise. */
function encode(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      // A column of integers would take the double 2^63 for the number before it, and say nothing.
      if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return BigInt(value);
      if (Number.isFinite(value)) return value;
      if (Number.isNaN(value)) return null;
      throw new ValueRefused('is not a number that a database can hold');
    case 'bigint':
      if (value < smallest || value > largest) throw new ValueRefused('is too large for a 64-bit integer');
      return value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'object':
      return encodeObject(value);
    case 'undefined':
      return null;
    case 'string':
      return value;
    default:
      throw new ValueRefused('is not a value that a database can hold');
  }
}

function encodeObject(value: object | null): unknown {
  if (value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return toDateTime(value.toISOString());
  if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON());
  return toJson(value);
}

function encodeFor({ type }: Column): ((value: unknown) => unknown) | undefined {
  switch (type) {
    case 'datetime':
    case 'timestamp':
      return (value) => whenText(value, toDateTime);
    case 'date':
      return (value) => whenText(value, (text) => (text.includes('T') ? toDateTime(text).slice(0, 10) : text));
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      // A file goes into a column of bytes as its bytes.
      return (value) => (value instanceof Content ? value.bytes.read() : encode(value));
    case 'decimal':
      return (value) => (typeof value === 'bigint' ? String(value) : encode(value));
    default:
      return undefined;
  }
}

/** A column of integers makes an integer of a double, which mysql2 sends without looking at its range. */
function encodeStored({ type }: Column): ((value: unknown) => unknown) | undefined {
  if (!integers.has(type)) return undefined;
  return (value) => (Number.isSafeInteger(value) ? value : encode(value));
}

function whenText(value: unknown, convert: (text: string) => string): unknown {
  const encoded = encode(value);
  return typeof encoded === 'string' ? convert(encoded) : encoded;
}

/** A time of RFC 3339 as the moment in UTC, which is the zone of every session; other texts stay. */
function toDateTime(text: string): string {
  const moment = toRfc3339(text);
  return /^\d{4}-.*Z$/.test(moment) ? moment.slice(0, -1).replace('T', ' ') : text;
}
