import { Failure } from '../../foundation/errors/failure.ts';

const most = 2n ** 63n - 1n;

/** The number that an entry holds, 0 where it is absent, plus another one. Throws where the entry is not a number. */
export function sum(held: string | undefined, by: bigint): bigint {
  if (held !== undefined && !/^-?(0|[1-9]\d{0,18})$/.test(held)) throw notCounted();
  const value = BigInt(held ?? 0) + by;
  if (value > most || value < -most - 1n) throw notCounted();
  return value;
}

/** An entry that cannot be added to, whatever the store: trying again changes nothing. */
export function notCounted(): Failure {
  return new Failure('connector_failed', 'the entry is not a whole number of 64 bits, or would exceed them', {
    retriable: false,
  });
}
