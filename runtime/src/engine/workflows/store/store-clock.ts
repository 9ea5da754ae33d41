import type { Clock, Reading } from '../../../foundation/observe/clock.ts';
import type { WorkflowStore } from './store.ts';

/**
 * The time of day of a store. Leases are compared between processes whose clocks differ, or are set while they run: all
 * follow the clock of the database, and between two queries of it elapsed time.
 */
export class StoreClock implements Clock {
  readonly #clock: Clock;
  readonly #store: Pick<WorkflowStore, 'now'>;
  /** Time of day when `elapsed` was zero. */
  #origin: number;

  constructor(clock: Clock, store: Pick<WorkflowStore, 'now'>) {
    this.#clock = clock;
    this.#store = store;
    this.#origin = clock.now() - clock.elapsed();
  }

  now(): number {
    return this.#origin + this.#clock.elapsed();
  }

  elapsed(): number {
    return this.#clock.elapsed();
  }

  reading(): Reading {
    return this.#clock.reading();
  }

  since(reading: Reading): number {
    return this.#clock.since(reading);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(milliseconds, signal);
  }

  /** Asks the store for its time. Rejects when it does not answer. */
  async synchronise(): Promise<void> {
    const asked = this.#clock.elapsed();
    const now = await this.#store.now();
    this.#origin = Math.round(now - (asked + this.#clock.elapsed()) / 2);
  }
}
