import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a target knows of the rows that it writes. */
export interface RowKeys {
  /** The column of the key that a field means; undefined for any other field. */
  keyOf(name: string): string | undefined;
  /** Whether two values of a column of the key are one. Absent: they are when they are one text. */
  isSame?(name: string, one: unknown, other: unknown): boolean;
}

/** Which row is changed, and what is written into it. */
export interface RowAddress {
  readonly filters: Fields | undefined;
  readonly payload: Fields | undefined;
}

/** The keys of targets that know nothing of their rows: `id`. */
export const plainKeys: RowKeys = { keyOf: (name) => (name === 'id' ? name : undefined) };

/**
 * Decides which row an update or delete is for: that of the filters, and in columns of its key of what the flow says, else
 * of what the message says. What names the row is not written. Throws `value_refused` where two of them name a
 * column with different values, and where a column of the key has no value in the filters or in what the flow says.
 */
export function addressRow({ filters, naming, payload }: CallRequest, keys: RowKeys): RowAddress {
  for (const name in filters) if (keys.keyOf(name) !== undefined) requireKey(name, filters[name]);
  if (naming === undefined) return { filters, payload };
  const found: Record<string, unknown> = new EmptyFields();
  const columns = new Map<string, string>();
  for (const name in filters) {
    if (filters[name] === undefined) continue;
    found[name] = filters[name];
    const column = keys.keyOf(name);
    if (column !== undefined) columns.set(column, name);
  }
  const isOther = (column: string, value: unknown) => {
    const known = found[columns.get(column) as string];
    return !(keys.isSame?.(column, known, value) ?? isSameText(known, value));
  };
  const add = (column: string, name: string, value: unknown) => {
    columns.set(column, name);
    found[name] = value;
  };
  const { made, given, isCalled } = naming;
  for (const name in made) {
    const column = keys.keyOf(name);
    if (column === undefined || made[name] === undefined) continue;
    if (columns.has(column) ? isOther(column, made[name]) : made[name] === null) throw refusedName(name, made[name]);
    if (!columns.has(column)) add(column, name, made[name]);
  }
  for (const name in given) {
    const column = keys.keyOf(name);
    if (column === undefined || given[name] === undefined || given[name] === null) continue;
    if (!columns.has(column)) add(column, name, given[name]);
    else if (isCalled && isOther(column, given[name])) throw refusedName(name, given[name]);
  }
  return { filters: found, payload: payload && withoutKeys(payload, (name) => columns.has(keys.keyOf(name) ?? '')) };
}

/** Refuses a null, or a list with one, as the key of a row: what finds rows by it finds those that lack the column. */
export function requireKey(name: string, value: unknown): void {
  if (value === null || (Array.isArray(value) && value.includes(null))) throw refusedName(name, null);
}

function withoutKeys(payload: Fields, isKey: (name: string) => boolean): Fields {
  const rest: Record<string, unknown> = new EmptyFields();
  for (const name in payload) if (!isKey(name)) rest[name] = payload[name];
  return rest;
}

function isSameText(one: unknown, other: unknown): boolean {
  return one === other || (isPlain(one) && isPlain(other) && String(one) === String(other));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

function refusedName(field: string, value: unknown): Failure {
  const [code, says] =
    value === null ? ['required', 'is the key of a row, and has no value'] : ['conflict', 'names two rows'];
  const message = `"${field}" ${says}`;
  return new Failure('value_refused', message, { fields: [{ field, code, message }] });
}
