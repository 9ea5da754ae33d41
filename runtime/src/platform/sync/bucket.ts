import type { TokenAnswer } from '../../foundation/contracts/storage.ts';
import { rounding } from '../net/token-buckets.ts';

/**
 * The token bucket as one number per key: the theoretical arrival time of the generic cell rate algorithm. Whatever
 * the window, no more than `rate × window + burst` requests pass.
 */
export interface Bucket {
  /** Milliseconds between two tokens. */
  readonly interval: number;
  /** How far ahead of the clock the arrival time may run: the burst, in milliseconds. */
  readonly tolerance: number;
}

export function bucketOf(ratePerSecond: number, burst: number): Bucket {
  const interval = 1000 / Math.max(ratePerSecond, 1e-6);
  return { interval, tolerance: interval * Math.max(burst, 1) };
}

/** Takes one token at `now`; `arrival` is what the last call left, undefined for a full bucket. */
export function take(
  bucket: Bucket,
  arrival: number | undefined,
  now: number,
): { arrival: number; answer: TokenAnswer } {
  const { interval, tolerance } = bucket;
  const next = Math.max(arrival ?? now, now) + interval;
  const spare = now - (next - tolerance);
  if (spare < -rounding) {
    const answer = { allowed: false, remaining: 0, retryAfter: Math.ceil(-spare) };
    return { arrival: next - interval, answer };
  }
  const remaining = Math.max(Math.floor(spare / interval + 1e-9), 0);
  const retryAfter = remaining > 0 ? 0 : Math.ceil(Math.max(interval - spare, 0));
  return { arrival: next, answer: { allowed: true, remaining, retryAfter } };
}
