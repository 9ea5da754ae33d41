/**
 * Runs at most so many pieces of work at a time; further ones wait in the order in which they came. Work that ends
 * without a promise takes no place.
 */
export class Limiter {
  readonly #most: number;
  #running = 0;
  #waiting: (() => void)[] = [];
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** What the work gives, or a promise of it while other work has every place. Throws what the work throws at once. */
  run(work: () => unknown): unknown {
    if (this.#running < this.#most) return this.#start(work);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.#start(work));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #start(work: () => unknown): unknown {
    const value = work();
    if (!(value instanceof Promise)) return value;
    this.#running++;
    value.then(this.#ended, this.#ended);
    return value;
  }

  readonly #ended = (): void => {
    this.#running--;
    while (this.#running < this.#most && this.#next < this.#waiting.length)
      (this.#waiting[this.#next++] as () => void)();
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
  };
}
