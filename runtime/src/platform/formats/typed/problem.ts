import { Failure } from '../../../foundation/errors/failure.ts';

/** A value that cannot be written with its schema; `path` is that of the field, empty for the value itself. */
export function doesNotFit(path: string, says: string): Failure {
  return new Failure('value_refused', `${path === '' ? 'the value' : path} ${says}`);
}

/** Bytes that are not of the schema that they name. */
export function unreadable(says: string, cause?: unknown): Failure {
  return new Failure('body_undecodable', `the value is not of its schema: ${says}`, { cause });
}

/** The path of a field or of an element of what is at `path`. */
export function below(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' ? step : `${path}.${step}`;
}

/** What a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'object') return 'an object';
  return { string: 'a text', boolean: 'a boolean' }[typeof value as string] ?? 'a number';
}
