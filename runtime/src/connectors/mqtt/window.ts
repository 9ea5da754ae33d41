/** Hands over at most a window of messages at a time; the others wait in their order. Brokers may send more than was agreed. */
export class Window<T> {
  readonly #size: number;
  readonly #waiting: T[] = [];
  readonly #deliver: (message: T) => void;
  #held = 0;
  #isDelivering = false;

  constructor(size: number, deliver: (message: T) => void) {
    this.#size = size;
    this.#deliver = deliver;
  }

  /** Messages that wait for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(message: T): void {
    this.#waiting.push(message);
    this.#proceed();
  }

  /** A message that was handed over is not held any more. */
  ended(): void {
    this.#held--;
    this.#proceed();
  }

  /** The connection is gone, and what waits comes again over the next one. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #proceed(): void {
    // A message may end while it is handed over.
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    while (this.#held < this.#size) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      this.#held++;
      this.#deliver(message);
    }
    this.#isDelivering = false;
  }
}
