import { type Dialect, ValueRefused } from '../statement/dialect.ts';
import { toJson } from '../values/json.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** How SQLite writes placeholders and takes values. */
export const sqliteDialect: Dialect = {
  flavour: 'sqlite',
  placeholder: () => '?',
  page: (limit, offset) => {
    if (offset === undefined) return limit === undefined ? '' : ` LIMIT ${limit}`;
    return ` LIMIT ${limit ?? '-1'} OFFSET ${offset}`;
  },
  maxParameters: 32_766,
  returning: false,
  encode,
  encodeList: toJson,
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
      throw new ValueRefused('is no value that a database can hold');
  }
}

function encodeObject(value: object | null): null | number | bigint | string | Uint8Array {
  if (value === null) return null;
  if (value instanceof Uint8Array) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON());
  return toJson(value);
}
