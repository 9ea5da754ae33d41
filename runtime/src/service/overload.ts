import type { Clock } from '../observe/clock.ts';

const sampleEvery = 100;

/** Lag of the event loop, in milliseconds, from which new requests are refused (decisions 57). */
const refusedFrom = 250;

/** Measures how late the event loop runs what is due. */
export class EventLoopLag {
  readonly #clock: Clock;
  #due = 0;
  #lag = 0;
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
  }

  /** Takes one measurement; the timer calls it. */
  sample(): void {
    const now = this.#clock.elapsed();
    this.#lag = Math.max(0, now - this.#due);
    this.#due = now + sampleEvery;
  }

  /** Milliseconds by which the last measurement came late. */
  get milliseconds(): number {
    return this.#lag;
  }

  /** Requests that arrived while the loop was blocked are refused until the next timely measurement. */
  get tooLong(): boolean {
    return this.#lag > refusedFrom;
  }
}
