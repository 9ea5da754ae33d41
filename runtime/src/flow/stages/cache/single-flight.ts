/** How one load of an entry ended for those who waited for it. */
export type Loaded =
  /** The text that was stored. */
  | { readonly text: string }
  /** The load failed, and so it would for the others now. */
  | { readonly error: unknown }
  /** The answer is none that is kept: all the others ask for themselves. */
  | 'unkept'
  /** Whoever asked went away: another one asks in its place. */
  | undefined;

/**
 * Lets messages that miss the same entry wait for the first one of them, so that what is slow or costly is asked once
 * however many ask at the same moment. It holds for one process.
 */
export class SingleFlight {
  readonly #loads = new Map<string, Promise<Loaded>>();

  /** The load of this key that is under way. */
  under(key: string): Promise<Loaded> | undefined {
    return this.#loads.get(key);
  }

  /**
   * Announces a load. It stays under way until `end`, which is called when its text is stored: whoever looked into the
   * store before that, and saw nothing, still finds the load.
   */
  begin(key: string): { readonly land: (loaded: Loaded) => void; readonly end: () => void } {
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    this.#loads.set(key, promise);
    return { land: resolve, end: () => void this.#loads.delete(key) };
  }
}
