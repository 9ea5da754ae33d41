/** How one load of an entry ended for those who waited for it. */
export type Loaded =
  /** The text that was stored. */
  | { readonly text: string }
  /** The load failed, and would fail for the others as well. */
  | { readonly error: unknown }
  /** The answer cannot be cached: all the others load for themselves. */
  | 'unkept'
  /** The caller of the load has disconnected: another message loads in its place. */
  | undefined;

/**
 * Lets messages that miss the same entry wait for the first one of them, so that slow or expensive work is done once
 * for any number of concurrent messages. It works within one process.
 */
export class SingleFlight {
  readonly #loads = new Map<string, Promise<Loaded>>();

  /** The load of this key that is in progress. */
  under(key: string): Promise<Loaded> | undefined {
    return this.#loads.get(key);
  }

  /**
   * Announces a load. It stays in progress until `end`, which is called when its text is stored: a message that found
   * the store empty before that still finds the load.
   */
  begin(key: string): { readonly land: (loaded: Loaded) => void; readonly end: () => void } {
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    this.#loads.set(key, promise);
    return { land: resolve, end: () => void this.#loads.delete(key) };
  }
}
