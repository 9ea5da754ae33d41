import { Content } from '../../../foundation/contracts/content.ts';
import type { Column } from '../statement/column.ts';
import { type Dialect, plainTables, returnedKeys, ValueRefused } from '../statement/dialect.ts';
import { quoteIdentifier } from '../statement/identifier.ts';
import { onConflict } from '../statement/upsert.ts';
import { toJson } from '../values/json.ts';
import { toRfc3339 } from '../values/time.ts';

const integers: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

/** First words of statements about the connection, and of those about cursors of a transaction. */
const settings: ReadonlySet<string> = new Set(
  'set reset listen unlisten discard prepare execute deallocate load'.split(' '),
);
const cursors: ReadonlySet<string> = new Set(['fetch', 'move', 'close']);
/** What `SET` is followed by where it ends with the transaction. */
const ending: ReadonlySet<string> = new Set('local transaction constraints'.split(' '));

/** In which PostgreSQL differs from other engines. */
export const postgresDialect: Dialect = {
  title: 'PostgreSQL',
  lexis: {
    names: { '"': '"' },
    texts: "'",
    escapes: 'marked',
    lineComment: /--/y,
    blockComments: 'nested',
    subscripts: true,
    any: true,
    numbered: '$',
    questions: true,
    dollarQuotes: true,
    foreign: '',
    foldsNames: true,
  },
  session: {
    effect: ([first = '', second = '', ...rest]) => {
      if (first === 'declare') return rest.includes('hold') ? 'stays' : 'ends';
      if (cursors.has(first) || (first === 'set' && ending.has(second))) return 'ends';
      return settings.has(first) ? 'stays' : undefined;
    },
    functions: new Set([
      'set_config',
      'pg_advisory_lock',
      'pg_advisory_lock_shared',
      'pg_try_advisory_lock',
      'pg_try_advisory_lock_shared',
    ]),
    pragmas: new Set(),
  },
  quote: quoteIdentifier,
  placeholder: (number) => `$${number}`,
  page: (limit, offset) =>
    `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset === undefined ? '' : ` OFFSET ${offset}`}`,
  maxParameters: 65_535,
  returning: true,
  encode,
  encodeFor,
  encodeList: (list) => list.map(encode),
  isInteger: (type) => integers.has(type),
  booleansAreIntegers: false,
  ownTables: /^(.*\.)?pg_/i,
  keys: returnedKeys,
  upserts: { clause: onConflict, answer: (result) => result },
  runtimeTables: {
    ...plainTables,
    undoesSchema: true,
    name: 'VARCHAR(255)',
    text: 'TEXT',
    time: 'TIMESTAMP WITH TIME ZONE',
    flag: 'BOOLEAN',
    // Not JSONB: it refuses the character U+0000 and rewrites numbers.
    json: 'JSON',
    // Of the moment, not of the transaction.
    now: 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now',
    quote: quoteIdentifier,
    moment: (text) => text,
    widen: ({ table, added, ended, made }) => {
      const drops = ended.map(({ name }) => `DROP CONSTRAINT ${quoteIdentifier(String(name))}`);
      const changes = [`ADD COLUMN ${added}`, ...drops, ...made.map((key) => `ADD ${key}`)];
      return [`ALTER TABLE ${table} ${changes.join(', ')}`];
    },
    asText: (column) => `CAST(${column} AS TEXT) AS ${column}`,
  },
  reach: () => 'network',
};

/** What pg sends as text. Lists and objects become JSON text here, before pg would make an array of them. */
function encode(value: unknown): unknown {
  switch (typeof value) {
    case 'object':
      if (value === null || value instanceof Uint8Array) return value;
      if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON());
      return toJson(value);
    case 'undefined':
      return null;
    case 'function':
    case 'symbol':
      throw new ValueRefused('is not a value that a database can hold');
    default:
      return value;
  }
}

/** Lists in an array are its further dimensions, unless its elements are JSON, where a list is one of them. */
function encodeElements(list: readonly unknown[], isJson: boolean): unknown[] {
  return list.map((each) => (Array.isArray(each) && !isJson ? encodeElements(each, isJson) : encode(each)));
}

function encodeFor(column: Column): ((value: unknown) => unknown) | undefined {
  if (column.type === 'bytea') return (value) => (value instanceof Content ? value.bytes.read() : encode(value));
  if (column.type.startsWith('_')) {
    const isJson = column.type === '_json' || column.type === '_jsonb';
    return (value) => (Array.isArray(value) ? encodeElements(value, isJson) : encode(value));
  }
  // PostgreSQL drops the zone of a text for such a column; what is meant is the moment, in UTC.
  if (column.type === 'timestamp') {
    return (value) => {
      const encoded = encode(value);
      return typeof encoded === 'string' ? toRfc3339(encoded) : encoded;
    };
  }
  return undefined;
}
