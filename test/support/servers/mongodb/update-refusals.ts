import { BSON } from 'mongodb';
import { CommandError, WriteError } from './command-error.ts';
import { textOf, valueAt } from './store.ts';
import type { Fields } from './wire.ts';

const numbers = ['Long', 'Double', 'Int32', 'Decimal128'];

function isNumber(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  return numbers.includes(String((value as { readonly _bsontype?: unknown } | null)?._bsontype));
}

/** Refuses what cannot be done to a document, which mingo leaves undone in silence. */
export function refuseTypes(document: Fields, modifier: Fields): void {
  for (const [operator, fields] of Object.entries(modifier))
    for (const path of Object.keys(fields as Fields)) {
      const value = valueAt(document, path);
      if (value === undefined) refuseBelowScalar(document, path, operator);
      else if ((operator === '$inc' || operator === '$mul') && !isNumber(value))
        throw refused(14, `Cannot apply ${operator} to a value of non-numeric type, in the field '${path}'`);
      else if ((operator === '$push' || operator === '$addToSet') && !Array.isArray(value))
        throw refused(2, `The field '${path}' must be an array`);
    }
}

function refuseBelowScalar(document: Fields, path: string, operator: string): void {
  const parts = path.split('.');
  if (operator === '$unset' || operator === '$pull' || operator === '$rename') return;
  for (let length = 1; length < parts.length; length++) {
    const above = valueAt(document, parts.slice(0, length).join('.'));
    if (above === undefined || (typeof above === 'object' && above !== null)) continue;
    throw refused(28, `Cannot create field '${parts[length]}' in element {${parts[length - 1]}: ${textOf(above)}}`);
  }
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Refuses another `_id` than a document has. */
export function refuseOtherId(before: unknown, after: unknown): void {
  if (textOf(before) === textOf(after)) return;
  throw refused(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

/** Refuses an `_id` that no document may have. */
export function refuseId(id: unknown): void {
  const operator = isPlain(id) ? Object.keys(id).find((name) => name.startsWith('$')) : undefined;
  if (operator !== undefined)
    throw refused(52, `The dollar ($) prefixed field '${operator}' in '_id.${operator}' is not allowed for storage.`);
  if (!Array.isArray(id) && !(id instanceof RegExp) && (id as Fields | undefined)?.['_bsontype'] !== 'BSONRegExp')
    return;
  throw refused(53, "The '_id' value cannot be of type array or regex");
}

const largest = 16 * 1024 * 1024;
/** A larger one is not even read. */
const largestRead = largest + 16 * 1024;

/** Refuses a new document that is larger than any may be. */
export function refuseSize(document: Fields): void {
  const size = BSON.calculateObjectSize(document);
  if (size > largestRead) throw new CommandError(10_334, 'BSONObjectTooLarge', `BSONObj size: ${size} is invalid`);
  if (size > largest) throw refused(2, `object to insert too large. size in bytes: ${size}, max size: ${largest}`);
}

/** The same of what an update makes. */
export function refuseLargeResult(document: Fields): void {
  if (BSON.calculateObjectSize(document) <= largest) return;
  throw refused(17_419, `Resulting document after update is larger than ${largest}`);
}

const codes: readonly (readonly [RegExp, number])[] = [
  [/immutable/, 66],
  [/would create a conflict/, 40],
  [/non-numeric/, 14],
  [/Unknown update operator/, 9],
];

/** What mingo throws, as the server says it of one update. */
export function updateRefusal(error: unknown): WriteError {
  if (error instanceof WriteError) return error;
  const { message } = error as Error;
  return refused(codes.find(([pattern]) => pattern.test(message))?.[1] ?? 2, message);
}

function refused(code: number, errmsg: string): WriteError {
  return new WriteError({ code, errmsg });
}
