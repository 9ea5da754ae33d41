import { systemClock } from '../../../foundation/observe/clock.ts';

/** Undone later at most; what is beyond that is over when its time at the server is. */
const most = 1_000;

interface Step {
  readonly undo: () => Promise<unknown>;
  /** When it is over at the server by itself, in milliseconds of `systemClock.elapsed()`. */
  readonly ends: number;
}

/**
 * Steps that may have been taken though their answer was lost: they are undone at once, and where that fails, such as
 * because the connection was given up for that answer, when there is a connection again.
 */
export class Undoing {
  readonly #steps = new Set<Step>();

  /** `undo` may be called several times; `lifetime` is how many milliseconds the step lasts at the server by itself. */
  add(undo: () => Promise<unknown>, lifetime: number): void {
    const step = { undo, ends: systemClock.elapsed() + lifetime };
    if (this.#steps.size < most) this.#steps.add(step);
    this.#try(step);
  }

  /** There is a connection again. */
  tryAgain(): void {
    const now = systemClock.elapsed();
    for (const step of this.#steps)
      if (step.ends <= now) this.#steps.delete(step);
      else this.#try(step);
  }

  #try(step: Step): void {
    step.undo().then(
      () => this.#steps.delete(step),
      () => undefined,
    );
  }
}
