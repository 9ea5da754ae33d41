import { isUtf8 } from 'node:buffer';
import { Fields } from '@svc/protocol/cel';
import { textOf } from '../../../../../platform/formats/text.ts';
import { Extent } from '../../../../../platform/formats/typed/extent.ts';
import { exact } from '../../../../../platform/formats/typed/numbers.ts';
import { unreadable } from '../../../../../platform/formats/typed/problem.ts';
import { logicalValues } from './logical-values.ts';
import type { AvroType } from './type.ts';

/**
 * The value of these bytes: records and maps as objects, `bytes` and `fixed` as bytes, `long` exactly, enumerations as
 * texts, a union as the value of its branch. Throws a Failure when they are not of this type, or hold too much.
 */
export function readAvro(type: AvroType, bytes: Buffer): unknown {
  const reading = new Reading(bytes);
  const value = reading.value(type);
  if (!reading.isAtEnd) throw unreadable('bytes are left behind it');
  return value;
}

class Reading {
  readonly #bytes: Buffer;
  readonly #extent = new Extent();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(type: AvroType): unknown {
    const logical = logicalValues[type.typeName];
    if (logical !== undefined) return logical.read(type, this.value(type.underlyingType));
    this.#extent.value();
    switch (type.typeName) {
      case 'null':
        return null;
      case 'boolean':
        return this.#boolean();
      case 'int':
      case 'long':
        return exact(this.#long());
      case 'float':
        return this.#take(4).readFloatLE();
      case 'double':
        return this.#take(8).readDoubleLE();
      case 'string':
        return this.#text();
      case 'bytes':
        return Uint8Array.from(this.#take(this.#length()));
      case 'fixed':
        return Uint8Array.from(this.#take(type.size));
      case 'enum':
        return this.#choice(type.symbols);
      case 'union:wrapped':
        return this.value(this.#choice(type.types));
      default:
        return this.#composite(type);
    }
  }

  #composite(type: AvroType): unknown {
    this.#extent.enter();
    const value = this.#within(type);
    this.#extent.leave();
    return value;
  }

  #within(type: AvroType): unknown {
    if (type.typeName === 'array') {
      const list: unknown[] = [];
      this.#blocks(() => list.push(this.value(type.itemsType)));
      return list;
    }
    const fields = new Fields() as Record<string, unknown>;
    if (type.typeName === 'map')
      this.#blocks(() => {
        const key = this.#text();
        fields[key] = this.value(type.valuesType);
      });
    else for (const field of type.fields) fields[field.name] = this.value(field.type);
    return fields;
  }

  /** Each element counts, so that a wrong count ends with the bytes or with what a message may hold. */
  #blocks(element: () => void): void {
    for (;;) {
      let count = this.#long();
      if (count === 0n) return;
      if (count < 0n) {
        count = -count;
        this.#long();
      }
      for (; count > 0n; count--) element();
    }
  }

  #boolean(): boolean {
    const [byte] = this.#take(1);
    if (byte !== 0 && byte !== 1) throw unreadable('a boolean is neither 0 nor 1');
    return byte === 1;
  }

  #text(): string {
    const bytes = this.#take(this.#length());
    if (!isUtf8(bytes)) throw unreadable('a text is not UTF-8');
    return textOf(bytes);
  }

  #choice<T>(choices: readonly T[]): T {
    const at = Number(this.#long());
    if (!(at >= 0 && at < choices.length)) throw unreadable(`there is no choice ${at}`);
    return choices[at] as T;
  }

  #length(): number {
    const length = this.#long();
    if (length < 0n || length > BigInt(this.#bytes.length)) throw unreadable('it ends too early');
    return Number(length);
  }

  /** Variable length, zigzag; at most 64 bits. */
  #long(): bigint {
    let small = 0;
    let large = 0n;
    for (let place = 0; place < 10; place++) {
      const byte = this.#take(1)[0] as number;
      if (place < 4) small |= (byte & 0x7f) << (place * 7);
      else large |= BigInt(byte & 0x7f) << BigInt(place * 7);
      if (byte >= 0x80) continue;
      const unsigned = large | BigInt(small);
      if (unsigned >= 1n << 64n) break;
      return (unsigned >> 1n) ^ -(unsigned & 1n);
    }
    throw unreadable('a number has more than 64 bits');
  }

  #take(count: number): Buffer {
    const from = this.#at;
    if (from + count > this.#bytes.length) throw unreadable('it ends too early');
    this.#at += count;
    return this.#bytes.subarray(from, this.#at);
  }
}
