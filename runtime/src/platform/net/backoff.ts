/** How the waits between attempts grow. */
export interface Backoff {
  readonly kind: 'constant' | 'linear' | 'exponential';
  /** Milliseconds before the second attempt. */
  readonly delay: number;
  /** By how much `exponential` waits grow. Absent: each is twice the one before. */
  readonly factor?: number;
  /** Longest wait, in milliseconds. */
  readonly maxDelay: number;
  /** Spread each wait by up to 20 % to both sides, so that many callers do not return at once. */
  readonly jitter?: boolean;
}

/**
 * Whole milliseconds to wait before repeating for the `retry`-th time; 1 comes before the second attempt. `random` gives
 * numbers from 0 to below 1 and is asked only when the waits are spread.
 */
export function backoffDelay(backoff: Backoff, retry: number, random: () => number = Math.random): number {
  const wait = Math.min(grown(backoff, retry), backoff.maxDelay);
  return Math.min(Math.round(backoff.jitter ? wait * (0.8 + 0.4 * random()) : wait), backoff.maxDelay);
}

function grown({ kind, delay, factor = 2 }: Backoff, retry: number): number {
  if (kind === 'linear') return delay * retry;
  // Of so many repetitions that the power is infinite, a wait of 0 stays 0.
  if (kind === 'exponential' && delay > 0) return delay * factor ** (retry - 1);
  return delay;
}
