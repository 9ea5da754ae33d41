import type { Clock, Reading } from '../../../foundation/observe/clock.ts';

const sampleEvery = 100;

/**
 * Lag of the event loop, in milliseconds, that is too much when it persists, and for how many consecutive measurements.
 */
const target = 250;
const lasting = 3;

/**
 * Measures how late the event loop runs what is due. CoDel (RFC 8289) distinguishes a persistent queue from a burst by
 * the shortest recent delay; in the same way, one late measurement means nothing: what blocked the loop is over by
 * then.
 */
export class EventLoopLag {
  readonly #clock: Clock;
  /** When it was measured last. */
  #measured: Reading;
  #lag = 0;
  /** Consecutive measurements that were too late. */
  #late = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#measured = clock.reading();
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#measured = this.#clock.reading();
    this.#timer = setInterval(() => this.sample(), sampleEvery);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#lag = 0;
    this.#late = 0;
  }

  /** Takes one measurement; the timer calls it. */
  sample(): void {
    this.#lag = Math.max(0, this.#clock.since(this.#measured) - sampleEvery);
    this.#measured = this.#clock.reading();
    this.#late = this.#lag > target ? this.#late + 1 : 0;
  }

  /** Milliseconds by which the last measurement was late. */
  get milliseconds(): number {
    return this.#lag;
  }

  /** Whether the process is persistently overloaded; until the next measurement that is in time. */
  get tooLong(): boolean {
    return this.#late >= lasting;
  }
}
