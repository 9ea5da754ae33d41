import type { FieldPacket } from 'mysql2';
import { base64, fromJson } from '../values/json.ts';
import { toDate, toRfc3339 } from '../values/time.ts';

type Convert = (value: unknown) => unknown;
type Row = Record<string, unknown>;

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

/** The character set of bytes (MySQL, "Character Sets and Collations in MySQL"). */
const binary = 63;

/** How the columns of one result become values of the flow; undefined where they are those of the driver. */
function converterFor(field: FieldPacket, exact: boolean): Convert | undefined {
  const { columnType, characterSet, extendedFormat } = field as FieldPacket & { readonly extendedFormat?: string };
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
      // Of every other character set they are texts.
      return characterSet === binary ? (value) => (value instanceof Uint8Array ? base64(value) : value) : undefined;
  }
}

/** Makes the values of rows those of the flow, in their place: of two columns with one name the later is there. */
export function convertRows(fields: readonly FieldPacket[], rows: Row[], exact: boolean): Row[] {
  const columns = new Map(fields.map((field) => [field.name, converterFor(field, exact)]));
  for (const [name, convert] of columns) {
    if (convert === undefined) continue;
    for (const row of rows) {
      const value = row[name];
      if (value !== null) row[name] = convert(value);
    }
  }
  return rows;
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
