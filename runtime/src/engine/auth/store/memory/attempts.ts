import type { Clock } from '../../../../foundation/observe/clock.ts';
import { type Attempt, type AttemptPolicy, type AttemptStore, retrySoon } from '../attempts.ts';
import { Entries } from './entries.ts';

/** Counts, and locks. */
const most = 200_000;

interface Count {
  /** Those under way among them. */
  tries: number;
  failures: number;
  /** Its lock did not fit: no try is allowed until it ends. */
  isLock: boolean;
  readonly ends: number;
}

/**
 * Tries to sign in, counted in the memory of this process. A lock is never removed before its end. When there are too many
 * counts, those with the fewest failures are removed, of these the oldest, so that filling the memory does not free one that
 * is nearly locked; a count with a try under way stays. When no lock fits any longer, its count refuses
 * further tries until its window is over; when nothing can be removed, new keys are refused with `store_unavailable`.
 */
export class MemoryAttemptStore implements AttemptStore {
  readonly #clock: Clock;
  readonly #counts: Entries<Count>;
  /** When each lock ends. */
  readonly #locks: Entries<number>;

  constructor(clock: Clock, mostKeys = most) {
    this.#clock = clock;
    this.#counts = new Entries({ what: 'counted tries', most: mostKeys, whenFull: 'evict', worth: worthOf });
    this.#locks = new Entries({ what: 'locks', most: mostKeys, whenFull: 'refuse' });
  }

  get size(): number {
    return this.#counts.size + this.#locks.size;
  }

  async attempt(key: string, policy: AttemptPolicy): Promise<Attempt> {
    const now = this.#clock.elapsed();
    const locked = this.#locks.get(key, now);
    if (locked !== undefined) return { allowed: false, locked: true, retryAfter: Math.ceil(locked - now) };
    const count = this.#counts.get(key, now) ?? this.#begin(key, policy, now);
    if (count.tries >= policy.max) {
      return { allowed: false, locked: false, retryAfter: Math.ceil(Math.min(retrySoon, count.ends - now)) };
    }
    count.tries += 1;
    return { allowed: true, failures: count.failures };
  }

  async failed(key: string, policy: AttemptPolicy): Promise<boolean> {
    const now = this.#clock.elapsed();
    if (this.#locks.get(key, now) !== undefined) return false;
    const count = this.#counts.get(key, now) ?? this.#begin(key, policy, now);
    count.failures += 1;
    count.tries = Math.max(count.tries, count.failures);
    if (count.failures < policy.max) return false;
    const ends = now + policy.lockout;
    try {
      this.#locks.set(key, ends, ends, now);
      this.#counts.delete(key);
    } catch {
      count.isLock = true;
    }
    return true;
  }

  async succeeded(key: string): Promise<void> {
    this.#counts.delete(key);
    this.#locks.delete(key);
  }

  async withdrawn(key: string): Promise<void> {
    const count = this.#counts.get(key, this.#clock.elapsed());
    if (count === undefined) return;
    if (count.tries > count.failures) count.tries -= 1;
    if (count.tries === 0) this.#counts.delete(key);
  }

  sweep(now: number): void {
    this.#counts.sweep(now);
    this.#locks.sweep(now);
  }

  clear(): void {
    this.#counts.clear();
    this.#locks.clear();
  }

  #begin(key: string, { window }: AttemptPolicy, now: number): Count {
    const count = { tries: 0, failures: 0, isLock: false, ends: now + window };
    this.#counts.set(key, count, count.ends, now);
    return count;
  }
}

/** What a client gains when its count is removed. */
function worthOf({ tries, failures, isLock }: Count): number {
  return isLock || tries > failures ? Number.POSITIVE_INFINITY : failures;
}
