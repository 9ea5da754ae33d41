import type { FieldPacket } from 'mysql2';
import { base64, fromJson } from '../values/json.ts';
import { toDate, toRfc3339 } from '../values/time.ts';

type Convert = (value: unknown) => unknown;

/** Types of columns in the protocol (MySQL, Client/Server Protocol, "Column Types"). */
const type = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  datetime: 12,
  year: 13,
  bit: 16,
  json: 245,
} as const;

/** How the columns of one result become values of the flow; undefined where they are those of the driver. */
function converterFor(field: FieldPacket, exact: boolean): Convert | undefined {
  const { columnType, extendedFormat } = field as FieldPacket & { readonly extendedFormat?: string };
  const json: Convert = (value) => (typeof value === 'string' ? decodeJson(value, exact) : value);
  // MariaDB keeps JSON as text, and says so beside the type.
  if (extendedFormat === 'json') return json;
  switch (columnType) {
    case type.tiny:
    case type.short:
    case type.long:
    case type.int24:
    case type.year:
      return exact ? (value) => (typeof value === 'number' ? BigInt(value) : value) : undefined;
    case type.longlong:
      return exact ? (value) => integer(value, true) : (value) => integer(value, false);
    case type.float:
      return (value) => (typeof value === 'number' ? shortest(value) : value);
    case type.bit:
      return (value) => (value instanceof Uint8Array ? integer(bits(value), exact) : value);
    case type.date:
      return (value) => (typeof value === 'string' ? toDate(value) : value);
    case type.datetime:
    case type.timestamp:
      return (value) => (typeof value === 'string' ? toRfc3339(value) : value);
    case type.json:
      return json;
    default:
      return (value) => (value instanceof Uint8Array ? base64(value) : value);
  }
}

/** Rows of a result as objects; of two columns with one name the later wins. */
export function rowsOf(
  fields: readonly FieldPacket[],
  lists: readonly (readonly unknown[])[],
  exact: boolean,
): Record<string, unknown>[] {
  const columns = fields.map((field) => ({ name: field.name, convert: converterFor(field, exact) }));
  // Only an object without prototype can hold a column of this name.
  const bare = columns.some(({ name }) => name === '__proto__');
  return lists.map((list) => {
    const row: Record<string, unknown> = bare ? Object.create(null) : {};
    for (let index = 0; index < columns.length; index++) {
      const { name, convert } = columns[index] as (typeof columns)[number];
      const value = list[index];
      row[name] = value === null || convert === undefined ? value : convert(value);
    }
    return row;
  });
}

/** An integer as the driver gives it, text where it is large. */
export function integer(value: unknown, exact: boolean): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  const number = Number(value);
  return !exact && Number.isSafeInteger(number) ? number : BigInt(value);
}

function bits(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

/** A number of 32 bits with the digits that it was written with, rather than those of its double. */
function shortest(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function decodeJson(text: string, exact: boolean): unknown {
  try {
    return fromJson(text, exact);
  } catch {
    // No value may make a read fail.
    return text;
  }
}
