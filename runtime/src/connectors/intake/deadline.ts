import { systemClock } from '../../foundation/observe/clock.ts';

/** The time that a sender waits for the answer to its message; it can be stopped while a debugger has the message. */
export class Deadline {
  readonly #fire: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #holds = 0;
  #isOver = false;

  /** Begins to run; `fire` is called after so many milliseconds in which it was not held. */
  constructor(milliseconds: number, fire: () => void) {
    this.#left = milliseconds;
    this.#fire = fire;
    this.#run();
  }

  /** It runs no more until what it returns has been called. */
  hold(): () => void {
    if (this.#holds++ === 0 && this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#left = Math.max(0, this.#left - (systemClock.elapsed() - this.#since));
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0 && !this.#isOver) this.#run();
    };
  }

  /** The answer is there. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#since = systemClock.elapsed();
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#fire();
    }, this.#left);
  }
}
