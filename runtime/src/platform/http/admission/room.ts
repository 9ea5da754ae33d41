import type { Clock } from '../../../foundation/observe/clock.ts';

/** How long a place that has refused a request for want of room is short of it, in milliseconds. */
const shortFor = 100;
/** The share of the most that may be in flight that may wait for the processor then. */
const waitingShare = 1 / 4;

/** The requests of one place that are under way, and whether there is room for another one. */
export class Room {
  /** Requests under way, the one that is admitted among them. */
  inFlight = 0;
  /** Those of them that wait for the processor. */
  waiting = 0;
  readonly #most: number;
  readonly #clock: Clock;
  /** Until when there is too little room; 0 when there is enough. */
  #shortUntil = 0;

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  /**
   * Whether too many requests are under way, or wait while others are refused. Those that wait for the processor are served
   * no sooner for being many: when more comes than it can do, a queue that is as long as it may be only adds to the time of
   * every request that is served. Requests that wait for something else are not counted here, since fewer of them would mean
   * that less is done. A moment after the last refusal, all of the most may wait again, as a burst needs it.
   */
  isFull(): boolean {
    const isFull = this.inFlight > this.#most;
    if (!isFull && (this.#shortUntil === 0 || this.waiting < this.#most * waitingShare)) return false;
    const now = this.#clock.elapsed();
    if (isFull || now < this.#shortUntil) {
      this.#shortUntil = now + shortFor;
      return true;
    }
    this.#shortUntil = 0;
    return false;
  }
}
