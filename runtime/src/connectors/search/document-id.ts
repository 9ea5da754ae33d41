import { Failure } from '../../foundation/errors/failure.ts';

/** Bytes of an id that the server takes. */
const longestId = 512;

/** An id as the server knows it: texts and numbers; undefined where it is absent. Throws `value_refused` for another value. */
export function idText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isId = typeof value === 'string' || typeof value === 'bigint' || Number.isFinite(value);
  const text = String(value);
  // A dot alone is a step in a path, however it is escaped.
  const isStep = text === '.' || text === '..';
  if (isId && text !== '' && !isStep && Buffer.byteLength(text) <= longestId && text.isWellFormed()) return text;
  const message = `the id of a document is a text or a number of 1 to ${longestId} bytes, and not a dot`;
  throw new Failure('value_refused', message, { fields: [{ field: 'id', code: 'type_mismatch', message }] });
}
