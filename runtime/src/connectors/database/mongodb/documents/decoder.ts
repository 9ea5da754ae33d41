import { Fields } from '@svc/protocol/cel';
import { base64 } from '../../values/json.ts';
import { toRfc3339 } from '../../values/time.ts';
import type { Types } from './encoder.ts';

/** Each kind of number as an object of its own. The driver reads what is around documents itself, and knows errors by numbers. */
const decoding = { promoteValues: false, promoteLongs: false, promoteBuffers: false } as const;

/** What the driver is reported: documents come as their bytes. */
export const asBytes = { raw: true } as const;

/** A document of bytes, with the server's own types. */
export function readBytes(bytes: object, { BSON }: Pick<Types, 'BSON'>): Record<string, unknown> {
  return BSON.deserialize(bytes as Uint8Array, decoding);
}

interface Typed {
  readonly _bsontype: string;
}

/** Subtypes of binary values that are UUIDs. */
const uuids: readonly number[] = [3, 4];

/**
 * A document as flows read it. With `exact`, integers are bigint; otherwise numbers, except where one would lose digits.
 * No value makes it fail.
 */
export function decodeDocument(document: object, exact: boolean): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, value] of Object.entries(document)) {
    const decoded = decode(value, exact);
    if (decoded !== undefined) fields[name] = decoded;
  }
  return fields;
}

/** One value; `undefined` for what says nothing. */
export function decode(value: unknown, exact: boolean): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? integer(value, exact) : value;
  if (Array.isArray(value)) return value.map((item) => decode(item, exact) ?? null);
  if (value instanceof Date) return timeOf(value);
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof RegExp) return String(value);
  if ('_bsontype' in value) return typed(value as Typed, exact);
  return decodeDocument(value, exact);
}

function typed(value: Typed, exact: boolean): unknown {
  switch (value._bsontype) {
    case 'Int32': {
      const number = Number(value);
      return exact ? BigInt(number) : number;
    }
    case 'Double':
      return Number(value);
    case 'Long':
      return integer(BigInt(String(value)), exact);
    case 'Binary': {
      const { sub_type, buffer, position } = value as Typed & {
        readonly sub_type: number;
        readonly buffer: Uint8Array;
        readonly position: number;
      };
      const bytes = buffer.subarray(0, position);
      return uuids.includes(sub_type) && bytes.length === 16 ? uuidOf(bytes) : base64(bytes);
    }
    case 'Timestamp':
      return timeOf(new Date((value as Typed & { readonly t: number }).t * 1000));
    case 'BSONRegExp': {
      const { pattern, options } = value as Typed & { readonly pattern: string; readonly options: string };
      return `/${pattern}/${options}`;
    }
    case 'Code':
      return String((value as Typed & { readonly code: unknown }).code);
    case 'DBRef': {
      const { collection, oid } = value as Typed & { readonly collection: string; readonly oid: unknown };
      return { collection, id: decode(oid, exact) };
    }
    case 'MinKey':
    case 'MaxKey':
      return value._bsontype;
    default:
      // ObjectId, Decimal128 and symbols are the texts that they are written as.
      return String(value);
  }
}

function integer(value: bigint, exact: boolean): bigint | number {
  const number = Number(value);
  return exact || !Number.isSafeInteger(number) ? value : number;
}

function timeOf(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : toRfc3339(date.toISOString());
}

function uuidOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
