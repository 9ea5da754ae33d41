import { CelError } from '../engine.ts';
import { isMap, kindOf, numeric, withArticle } from '../values/kind.ts';
import { spend, spendLength } from '../values/meter.ts';

/**
 * Readers of arguments. Each throws CelError `no-such-overload` when the value has another type. Those of texts, lists
 * and maps spend what one walk through the value costs.
 */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return expected('a text', value);
  spendLength(value.length);
  return value;
}

export function listOf(value: unknown): readonly unknown[] {
  const list = someList(value);
  spend(list.length);
  return list;
}

/** A list of which only some elements are looked at. */
export function someList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : expected('a list', value);
}

export function mapOf(value: unknown): object {
  return isMap(value) ? value : expected('a map', value);
}

export function bytesOf(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) return expected('bytes', value);
  spendLength(value.length);
  return value;
}

/** A position or count: an int, or a double that is a whole number. */
export function wholeNumberOf(value: unknown): number {
  const number = Number(numeric(value) ?? expected('an int', value));
  return Number.isInteger(number) ? number : expected('a whole number', value);
}

export function expected(what: string, value: unknown): never {
  throw new CelError('no-such-overload', `${what} is expected, this is ${withArticle(kindOf(value))}`);
}

export function outOfRange(message: string): never {
  throw new CelError('out-of-range', message);
}
