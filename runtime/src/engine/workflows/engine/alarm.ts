import type { Clock } from '../../../foundation/observe/clock.ts';

/** Lets a loop sleep until a time that may be moved forward while it sleeps, or before. */
export class Alarm {
  readonly #clock: Clock;
  #until = Number.POSITIVE_INFINITY;
  #sleep: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Clears the time that was set. */
  reset(): void {
    this.#until = Number.POSITIVE_INFINITY;
  }

  /** Ends the sleep at this time (milliseconds since 1970) at the latest. */
  set(time: number): void {
    if (time >= this.#until) return;
    this.#until = time;
    this.#sleep?.abort();
  }

  /**
   * Resolves when the earliest time that was set has come. Elapsed time counts even when the clock was set back
   * meanwhile: the sleep is never longer than requested.
   */
  async rest(): Promise<void> {
    for (let left: number; (left = this.#until - this.#clock.now()) > 0; ) {
      this.#sleep = new AbortController();
      const over = await this.#clock.sleep(left, this.#sleep.signal).then(
        () => true,
        () => false,
      );
      if (over) break;
    }
    this.#sleep = undefined;
  }
}
