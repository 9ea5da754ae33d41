import type { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';

/** The reason why a timer is cancelled: without one, each would be an error with a stack. */
const ended = 'ended';

/** The time limit of some work. It is suspended while a holder pauses it. */
export class Deadline {
  readonly #clock: Clock;
  readonly #failure: () => Failure;
  readonly #expired = new AbortController();
  /** Cancels the timer that is running. */
  #stretch = new AbortController();
  #began = 0;
  #left: number;
  #holders = 0;
  #over = false;

  /** `failure` is made when the time is over. */
  constructor(clock: Clock, milliseconds: number, failure: () => Failure) {
    this.#clock = clock;
    this.#left = milliseconds;
    this.#failure = failure;
    this.#go();
  }

  /** Fires with the Failure when the time is over. */
  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  /** Stops the time; the returned function resumes it with the time that was left. */
  readonly hold = (): (() => void) => {
    if (this.#holders++ === 0) {
      this.#left -= this.#clock.elapsed() - this.#began;
      this.#stretch.abort(ended);
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.#holders === 0 && !this.#over) this.#go();
    };
  };

  /** Resolves with the work, or rejects with the Failure when the time is over first. The time ends with the work. */
  async for<T>(work: T | Promise<T>): Promise<T> {
    const { signal } = this;
    const late = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      this.#over = true;
      this.#stretch.abort(ended);
    }
  }

  #go(): void {
    this.#stretch = new AbortController();
    this.#began = this.#clock.elapsed();
    this.#clock.sleep(Math.max(0, this.#left), this.#stretch.signal).then(
      () => {
        if (this.#over) return;
        this.#over = true;
        this.#expired.abort(this.#failure());
      },
      () => undefined,
    );
  }
}
