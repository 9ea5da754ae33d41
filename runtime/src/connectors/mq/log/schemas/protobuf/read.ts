import { isUtf8 } from 'node:buffer';
import { Fields } from '@svc/protocol/cel';
import protobuf from 'protobufjs';
import { Failure } from '../../../../../errors/failure.ts';
import { Extent } from '../extent.ts';
import { exact } from '../numbers.ts';
import { unreadable } from '../problem.ts';
import { wireTypes } from './wire-types.ts';

/**
 * The message that the rest of the bytes are, by the names of its fields: 64 bits exactly, enumerations by name, `bytes` as
 * bytes. What was not sent has its default, or is absent where the message shows that it was not sent. Throws a Failure for what
 * is not such a message, or holds too much.
 */
export function readMessage(type: protobuf.Type, reader: protobuf.Reader): unknown {
  try {
    return new Reading(reader).message(type, reader.len);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(error instanceof RangeError ? 'it ends too early' : (error as Error).message, error);
  }
}

type Message = Record<string, unknown>;

class Reading {
  readonly #reader: protobuf.Reader;
  readonly #extent = new Extent();

  constructor(reader: protobuf.Reader) {
    this.#reader = reader;
  }

  message(type: protobuf.Type, end: number): Message {
    const reader = this.#reader;
    if (end > reader.len) throw unreadable('it ends too early');
    this.#extent.enter();
    const message = new Fields() as Message;
    for (const field of type.fieldsArray) {
      if (field.map) message[field.name] = new Fields();
      else if (field.repeated) message[field.name] = [];
      else if (!field.hasPresence && !(field.resolvedType instanceof protobuf.Type)) {
        this.#extent.value();
        message[field.name] = standardOf(field);
      }
    }
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = type.fieldsById[tag >>> 3];
      if (field === undefined) reader.skipType(tag & 7);
      else this.#field(field, tag & 7, message);
    }
    if (reader.pos > end) throw unreadable('a field is longer than its message');
    this.#extent.leave();
    return message;
  }

  #field(field: protobuf.Field, wire: number, message: Message): void {
    if (field instanceof protobuf.MapField) return this.#entry(field, wire, message[field.name] as Message);
    const expected = wireTypeOf(field);
    if (field.repeated && wire === 2 && expected !== 2) {
      const end = this.#length();
      while (this.#reader.pos < end) (message[field.name] as unknown[]).push(this.#value(field));
      return;
    }
    if (wire !== expected) throw unreadable(`field "${field.name}" has another type`);
    const value = this.#value(field);
    if (field.repeated) (message[field.name] as unknown[]).push(value);
    else {
      // Of several members of a `oneof` the last one counts.
      for (const other of field.partOf?.oneof ?? []) delete message[other];
      message[field.name] = value;
    }
  }

  #entry(field: protobuf.MapField, wire: number, map: Message): void {
    if (wire !== 2) throw unreadable(`field "${field.name}" has another type`);
    const end = this.#length();
    let key: unknown = field.keyType === 'string' ? '' : field.keyType === 'bool' ? false : 0;
    let value: unknown = field.resolvedType instanceof protobuf.Type ? new Fields() : standardOf(field);
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32();
      if (tag >>> 3 === 1) key = this.#scalar(field.keyType, field.name);
      else if (tag >>> 3 === 2) value = this.#value(field);
      else this.#reader.skipType(tag & 7);
    }
    map[String(key)] = value;
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

function wireTypeOf({ type, resolvedType }: protobuf.Field): number | undefined {
  if (resolvedType instanceof protobuf.Type) return 2;
  return resolvedType instanceof protobuf.Enum ? 0 : wireTypes[type];
}

function standardOf({ type, resolvedType, defaultValue, typeDefault }: protobuf.FieldBase): unknown {
  if (type === 'bytes') return new Uint8Array();
  const value: unknown = defaultValue ?? typeDefault;
  if (resolvedType instanceof protobuf.Enum) return resolvedType.valuesById[Number(value)] ?? value;
  return typeof value === 'object' && value !== null ? Number(value) : value;
}
