import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Verb } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { failures } from '../../foundation/errors/failures.ts';
import { withIntegers } from '../flow/compile/whole-numbers.ts';
import type { AskedCall } from './call.ts';

type Row = Readonly<Record<string, unknown>>;

/** The answer without a recording: no rows, one row affected, an empty answer. */
export function standardAnswer({ verb }: AskedCall): CallResult {
  if (verb === 'read') return { rows: [] };
  return verb === 'call' ? {} : { affected: 1 };
}

/**
 * A written value as the answer of a call: rows of a read, the body of a call, `{ id, affected }` or rows of a write.
 * `affected` is what a write says when the value does not.
 */
export function answerOf(
  written: unknown,
  { verb, exact }: Pick<AskedCall, 'verb' | 'exact'>,
  affected?: number,
): CallResult {
  const value = exact ? withIntegers(written) : written;
  if (verb === 'call') return { value };
  if (Array.isArray(value) && value.length === 0 && verb !== 'read') return { affected: affected ?? 0 };
  if (Array.isArray(value)) return { rows: value.map(rowOf), ...(affected === undefined ? {} : { affected }) };
  if (value === null || value === undefined) return verb === 'read' ? { rows: [] } : { affected: affected ?? 0 };
  const row = rowOf(value);
  return isWritten(verb, row)
    ? { affected: Number(row['affected'] ?? affected ?? 1), id: row['id'] }
    : { rows: [row], ...(verb === 'read' ? {} : { affected: affected ?? 1 }) };
}

/** Whether an object describes a write and is not a row. */
function isWritten(verb: Verb, row: Row): boolean {
  return verb !== 'read' && Object.keys(row).every((name) => name === 'id' || name === 'affected');
}

function rowOf(value: unknown): Row {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  throw new Failure('connector_failed', 'a mock must answer with rows, which are objects');
}

/** The failure that a mock asks for: one of a known code, that of an answering peer, or any other with its message. */
export function failureOf(written: string, connector: string, status?: number): Failure {
  const at = { connector };
  if (status !== undefined)
    return new Failure('upstream_error', `${connector} answered ${status}: ${written}`, {
      at,
      upstream: { status, body: written },
    });
  if (isCode(written)) return new Failure(written, `${connector}: ${written} (mocked)`, { at });
  return new Failure('connector_failed', written, { at });
}

function isCode(word: string): word is keyof typeof failures {
  return Object.hasOwn(failures, word);
}
