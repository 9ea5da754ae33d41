import { type Clock, type Reading, readingAt, timeOf } from '../../../foundation/observe/clock.ts';

/** A clock by a function for its elapsed milliseconds, which may have fractions; its sleeps are over at once. */
export function clockBy(elapsed: () => number, over: Partial<Clock> = {}): Clock {
  return {
    now: () => Math.floor(elapsed()),
    elapsed: () => Math.floor(elapsed()),
    reading: () => readingAt(elapsed()),
    since: (reading) => elapsed() - timeOf(reading),
    sleep: async () => undefined,
    ...over,
  };
}

/** A clock that a test advances. */
export class ManualClock implements Clock {
  #now: number;
  #set = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  /** `since` is how many milliseconds have elapsed when it begins; it may have fractions. */
  constructor(since = 0) {
    this.#now = since;
  }

  now(): number {
    return Math.floor(Date.UTC(2026, 0, 1) + this.#now + this.#set);
  }

  elapsed(): number {
    return Math.floor(this.#now);
  }

  reading(): Reading {
    return readingAt(this.#now);
  }

  since(reading: Reading): number {
    return this.#now - timeOf(reading);
  }

  /** Sets the time of the day, forward or back; no time passes. */
  set(milliseconds: number): void {
    this.#set += milliseconds;
  }

  /** The number of sleepers that wait for time to pass. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = {
        until: this.#now + milliseconds,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Advances the time; sleepers that are due wake, and their immediate work is done when this resolves. */
  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
