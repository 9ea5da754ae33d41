import { createHash } from 'node:crypto';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';

/** A nonce that was used. */
interface Used {
  /** When its token says that it was made, in milliseconds since 1970. */
  readonly created: number;
  /** When it was used, on a clock that is never set. */
  readonly at: number;
}

/**
 * The nonces that were used. None is taken a second time, whatever becomes of the clock of the machine: what is forgotten
 * leaves behind the latest time of creation that was forgotten, and no token from before that is taken. So it is after a
 * start, since an earlier process may have taken any token from before.
 */
export class UsedNonces {
  readonly #clock: Clock;
  /** Milliseconds for which a nonce is kept. */
  readonly #kept: number;
  readonly #most: number;
  /** In the order in which they were used. */
  readonly #used = new Map<string, Used>();
  /** Tokens that were made before this time are refused. */
  #floor: number;

  constructor(clock: Clock, kept: number, most: number) {
    this.#clock = clock;
    this.#kept = kept;
    this.#most = most;
    // Times of creation may be given in whole seconds.
    this.#floor = Math.floor(clock.now() / 1000) * 1000;
  }

  get size(): number {
    return this.#used.size;
  }

  /** Whether the nonce of a caller is used for the first time. Throws `overloaded` when no more can be kept. */
  take(caller: string, nonce: string, created: number): boolean {
    this.#forget();
    if (created < this.#floor) return false;
    const key = createHash('sha256')
      .update(JSON.stringify([caller, nonce]))
      .digest('base64');
    if (this.#used.has(key)) return false;
    if (this.#used.size >= this.#most)
      throw new Failure('overloaded', 'too many tokens were used a short time ago', { retryAfter: 1000 });
    this.#used.set(key, { created, at: this.#clock.elapsed() });
    return true;
  }

  #forget(): void {
    const before = this.#clock.elapsed() - this.#kept;
    for (const [key, { created, at }] of this.#used) {
      if (at > before) return;
      this.#used.delete(key);
      this.#floor = Math.max(this.#floor, created + 1);
    }
  }
}
