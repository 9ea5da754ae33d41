import { Failure } from '../../../foundation/errors/failure.ts';
import type { Bound } from '../statement/bound.ts';
import { refused } from '../statement/rows.ts';

/** Bytes of a statement beside its values, at most: types and lengths of parameters. */
const around = 12;

/**
 * Throws when the server would refuse the statement for its size, naming the largest field when the statement was
 * generated: it closes the connection while it is being sent, so that no client could say whether it was done.
 */
export function checkSize({ text, values, columns }: Bound, limit: number): void {
  let most = text.length * 3;
  for (const value of values) most += mostBytes(value);
  if (most <= limit) return;
  const sizes = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : mostBytes(value)));
  const all = sizes.reduce((sum, size) => sum + size + around, Buffer.byteLength(text));
  if (all <= limit) return;
  const taken = `what the server takes at once (\`max_allowed_packet\`, ${Math.floor(limit / 1024)} KiB)`;
  const field = columns?.[sizes.indexOf(Math.max(...sizes))]?.name;
  if (field === undefined)
    throw new Failure('connector_failed', `the values of the statement are larger than ${taken}`, { retriable: false });
  throw refused([{ field, code: 'too_large', message: `"${field}" makes the row larger than ${taken}` }]);
}

/** Without looking into a text. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * 3 + around;
  return (value instanceof Uint8Array ? value.byteLength : 0) + around;
}
