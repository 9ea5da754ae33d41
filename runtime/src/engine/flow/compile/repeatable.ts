import type { Failure } from '../../../foundation/errors/failure.ts';
import type { FlowModel } from '../model.ts';
import type { Destination } from '../stages/destination/destination.ts';

/**
 * Whether a failure leaves it unknown what was written, so that writing again might write it twice: only a flow with
 * `retry { unsafe = true }`, or with idempotent writes, repeats that.
 */
export function mustNotRepeat({
  values,
  destinations,
}: Pick<FlowModel, 'values' | 'destinations'>): (failure: Failure) => boolean {
  if (values.error_handling?.retry?.unsafe === true) return () => false;
  const written =
    values.batch === undefined ? destinations : [{ operation: values.batch.to.operation, query: undefined }];
  const isIdempotent = values.dedupe !== undefined || (written.length > 0 && written.every(isUpsert));
  return ({ code, at }) => code === 'outcome_unknown' && !(isIdempotent && at.stage !== 'step');
}

/** A write that replaces what is there already, by its operation or by the words of its statement. */
export function isUpsert({ operation, query }: Pick<Destination, 'operation' | 'query'>): boolean {
  if (query === undefined) return operation?.trim().toUpperCase() === 'UPSERT';
  return /\bon\s+conflict\b|\bon\s+duplicate\s+key\b|^\s*replace\b|\bor\s+(?:replace|ignore)\b/i.test(query);
}
