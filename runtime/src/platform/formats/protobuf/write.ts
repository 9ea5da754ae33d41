import protobuf from 'protobufjs';
import { Extent } from '../typed/extent.ts';
import { anyNumber, wholeNumber } from '../typed/numbers.ts';
import { below, doesNotFit, kindOf } from '../typed/problem.ts';
import { type FieldLayout, layoutOf, type MessageLayout } from './layout.ts';
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
  new Writing(writer, form).message(layoutOf(type), value, '');
  return writer.finish();
}

type Fields = Readonly<Record<string, unknown>>;

interface Whole {
  readonly bits: 32 | 64;
  readonly least: bigint;
  readonly most: bigint;
}

const signed32: Whole = { bits: 32, least: -(1n << 31n), most: (1n << 31n) - 1n };
const unsigned32: Whole = { bits: 32, least: 0n, most: (1n << 32n) - 1n };
const signed64: Whole = { bits: 64, least: -(1n << 63n), most: (1n << 63n) - 1n };
const unsigned64: Whole = { bits: 64, least: 0n, most: (1n << 64n) - 1n };

/** Whole numbers by type. */
const wholes: Readonly<Record<string, Whole>> = {
  int32: signed32,
  sint32: signed32,
  sfixed32: signed32,
  uint32: unsigned32,
  fixed32: unsigned32,
  int64: signed64,
  sint64: signed64,
  sfixed64: signed64,
  uint64: unsigned64,
  fixed64: unsigned64,
};

class Writing {
  readonly #writer: protobuf.Writer;
  readonly #extent = new Extent();
  readonly #form: WritingForm | undefined;

  constructor(writer: protobuf.Writer, form: WritingForm | undefined) {
    this.#writer = writer;
    this.#form = form;
  }

  /** A path is that of what holds a field, and is only continued for what has fields itself, or fails. */
  message(layout: MessageLayout, given: unknown, path: string): void {
    const known = this.#form && layout.known;
    const value = known === undefined ? given : known.write(given, path);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || value instanceof Uint8Array) throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    this.#extent.enter();
    const isNamed = this.#form === undefined || known !== undefined;
    const values = isNamed ? named(layout, value as Fields, path) : this.#spelled(layout, value as Fields, path);
    for (const { name, members, at } of layout.oneofs)
      if (at.filter((each) => isThere(values[each])).length > 1)
        throw doesNotFit(path, `may have one of ${members.join(', ')} (${name})`);
    const { fields } = layout;
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at] as FieldLayout;
      const own = values[at];
      if (isThere(own)) this.#field(field, own, path);
      else if (field.required) throw doesNotFit(below(path, field.name), 'is missing');
    }
    this.#extent.leave();
  }

  /** The values of the fields of a message in their order, where either spelling of a name is taken. */
  #spelled(layout: MessageLayout, given: Fields, path: string): unknown[] {
    const values: unknown[] = [];
    for (const name of Object.keys(given)) {
      const at = layout.bySpelling.get(name);
      if (at !== undefined) values[at] ??= given[name];
      else if (this.#form?.unknown === undefined) throw doesNotFit(below(path, name), `is not in ${layout.name}`);
      else this.#form.unknown(below(path, name));
    }
    return values;
  }

  #field(field: FieldLayout, value: unknown, path: string): void {
    const { name, number } = field;
    if (field.key !== undefined) return this.#map(field, field.key, value, below(path, name));
    if (!field.repeated) return this.#tagged(field, number, value, path, name);
    const at = below(path, name);
    if (!Array.isArray(value)) throw doesNotFit(at, `must be a list, not ${kindOf(value)}`);
    if (value.length === 0) return;
    if (!field.packed || field.wire === 2) {
      for (const [index, each] of value.entries()) this.#tagged(field, number, each, at, index);
      return;
    }
    this.#writer.uint32((number << 3) | 2).fork();
    for (const [index, each] of value.entries()) this.#value(field, each, at, index);
    this.#writer.ldelim();
  }

  #map(field: FieldLayout, key: string, value: unknown, path: string): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
      throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    for (const [name, each] of Object.entries(value)) {
      this.#writer.uint32((field.number << 3) | 2).fork();
      this.#writer.uint32((1 << 3) | (wireTypes[key] as number));
      this.#scalar(key, keyOf(name, key), path, name);
      this.#tagged(field, 2, each, path, name);
      this.#writer.ldelim();
    }
  }

  #tagged(field: FieldLayout, number: number, value: unknown, path: string, step: string | number): void {
    this.#writer.uint32((number << 3) | (field.wire as number));
    this.#value(field, value, path, step);
  }

  #value(field: FieldLayout, value: unknown, path: string, step: string | number): void {
    this.#extent.value();
    const { message, enumeration } = field;
    if (message !== undefined) {
      this.#writer.fork();
      this.message(message, value, below(path, step));
      this.#writer.ldelim();
    } else if (enumeration === undefined) this.#scalar(field.type, value, path, step);
    else {
      const { values } = enumeration;
      const isName = typeof value === 'string' && Object.hasOwn(values, value);
      const number = isName ? values[value] : this.#form && wholeNumber(value, signed32.least, signed32.most);
      if (number === undefined) throw doesNotFit(below(path, step), `must be one of ${Object.keys(values).join(', ')}`);
      this.#writer.int32(Number(number));
    }
  }

  #scalar(type: string, given: unknown, path: string, step: string | number): void {
    const writer = this.#writer;
    const value = this.#form === undefined ? given : fromJson(type, given);
    const mustBe = (what: string) => doesNotFit(below(path, step), `must be ${what}, not ${kindOf(value)}`);
    const whole = wholes[type];
    if (whole !== undefined) {
      const number = isNear(value, whole) ? value : wholeNumber(value, whole.least, whole.most);
      if (number === undefined) throw mustBe(`a whole number of ${whole.bits} bits (${type})`);
      // What is more than a number of JavaScript the library takes as text, without losing digits.
      if (typeof number === 'bigint' && whole.bits === 64) writer[type as 'int64'](String(number) as never);
      else writer[type as 'int32'](Number(number));
    } else if (type === 'string') {
      if (typeof value !== 'string') throw mustBe('a text');
      writer.string(value);
    } else if (type === 'bytes') {
      if (!(value instanceof Uint8Array)) throw mustBe('bytes');
      writer.bytes(value);
    } else if (type === 'bool') {
      if (typeof value !== 'boolean') throw mustBe('a boolean');
      writer.bool(value);
    } else {
      const number = anyNumber(value);
      if (number === undefined) throw mustBe('a number');
      writer[type as 'double'](number);
    }
  }
}

/** Most whole numbers: those that have no need of 64 bits. */
function isNear(value: unknown, { least }: Whole): value is number {
  return typeof value === 'number' && (least === 0n ? value === value >>> 0 : value === (value | 0));
}

/** The values of the fields of a message in their order, by their own names. */
function named(layout: MessageLayout, given: Fields, path: string): unknown[] {
  const values: unknown[] = [];
  for (const name of Object.keys(given)) {
    const at = layout.byName.get(name);
    if (at === undefined) throw doesNotFit(below(path, name), 'is not in the schema');
    values[at] = given[name];
  }
  return values;
}

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

/** Keys of objects are texts. */
function keyOf(key: string, type: string): unknown {
  if (type === 'string') return key;
  if (type === 'bool') return key === 'true' ? true : key === 'false' ? false : key;
  return /^-?\d{1,20}$/.test(key) ? BigInt(key) : key;
}
