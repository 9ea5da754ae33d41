/**
 * What graphql-ws waits for while a subscription lasts. It gives no results: those are written to the connection as they
 * come, encoded once for all who get the same. `ended` is called when its caller ends it.
 */
export class Ending implements AsyncGenerator<never, undefined, undefined> {
  readonly #ended: () => void;
  readonly #promise: Promise<IteratorReturnResult<undefined>>;
  #resolve!: (result: IteratorReturnResult<undefined>) => void;
  #reject!: (error: Error) => void;

  constructor(ended: () => void) {
    this.#ended = ended;
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may be that nothing waits for it yet.
    this.#promise.catch(() => undefined);
  }

  /** It is complete, or ended by an error. */
  end(error?: Error): void {
    if (error === undefined) this.#resolve({ done: true, value: undefined });
    else this.#reject(error);
  }

  next(): Promise<IteratorReturnResult<undefined>> {
    return this.#promise;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#ended();
    this.end();
    return { done: true, value: undefined };
  }

  throw(): Promise<IteratorReturnResult<undefined>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
