import type { CelDuration } from './duration.ts';
import { kindOf, numeric } from './kind.ts';
import { lookup, spentKeys } from './map.ts';
import { spend, spendLength } from './meter.ts';
import type { CelOptional } from './optional.ts';
import { nanosecondsOf } from './ordering.ts';
import type { CelTypeValue } from './type-value.ts';

/** A set of values under the equality of the language. Each value is read once, whatever the others are. */
export class DistinctValues {
  readonly #scalars = new Set<unknown>();
  readonly #others = new Set<string>();
  /** Lists and maps that equal nothing else, for NaN is in them. */
  readonly #unequal = new Set<object>();

  /** Whether the value was new; NaN always is. */
  add(value: unknown): boolean {
    const scalar = scalarKey(value);
    const key = scalar === undefined ? keyOf(value) : scalar;
    if (key === undefined) return isNew(this.#unequal, value);
    const known: Set<unknown> = scalar === undefined ? this.#others : this.#scalars;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  }

  has(value: unknown): boolean {
    const scalar = scalarKey(value);
    if (scalar !== undefined) return this.#scalars.has(scalar);
    const key = keyOf(value);
    return key === undefined ? this.#unequal.has(value as object) : this.#others.has(key);
  }
}

function isNew(known: Set<object>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { size } = known;
  return known.add(value).size > size;
}

/** Equal texts, bools, numbers and nulls have the same key, and others have no key: whole numbers become bigints. */
function scalarKey(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  const number = numeric(value);
  return typeof number !== 'number' ? number : Number.isInteger(number) ? BigInt(number) : number || undefined;
}

/** A text that two values share exactly when they are equal; undefined for what equals nothing, as NaN does. */
function keyOf(value: unknown): string | undefined {
  const parts: string[] = [];
  return write(value, parts) ? parts.join('') : undefined;
}

/** Lengths precede texts, so that no text can pass for the end of another value. */
function write(value: unknown, parts: string[]): boolean {
  spend(1);
  switch (kindOf(value)) {
    case 'string':
      return writeText('s', value as string, parts);
    case 'bool':
    case 'null_type':
      parts.push(value === true ? 't' : value === false ? 'f' : 'n');
      return true;
    case 'int':
    case 'uint':
    case 'double': {
      const number = scalarKey(value);
      if (number !== undefined) parts.push(`#${String(number)};`);
      return number !== undefined;
    }
    case 'bytes': {
      const bytes = value as Uint8Array;
      spendLength(bytes.length);
      parts.push(`b${bytes.length}:`);
      for (const byte of bytes) parts.push(String.fromCharCode(byte));
      return true;
    }
    case 'timestamp':
      parts.push(`T${nanosecondsOf(value)};`);
      return true;
    case 'duration':
      parts.push(`D${(value as CelDuration).nanoseconds};`);
      return true;
    case 'type':
      return writeText('y', (value as CelTypeValue).name, parts);
    case 'optional': {
      const { present, value: content } = value as CelOptional;
      parts.push(present ? 'O' : 'o');
      return !present || write(content, parts);
    }
    case 'list':
      parts.push('[');
      for (const element of value as readonly unknown[]) if (!write(element, parts)) return false;
      parts.push(']');
      return true;
    case 'map':
      return writeMap(value as object, parts);
    default:
      return false;
  }
}

function writeText(mark: string, text: string, parts: string[]): boolean {
  spendLength(text.length);
  parts.push(`${mark}${text.length}:`, text);
  return true;
}

function writeMap(map: object, parts: string[]): boolean {
  const entries: (readonly [string, unknown])[] = [];
  for (const key of spentKeys(map)) {
    const text = keyOf(key);
    if (text === undefined) return false;
    entries.push([text, lookup(map, key)]);
  }
  entries.sort(([one], [two]) => (one < two ? -1 : 1));
  parts.push('{');
  for (const [key, content] of entries) {
    parts.push(key);
    if (!write(content, parts)) return false;
  }
  parts.push('}');
  return true;
}
