import type { Clock } from '../../observe/clock.ts';

/** A clock that a test advances. */
export class ManualClock implements Clock {
  #now = 0;
  #set = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#now + this.#set;
  }

  elapsed(): number {
    return this.#now;
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
