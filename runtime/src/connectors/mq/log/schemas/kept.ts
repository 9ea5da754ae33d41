import type { Clock } from '../../../../foundation/observe/clock.ts';

interface Entry<V> {
  readonly value: Promise<V>;
  /** Elapsed milliseconds of the clock from which on it is asked for again. */
  until: number;
}

/** Values by key, each asked for once at a time; the one that was needed longest ago makes room. */
export class Kept<K, V> {
  readonly #most: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #entries = new Map<K, Entry<V>>();

  constructor(most: number, clock: Pick<Clock, 'elapsed'>) {
    this.#most = most;
    this.#clock = clock;
  }

  /** `lasts` says for how many milliseconds a value, or a failure, is kept; a failure with 0 is asked for again at once. */
  get(key: K, ask: () => Promise<V>, lasts: (error: unknown) => number): Promise<V> {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      if (this.#clock.elapsed() < found.until) {
        this.#entries.set(key, found);
        return found.value;
      }
    }
    const value = ask();
    const entry: Entry<V> = { value, until: Number.POSITIVE_INFINITY };
    this.#entries.set(key, entry);
    value.then(
      () => this.#came(key, entry, lasts(undefined)),
      (error: unknown) => this.#came(key, entry, lasts(error)),
    );
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(oldest);
    }
    return value;
  }

  #came(key: K, entry: Entry<V>, lasts: number): void {
    entry.until = this.#clock.elapsed() + lasts;
    if (lasts === 0 && this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
