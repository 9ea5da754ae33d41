/** Drops the entries that one event makes stale. A promise only when a store is asynchronous; it never rejects. */
export type EventListener = (event: string) => void | Promise<void>;

/**
 * Notifies the caches of one generation of writes: `<flow>` and `<target>.<created|updated|deleted>`, each also with
 * `:<id>` (docs/specification/cache.md#invalidation).
 */
export class CacheEvents {
  readonly #listeners: EventListener[] = [];

  listen(listener: EventListener): void {
    this.#listeners.push(listener);
  }

  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  publish(events: readonly string[]): Promise<void> | undefined {
    const waiting = events.flatMap((event) => this.#listeners.map((listener) => listener(event))).filter(isPromise);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  }
}

function isPromise(value: unknown): value is Promise<void> {
  return value instanceof Promise;
}
