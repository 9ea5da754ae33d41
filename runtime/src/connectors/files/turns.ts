/** Work on one key is done one after another, in the order in which it came; that of others is not held up. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Rejects with the reason of the signal when that fires before its turn. */
  async take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const own = (async () => {
      await before;
      signal.throwIfAborted();
      return work();
    })();
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return own;
  }
}
