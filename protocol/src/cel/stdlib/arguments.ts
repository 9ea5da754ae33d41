import { CelError } from '../engine.ts';
import { isMap, kindOf, numeric, withArticle } from '../values/kind.ts';

/** Readers of arguments. Each throws CelError `no-such-overload` when the value has another type. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : expected('a text', value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : expected('a list', value);
}

export function mapOf(value: unknown): object {
  return isMap(value) ? value : expected('a map', value);
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
