/**
 * The calls of a client that are not over: counted, and waited for when the client is closed. They are not kept in a set,
 * for the reason that `intake/roster.ts` gives.
 */
export class CallsUnderWay {
  #size = 0;
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Counts a call until it is over; returns it. */
  track<T>(call: Promise<T>): Promise<T> {
    this.#size++;
    call.then(this.#end, this.#end);
    return call;
  }

  /** Resolves when every call is over, whatever became of it. */
  async settled(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  readonly #end = (): void => {
    this.#size--;
    if (this.#size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  };
}
