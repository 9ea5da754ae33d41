import protobuf from 'protobufjs';
import { Extent } from '../typed/extent.ts';
import { anyNumber, wholeNumber } from '../typed/numbers.ts';
import { below, doesNotFit, kindOf } from '../typed/problem.ts';
import { wellKnown } from './well-known.ts';
import { wireTypes } from './wire-types.ts';

/** How values become a message that is JSON elsewhere. */
export interface WritingForm {
  /** Called with the path of a field that the message does not have. Absent: it is refused. */
  readonly unknown?: ((path: string) => void) | undefined;
}

/**
 * The bytes of a message. Throws a Failure `value_refused` that names the field that does not fit, or that there is not. With a
 * `form` values are also taken as the JSON of Protobuf writes them: names in either spelling, numbers and bytes as texts, and
 * messages of Google's own files by what their JSON is.
 */
export function writeMessage(type: protobuf.Type, value: unknown, form?: WritingForm): Uint8Array {
  const writer = protobuf.Writer.create();
  new Writing(writer, form).message(type, value, '');
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
  readonly #form: WritingForm | undefined;

  constructor(writer: protobuf.Writer, form: WritingForm | undefined) {
    this.#writer = writer;
    this.#form = form;
  }

  message(type: protobuf.Type, given: unknown, path: string): void {
    const known = this.#form && wellKnown.get(type.fullName);
    const value = known === undefined ? this.#named(type, given, path) : known.write(given, path);
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

  /** Fields by the names of the message, where either spelling is taken. */
  #named(type: protobuf.Type, given: unknown, path: string): unknown {
    if (this.#form === undefined || typeof given !== 'object' || given === null) return given;
    if (Array.isArray(given) || given instanceof Uint8Array) return given;
    const names = spellingsOf(type);
    const named: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(given)) {
      const own = names.get(name);
      if (own !== undefined) named[own] ??= value;
      else if (this.#form.unknown === undefined) throw doesNotFit(below(path, name), `is not in ${type.name}`);
      else this.#form.unknown(below(path, name));
    }
    return named;
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
      const isName = typeof value === 'string' && Object.hasOwn(resolvedType.values, value);
      const number = isName
        ? resolvedType.values[value]
        : this.#form && wholeNumber(value, -(1n << 31n), (1n << 31n) - 1n);
      if (number === undefined) throw doesNotFit(path, `must be one of ${names.join(', ')}`);
      this.#writer.int32(Number(number));
    } else this.#scalar(type, value, path);
  }

  #scalar(type: string, given: unknown, path: string): void {
    const writer = this.#writer;
    const value = this.#form === undefined ? given : fromJson(type, given);
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

/** The names of the fields of a message, by every spelling that they are taken in. */
function spellingsOf(type: protobuf.Type): ReadonlyMap<string, string> {
  const kept = spellings.get(type);
  if (kept !== undefined) return kept;
  const names = new Map<string, string>();
  for (const { name } of type.fieldsArray) names.set(protobuf.util.camelCase(name), name);
  for (const { name } of type.fieldsArray) names.set(name, name);
  spellings.set(type, names);
  return names;
}

const spellings = new WeakMap<protobuf.Type, ReadonlyMap<string, string>>();

/** A scalar in the form that its JSON has: 64 bits and bytes are texts there. */
function fromJson(type: string, value: unknown): unknown {
  if (type === 'string') return value instanceof Date ? value.toISOString() : value;
  if (typeof value !== 'string') return value;
  if (type === 'bytes') return isBase64(value) ? Buffer.from(value, 'base64') : value;
  if (Object.hasOwn(wholes, type)) return /^-?\d{1,20}$/.test(value) ? BigInt(value) : value;
  if (type !== 'double' && type !== 'float') return value;
  return /^-?(\d+(\.\d+)?([eE][+-]?\d+)?|Infinity)$|^NaN$/.test(value) ? Number(value) : value;
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text);
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
