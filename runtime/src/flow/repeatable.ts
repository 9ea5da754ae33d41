import type { Failure } from '../errors/failure.ts';
import type { FlowModel } from './model.ts';
import type { Destination } from './stages/destination/resolve.ts';

/**
 * Whether a failure leaves open what was written, and writing again might write it twice: nothing repeats that but a flow
 * that says so (`retry { unsafe = true }`), or whose writes are the same when they are done twice.
 */
export function mustNotRepeat({ values, destinations }: FlowModel): (failure: Failure) => boolean {
  if (values.error_handling?.retry?.unsafe === true) return () => false;
  const isIdempotent = values.dedupe !== undefined || (destinations.length > 0 && destinations.every(isUpsert));
  return ({ code, at }) => code === 'outcome_unknown' && !(isIdempotent && at.stage !== 'step');
}

/** A write that replaces what is there already, by its operation or by the words of its statement. */
function isUpsert({ operation, query }: Destination): boolean {
  if (query === undefined) return operation?.trim().toUpperCase() === 'UPSERT';
  return /\bon\s+conflict\b|\bon\s+duplicate\s+key\b|^\s*replace\b|\bor\s+(?:replace|ignore)\b/i.test(query);
}
