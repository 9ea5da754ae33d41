import type { TokenAnswer } from '../../foundation/contracts/storage.ts';
import type { Clock } from '../../foundation/observe/clock.ts';

/** Most buckets held; beyond it the one that was used longest ago is forgotten. */
const mostBuckets = 100_000;
const sweepEvery = 60_000;

/**
 * Milliseconds that sums of fractions may be wrong by. A rounding error must not cost a token, and the last digits of a
 * time are a millionth after months.
 */
export const rounding = 1e-3;

/**
 * Token buckets by key, kept as the generic cell rate algorithm does: one number each, the time at which the bucket
 * will be full again. Buckets survive a reload; rate and size come with each question.
 */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #fullAt = new Map<string, number>();
  #swept = 0;

  constructor(clock: Clock, most = mostBuckets) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#fullAt.size;
  }

  take(key: string, ratePerSecond: number, burst: number): TokenAnswer {
    const now = this.#clock.elapsed();
    if (now - this.#swept > sweepEvery) this.#sweep(now);
    const perToken = 1000 / ratePerSecond;
    const size = perToken * Math.max(1, burst);
    const known = this.#fullAt.get(key);
    const fullAt = Math.max(known ?? now, now) + perToken;
    const free = size - (fullAt - now);
    if (free < -rounding) return { allowed: false, remaining: 0, retryAfter: Math.ceil(-free) };
    if (known === undefined) {
      if (this.#fullAt.size >= this.#most) this.#forgetOldest(now);
    } else this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    const remaining = Math.floor(free / perToken + 1e-9);
    return { allowed: true, remaining, retryAfter: remaining > 0 ? 0 : Math.ceil(Math.max(0, perToken - free)) };
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
  }

  #forgetOldest(now: number): void {
    this.#sweep(now);
    if (this.#fullAt.size < this.#most) return;
    for (const key of this.#fullAt.keys()) return void this.#fullAt.delete(key);
  }
}
