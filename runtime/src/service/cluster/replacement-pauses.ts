/** Milliseconds before a worker is replaced; doubled each time one ends early or cannot start. */
const shortest = 100;
const longest = 30_000;
/** Milliseconds of service below which the end of a worker counts as early. */
const youngBelow = 30_000;

/** How long the primary waits before it replaces a worker, so that one that dies at once costs little. */
export class ReplacementPauses {
  #diedYoung = 0;

  /** Milliseconds. `served`: how long the worker took requests; undefined when it could not start. */
  next(served: number | undefined): number {
    this.#diedYoung = served === undefined || served < youngBelow ? this.#diedYoung + 1 : 0;
    return Math.min(longest, shortest * 2 ** Math.max(0, this.#diedYoung - 1));
  }
}
