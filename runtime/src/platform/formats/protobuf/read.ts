import { isUtf8 } from 'node:buffer';
import { Fields } from '@svc/protocol/cel';
import type protobuf from 'protobufjs';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Extent } from '../typed/extent.ts';
import { exact } from '../typed/numbers.ts';
import { unreadable } from '../typed/problem.ts';
import { type FieldLayout, layoutOf, type MessageLayout, standardScalar } from './layout.ts';
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
    return new Reading(reader, form).message(layoutOf(type), reader.len);
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

  message(layout: MessageLayout, end: number): unknown {
    const reader = this.#reader;
    if (end > reader.len) throw unreadable('it ends too early');
    this.#extent.enter();
    const known = this.#form.wellKnown ? layout.known : undefined;
    const message = new Fields() as Message;
    if (this.#form.defaults || known !== undefined) this.#fill(layout, message);
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = layout.byNumber.get(tag >>> 3);
      if (field === undefined) reader.skipType(tag & 7);
      else this.#field(field, tag & 7, message);
    }
    if (reader.pos > end) throw unreadable('a field is longer than its message');
    this.#extent.leave();
    return known === undefined ? message : known.read(message);
  }

  #fill(layout: MessageLayout, message: Message): void {
    for (const standard of layout.standards) {
      if (standard.isScalar) this.#extent.value();
      message[standard.name] = standard.make();
    }
  }

  #field(field: FieldLayout, wire: number, message: Message): void {
    if (field.key !== undefined) return this.#entry(field, field.key, wire, message);
    if (field.repeated && wire === 2 && field.wire !== 2) {
      const end = this.#length();
      const list = (message[field.name] ??= []) as unknown[];
      while (this.#reader.pos < end) list.push(this.#value(field));
      return;
    }
    if (wire !== field.wire) throw unreadable(`field "${field.name}" has another type`);
    const value = this.#value(field);
    if (field.repeated) ((message[field.name] ??= []) as unknown[]).push(value);
    else {
      // Of several members of a `oneof` the last one counts.
      for (const other of field.others) delete message[other];
      message[field.name] = value;
    }
  }

  #entry(field: FieldLayout, keyType: string, wire: number, message: Message): void {
    if (wire !== 2) throw unreadable(`field "${field.name}" has another type`);
    const map = (message[field.name] ??= new Fields()) as Message;
    const end = this.#length();
    const keyWire = wireTypes[keyType];
    let key: unknown = standardScalar(keyType);
    let value: unknown;
    let isGiven = false;
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32();
      const part = tag >>> 3;
      const expected = part === 1 ? keyWire : part === 2 ? field.wire : tag & 7;
      if (expected !== (tag & 7)) throw unreadable(`field "${field.name}" has another type`);
      if (part === 1) key = this.#scalar(keyType, field.name);
      else if (part === 2) {
        value = this.#value(field);
        isGiven = true;
      } else this.#reader.skipType(tag & 7);
    }
    if (this.#reader.pos > end) throw unreadable('a field is longer than its message');
    map[String(key)] = isGiven ? value : this.#standardEntry(field);
  }

  /** The value of an entry that does not say it. */
  #standardEntry({ type, message, enumeration }: FieldLayout): unknown {
    if (message !== undefined) return this.message(message, this.#reader.pos);
    return enumeration === undefined ? standardScalar(type) : (enumeration.valuesById[0] ?? 0);
  }

  #value(field: FieldLayout): unknown {
    this.#extent.value();
    const { message, enumeration } = field;
    if (message !== undefined) return this.message(message, this.#length());
    if (enumeration === undefined) return this.#scalar(field.type, field.name);
    const number = this.#reader.int32();
    return enumeration.valuesById[number] ?? number;
  }

  #scalar(type: string, name: string): unknown {
    const reader = this.#reader;
    if (type === 'string') return this.#text(name);
    if (type === 'int32') return reader.int32();
    if (type === 'bytes') return Uint8Array.from(reader.bytes());
    const value: unknown = reader[type as 'int64']();
    if (typeof value !== 'object' || value === null) return value;
    const { high, low, unsigned } = value as { high: number; low: number; unsigned: boolean };
    const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    return exact(unsigned ? bits : BigInt.asIntN(64, bits));
  }

  /** The library would end a text with the bytes, wherever it says that it ends. */
  #text(name: string): string {
    const reader = this.#reader;
    const end = this.#length();
    const text = (reader.buf as Buffer).toString('utf8', reader.pos, end);
    // What is not UTF-8 is replaced by this character, which may also be meant.
    if (text.includes('\ufffd') && !isUtf8(reader.buf.subarray(reader.pos, end)))
      throw unreadable(`field "${name}" is not UTF-8`);
    reader.pos = end;
    return text;
  }

  /** Where what begins here ends. */
  #length(): number {
    const length = this.#reader.uint32();
    const end = this.#reader.pos + length;
    if (end > this.#reader.len) throw unreadable('it ends too early');
    return end;
  }
}
