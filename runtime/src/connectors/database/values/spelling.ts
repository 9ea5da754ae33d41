import type { Column } from '../statement/column.ts';
import { type Dialect, ValueRefused } from '../statement/dialect.ts';

type Spell = (value: unknown) => unknown;

/**
 * One spelling for what names a row. Databases take `05`, `+5` and ` 5` for the integer 5, while locks and caches go by
 * the text, so that one row would have many keys: an integer column takes numbers and plain decimal digits alone. Values
 * of a `uuid` column become lower case with hyphens. Undefined for columns whose values have one spelling already.
 */
export function spellingOf(
  { type, isKey }: Pick<Column, 'type' | 'isKey'>,
  { isInteger, booleansAreIntegers }: Pick<Dialect, 'isInteger' | 'booleansAreIntegers'>,
): Spell | undefined {
  if (type === 'uuid') return foldUuid;
  if (!isInteger(type)) return undefined;
  // Where true and false are kept as 1 and 0, they are values, but never name a row.
  return isKey || !booleansAreIntegers
    ? requirePlain
    : (value) => (typeof value === 'boolean' ? value : requirePlain(value));
}

const plain = /^(?:0|-?[1-9][0-9]*)$/;

/** Whether some column takes other values for the same one: every text but plain digits too few for a UUID. */
export function mayHaveSpellings(value: unknown): boolean {
  return !mayBeInteger(value) || (typeof value === 'string' && uuid.test(value));
}

/** False for texts other than plain digits, and for true and false, which some engines take for 1 and 0. */
function mayBeInteger(value: unknown): boolean {
  return typeof value === 'string' ? plain.test(value) : typeof value !== 'boolean';
}

function requirePlain(value: unknown): unknown {
  if (mayBeInteger(value)) return value;
  throw new ValueRefused('must be a whole number, written in plain decimal digits');
}

const uuid = /^\{?[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}\}?$/i;

/** Also `{…}`, capital letters and other hyphens, as databases read them; anything else is left to the database. */
function foldUuid(value: unknown): unknown {
  if (typeof value !== 'string' || !uuid.test(value)) return value;
  const digits = value.replace(/[{}-]/g, '').toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
