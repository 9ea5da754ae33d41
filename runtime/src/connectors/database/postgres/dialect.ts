import { type Dialect, ValueRefused } from '../statement/dialect.ts';
import type { Column } from '../statement/table.ts';
import { toJson } from '../values/json.ts';
import { toRfc3339 } from '../values/time.ts';

/** How PostgreSQL writes placeholders and takes values. */
export const postgresDialect: Dialect = {
  flavour: 'postgres',
  placeholder: (number) => `$${number}`,
  page: (limit, offset) =>
    `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset === undefined ? '' : ` OFFSET ${offset}`}`,
  maxParameters: 65_535,
  returning: true,
  encode,
  encodeFor,
  encodeList: (list) => list.map(encode),
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
      throw new ValueRefused('is no value that a database can hold');
    default:
      return value;
  }
}

function encodeFor(column: Column): ((value: unknown) => unknown) | undefined {
  if (column.type.startsWith('_')) return (value) => (Array.isArray(value) ? value.map(encode) : encode(value));
  // PostgreSQL drops the zone of a text for such a column; what is meant is the moment, in UTC.
  if (column.type === 'timestamp') {
    return (value) => {
      const encoded = encode(value);
      return typeof encoded === 'string' ? toRfc3339(encoded) : encoded;
    };
  }
  return undefined;
}
