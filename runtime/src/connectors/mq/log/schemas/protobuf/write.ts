import protobuf from 'protobufjs';
import { Extent } from '../extent.ts';
import { anyNumber, wholeNumber } from '../numbers.ts';
import { below, doesNotFit, kindOf } from '../problem.ts';
import { wireTypes } from './wire-types.ts';

/** The bytes of a message. Throws a Failure `value_refused` that names the field that does not fit, or that there is not. */
export function writeMessage(type: protobuf.Type, value: unknown): Uint8Array {
  const writer = protobuf.Writer.create();
  new Writing(writer).message(type, value, '');
  return writer.finish();
}

type Fields = Readonly<Record<string, unknown>>;

/** Whole numbers by type: bits, and whether they are signed. */
const wholes: Readonly<Record<string, readonly [bits: 32 | 64, signed: boolean]>> = {
  int32: [32, true],
  sint32: [32, true],
  sfixed32: [32, true],
  uint32: [32, false],
  fixed32: [32, false],
  int64: [64, true],
  sint64: [64, true],
  sfixed64: [64, true],
  uint64: [64, false],
  fixed64: [64, false],
};

class Writing {
  readonly #writer: protobuf.Writer;
  readonly #extent = new Extent();

  constructor(writer: protobuf.Writer) {
    this.#writer = writer;
  }

  message(type: protobuf.Type, value: unknown, path: string): void {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || value instanceof Uint8Array) throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    this.#extent.enter();
    for (const name of Object.keys(value))
      if (!Object.hasOwn(type.fields, name)) throw doesNotFit(below(path, name), 'is not in the schema');
    for (const { name, oneof } of type.oneofsArray)
      if (oneof.filter((each) => isThere((value as Fields)[each])).length > 1)
        throw doesNotFit(path, `may have one of ${oneof.join(', ')} (${name})`);
    for (const field of type.fieldsArray) {
      const own = (value as Fields)[field.name];
      const at = below(path, field.name);
      if (isThere(own)) this.#field(field, own, at);
      else if (field.required) throw doesNotFit(at, 'is missing');
    }
    this.#extent.leave();
  }

  #field(field: protobuf.Field, value: unknown, path: string): void {
    if (field instanceof protobuf.MapField) return this.#map(field, value, path);
    if (!field.repeated) return this.#tagged(field, field.id, value, path);
    if (!Array.isArray(value)) throw doesNotFit(path, `must be a list, not ${kindOf(value)}`);
    if (value.length === 0) return;
    if (!field.packed || wireTypeOf(field) === 2) {
      for (const [at, each] of value.entries()) this.#tagged(field, field.id, each, below(path, at));
      return;
    }
    this.#writer.uint32((field.id << 3) | 2).fork();
    for (const [at, each] of value.entries()) this.#value(field, each, below(path, at));
    this.#writer.ldelim();
  }

  #map(field: protobuf.MapField, value: unknown, path: string): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
      throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    for (const [key, each] of Object.entries(value)) {
      this.#writer.uint32((field.id << 3) | 2).fork();
      this.#writer.uint32((1 << 3) | (wireTypes[field.keyType] as number));
      this.#scalar(field.keyType, keyOf(key, field.keyType), below(path, key));
      this.#tagged(field, 2, each, below(path, key));
      this.#writer.ldelim();
    }
  }

  #tagged(field: protobuf.FieldBase, id: number, value: unknown, path: string): void {
    this.#writer.uint32((id << 3) | wireTypeOf(field));
    this.#value(field, value, path);
  }

  #value({ resolvedType, type }: protobuf.FieldBase, value: unknown, path: string): void {
    this.#extent.value();
    if (resolvedType instanceof protobuf.Type) {
      this.#writer.fork();
      this.message(resolvedType, value, path);
      this.#writer.ldelim();
    } else if (resolvedType instanceof protobuf.Enum) {
      const names = Object.keys(resolvedType.values);
      const number = typeof value === 'string' ? resolvedType.values[value] : undefined;
      if (number === undefined || !Object.hasOwn(resolvedType.values, value as string))
        throw doesNotFit(path, `must be one of ${names.join(', ')}`);
      this.#writer.int32(number);
    } else this.#scalar(type, value, path);
  }

  #scalar(type: string, value: unknown, path: string): void {
    const writer = this.#writer;
    const whole = wholes[type];
    if (whole !== undefined) {
      const [bits, signed] = whole;
      const most = 1n << BigInt(signed ? bits - 1 : bits);
      const number = wholeNumber(value, signed ? -most : 0n, most - 1n);
      if (number === undefined)
        throw doesNotFit(path, `must be a whole number of ${bits} bits (${type}), not ${kindOf(value)}`);
      // The library takes 64 bits as text, without losing digits.
      if (bits === 64) writer[type as 'int64'](String(number) as never);
      else writer[type as 'int32'](Number(number));
    } else if (type === 'string') {
      if (typeof value !== 'string') throw doesNotFit(path, `must be a text, not ${kindOf(value)}`);
      writer.string(value);
    } else if (type === 'bytes') {
      if (!(value instanceof Uint8Array)) throw doesNotFit(path, `must be bytes, not ${kindOf(value)}`);
      writer.bytes(value);
    } else if (type === 'bool') {
      if (typeof value !== 'boolean') throw doesNotFit(path, `must be a boolean, not ${kindOf(value)}`);
      writer.bool(value);
    } else {
      const number = anyNumber(value);
      if (number === undefined) throw doesNotFit(path, `must be a number, not ${kindOf(value)}`);
      writer[type as 'double'](number);
    }
  }
}

/** A field that is null is not sent. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function wireTypeOf({ type, resolvedType }: protobuf.FieldBase): number {
  if (resolvedType instanceof protobuf.Type) return 2;
  return resolvedType instanceof protobuf.Enum ? 0 : (wireTypes[type] as number);
}

/** Keys of objects are texts. */
function keyOf(key: string, type: string): unknown {
  if (type === 'string') return key;
  if (type === 'bool') return key === 'true' ? true : key === 'false' ? false : key;
  return /^-?\d{1,20}$/.test(key) ? BigInt(key) : key;
}
