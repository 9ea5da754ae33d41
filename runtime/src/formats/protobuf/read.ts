import { isUtf8 } from 'node:buffer';
import { Fields } from '@svc/protocol/cel';
import protobuf from 'protobufjs';
import { Failure } from '../../errors/failure.ts';
import { Extent } from '../typed/extent.ts';
import { exact } from '../typed/numbers.ts';
import { unreadable } from '../typed/problem.ts';
import { wellKnown } from './well-known.ts';
import { wireTypes } from './wire-types.ts';

/** How a message becomes a value. */
export interface ReadingForm {
  /** Whether what was not sent has its default where the message does not show that it was not sent. */
  readonly defaults: boolean;
  /** Whether messages of Google's own files are what their JSON is: a timestamp a text, a wrapper its value. */
  readonly wellKnown: boolean;
}

const usualForm: ReadingForm = { defaults: true, wellKnown: false };

/**
 * The message that the rest of the bytes are, by the names of its fields: 64 bits exactly, enumerations by name, `bytes` as
 * bytes. What was not sent has its default, or is absent where the message shows that it was not sent. Throws a Failure for what
 * is not such a message, or holds too much.
 */
export function readMessage(type: protobuf.Type, reader: protobuf.Reader, form = usualForm): unknown {
  try {
    return new Reading(reader, form).message(type, reader.len);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(error instanceof RangeError ? 'it ends too early' : (error as Error).message, error);
  }
}

type Message = Record<string, unknown>;

class Reading {
  readonly #reader: protobuf.Reader;
  readonly #extent = new Extent();
  readonly #form: ReadingForm;

  constructor(reader: protobuf.Reader, form: ReadingForm) {
    this.#reader = reader;
    this.#form = form;
  }

  message(type: protobuf.Type, end: number): unknown {
    const reader = this.#reader;
    if (end > reader.len) throw unreadable('it ends too early');
    this.#extent.enter();
    const known = this.#form.wellKnown ? wellKnown.get(type.fullName) : undefined;
    const message = new Fields() as Message;
    if (this.#form.defaults || known !== undefined) this.#fill(type, message);
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = type.fieldsById[tag >>> 3];
      if (field === undefined) reader.skipType(tag & 7);
      else this.#field(field, tag & 7, message);
    }
    if (reader.pos > end) throw unreadable('a field is longer than its message');
    this.#extent.leave();
    return known === undefined ? message : known.read(message);
  }

  #fill(type: protobuf.Type, message: Message): void {
    for (const field of type.fieldsArray) {
      if (field.map) message[field.name] = new Fields();
      else if (field.repeated) message[field.name] = [];
      else if (!field.hasPresence && !(field.resolvedType instanceof protobuf.Type)) {
        this.#extent.value();
        message[field.name] = standardOf(field);
      }
    }
  }

  #field(field: protobuf.Field, wire: number, message: Message): void {
    if (field instanceof protobuf.MapField) return this.#entry(field, wire, message);
    const expected = wireTypeOf(field);
    if (field.repeated && wire === 2 && expected !== 2) {
      const end = this.#length();
      const list = (message[field.name] ??= []) as unknown[];
      while (this.#reader.pos < end) list.push(this.#value(field));
      return;
    }
    if (wire !== expected) throw unreadable(`field "${field.name}" has another type`);
    const value = this.#value(field);
    if (field.repeated) ((message[field.name] ??= []) as unknown[]).push(value);
    else {
      // Of several members of a `oneof` the last one counts.
      for (const other of field.partOf?.oneof ?? []) delete message[other];
      message[field.name] = value;
    }
  }

  #entry(field: protobuf.MapField, wire: number, message: Message): void {
    if (wire !== 2) throw unreadable(`field "${field.name}" has another type`);
    const map = (message[field.name] ??= new Fields()) as Message;
    const end = this.#length();
    const keyWire = wireTypes[field.keyType];
    const valueWire = wireTypeOf(field);
    let key: unknown = standardOfScalar(field.keyType);
    let value: unknown;
    let isGiven = false;
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32();
      const part = tag >>> 3;
      const expected = part === 1 ? keyWire : part === 2 ? valueWire : tag & 7;
      if (expected !== (tag & 7)) throw unreadable(`field "${field.name}" has another type`);
      if (part === 1) key = this.#scalar(field.keyType, field.name);
      else if (part === 2) {
        value = this.#value(field);
        isGiven = true;
      } else this.#reader.skipType(tag & 7);
    }
    if (this.#reader.pos > end) throw unreadable('a field is longer than its message');
    map[String(key)] = isGiven ? value : this.#standardEntry(field);
  }

  /** The value of an entry that does not say it. */
  #standardEntry({ type, resolvedType }: protobuf.FieldBase): unknown {
    if (resolvedType instanceof protobuf.Type) return this.message(resolvedType, this.#reader.pos);
    return resolvedType instanceof protobuf.Enum ? (resolvedType.valuesById[0] ?? 0) : standardOfScalar(type);
  }

  #value(field: protobuf.FieldBase): unknown {
    this.#extent.value();
    const { resolvedType } = field;
    if (resolvedType instanceof protobuf.Type) return this.message(resolvedType, this.#length());
    if (resolvedType instanceof protobuf.Enum) {
      const number = this.#reader.int32();
      return resolvedType.valuesById[number] ?? number;
    }
    return this.#scalar(field.type, field.name);
  }

  #scalar(type: string, name: string): unknown {
    const reader = this.#reader;
    if (type === 'string') {
      // The library would end a text with the bytes, wherever it says that it ends.
      const end = this.#length();
      const text = (reader.buf as Buffer).toString('utf8', reader.pos, end);
      // What is not UTF-8 is replaced by this character, which may also be meant.
      if (text.includes('\ufffd') && !isUtf8(reader.buf.subarray(reader.pos, end)))
        throw unreadable(`field "${name}" is not UTF-8`);
      reader.pos = end;
      return text;
    }
    if (type === 'bytes') return Uint8Array.from(reader.bytes());
    const value: unknown = reader[type as 'int64']();
    if (typeof value !== 'object' || value === null) return value;
    const { high, low, unsigned } = value as { high: number; low: number; unsigned: boolean };
    const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    return exact(unsigned ? bits : BigInt.asIntN(64, bits));
  }

  /** Where what begins here ends. */
  #length(): number {
    const length = this.#reader.uint32();
    const end = this.#reader.pos + length;
    if (end > this.#reader.len) throw unreadable('it ends too early');
    return end;
  }
}

function standardOfScalar(type: string): unknown {
  if (type === 'bytes') return new Uint8Array();
  return type === 'string' ? '' : type === 'bool' ? false : 0;
}

function wireTypeOf({ type, resolvedType }: protobuf.FieldBase): number | undefined {
  if (resolvedType instanceof protobuf.Type) return 2;
  return resolvedType instanceof protobuf.Enum ? 0 : wireTypes[type];
}

function standardOf({ type, resolvedType, defaultValue, typeDefault }: protobuf.FieldBase): unknown {
  if (type === 'bytes') return new Uint8Array();
  const value: unknown = defaultValue ?? typeDefault;
  if (resolvedType instanceof protobuf.Enum) return resolvedType.valuesById[Number(value)] ?? value;
  return typeof value === 'object' && value !== null ? Number(value) : value;
}
