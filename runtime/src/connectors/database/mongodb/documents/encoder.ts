import { CelDuration, CelTimestamp, CelUint } from '@svc/protocol/cel';
import type * as Driver from 'mongodb';
import { refusedValue } from './refused.ts';
import { data, entryOf, isOperator, isPlainObject, itemOf, type Shape } from './shape.ts';

/** The parts of the driver that values are made with. */
export type Types = Pick<typeof Driver, 'ObjectId' | 'Long' | 'Double' | 'Binary' | 'BSON'>;

/** A document as the driver sends it. */
export type Document = Record<string, unknown>;

/** Deeper documents are refused by the server; the encoding is recursive. */
const deepest = 100;
const smallest = { int32: -(2n ** 31n), int64: -(2n ** 63n) };
const largest = { int32: 2n ** 31n - 1n, int64: 2n ** 63n - 1n };

const objectId = /^[0-9a-f]{24}$/i;

/** Whether a value is written as the server's own identifiers are: 24 hexadecimal digits. */
export function isHexId(value: unknown): value is string {
  return typeof value === 'string' && objectId.test(value);
}

/**
 * Makes documents of values of messages. They are data: a name that the server would read as an operator is refused, with
 * its path.
 */
export class Encoder {
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  /** The fields of a document; `path` is where they are in the message, empty for its top. */
  document(fields: Readonly<Record<string, unknown>>, path: string, shape: Shape = data): Document {
    return this.#fields(Object.entries(typed(fields, shape) as object), path, 0);
  }

  /** One value of a message; with `isId` a text of 24 hexadecimal digits is an identifier of the server. */
  value(value: unknown, path: string, isId = false): unknown {
    return this.#value(value, path, isId, 0);
  }

  /** One value of which the configuration writes what `shape` says. */
  shaped(value: unknown, shape: Shape, path: string, isId = false): unknown {
    return this.#value(typed(value, shape), path, isId, 0);
  }

  /** A field under the name that the server knows: `id` with the server's own identifier is `_id`. */
  name(name: string, value: unknown): string {
    return name === 'id' && isHexId(value) ? '_id' : name;
  }

  #fields(entries: Iterable<readonly [string, unknown]>, path: string, depth: number): Document {
    const made: Document = Object.create(null);
    for (const [name, value] of entries) {
      if (value === undefined) continue;
      const at = path === '' ? name : `${path}.${name}`;
      requireName(name, at);
      const known = this.name(name, value);
      made[known] = this.#value(value, at, known === '_id', depth + 1);
    }
    return made;
  }

  #value(value: unknown, path: string, isId: boolean, depth: number): unknown {
    if (depth > deepest) throw refusedValue(path, 'too_deep', `is deeper than ${deepest} levels`);
    switch (typeof value) {
      case 'string':
        return isId && isHexId(value) ? new this.#types.ObjectId(value) : value;
      case 'bigint':
        return this.#integer(value, path);
      case 'number':
        // The driver makes an integer of a whole number.
        return Number.isInteger(value) ? new this.#types.Double(value) : value;
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.#object(value, path, isId, depth);
      default:
        return null;
    }
  }

  #object(value: object, path: string, isId: boolean, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item, at) => this.#value(item, `${path}[${at}]`, isId, depth + 1));
    if (value instanceof Uint8Array)
      return new this.#types.Binary(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof CelTimestamp) return new Date(value.milliseconds);
    if (value instanceof Date) return value;
    if (value instanceof CelUint) return this.#integer(value.value, path);
    if (value instanceof CelDuration) return value.toString();
    if (value instanceof Map)
      return this.#fields(
        [...value].map(([name, item]) => [String(name), item]),
        path,
        depth,
      );
    return this.#fields(Object.entries(value), path, depth);
  }

  #integer(value: bigint, path: string): unknown {
    if (value >= smallest.int32 && value <= largest.int32) return Number(value);
    if (value < smallest.int64 || value > largest.int64)
      throw refusedValue(path, 'type_mismatch', 'is an integer of more than 64 bits');
    return this.#types.Long.fromBigInt(value);
  }
}

function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIntegers(item)]));
}

/** Whole numbers that the configuration writes are integers, as in expressions. */
function typed(value: unknown, shape: Shape): unknown {
  if (shape.kind === 'data') return value;
  if (shape.kind === 'constant')
    // A message may have another value under a name that the configuration writes.
    return shape.value === undefined || typeof value === 'object' || shape.value === value
      ? withIntegers(value)
      : value;
  if (Array.isArray(value)) return value.map((item, at) => typed(item, itemOf(shape, at)));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typed(item, entryOf(shape, name))]));
}

/** Names of fields in data: none that the server, or its driver, reads as anything else. */
export function requireName(name: string, path: string): void {
  if (isOperator(name)) throw refusedValue(path, 'operator', 'is named like an operator, and is data');
  if (name === '_bsontype') throw refusedValue(path, 'operator', 'has a name that the driver reads as a type');
  if (name.includes('\0')) throw refusedValue(path, 'name', 'has a name with a NUL character');
}

/** Names of fields in data that are where the server reads paths. */
export function requirePlainName(name: string, path: string): void {
  requireName(name, path);
  if (name === '' || name.includes('.')) throw refusedValue(path, 'name', 'is a path, and messages name fields alone');
}
