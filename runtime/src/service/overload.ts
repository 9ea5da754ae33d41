import type { Clock } from '../observe/clock.ts';

const sampleEvery = 100;

/** Lag of the event loop, in milliseconds, that is too much when it lasts, and for how many measurements in turn. */
const target = 250;
const lasting = 3;

/**
 * Measures how late the event loop runs what is due. As CoDel (RFC 8289) tells a queue that stands from one that comes and
 * goes by its shortest delay of late, one late measurement says nothing: whatever held the loop up is over by then.
 */
export class EventLoopLag {
  readonly #clock: Clock;
  #due = 0;
  #lag = 0;
  /** Measurements in turn that came too late. */
  #late = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#due = this.#clock.elapsed() + sampleEvery;
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
    const now = this.#clock.elapsed();
    this.#lag = Math.max(0, now - this.#due);
    this.#due = now + sampleEvery;
    this.#late = this.#lag > target ? this.#late + 1 : 0;
  }

  /** Milliseconds by which the last measurement came late. */
  get milliseconds(): number {
    return this.#lag;
  }

  /** Whether there is lastingly more to do than is done; until the next measurement that comes in time. */
  get tooLong(): boolean {
    return this.#late >= lasting;
  }
}
