/** What is kept of a document. */
export interface Kept<T> {
  readonly value: T;
  /** What it takes, in the unit of the bound. */
  readonly weight: number;
}

/** Bounds of a cache. */
export interface CacheBounds {
  readonly entries: number;
  readonly weight: number;
}

/**
 * Documents by their text. One that is used a second time is hot: however many others are sent once, they displace each
 * other and no hot one. Among the hot ones those that were not used since the last round go first.
 */
export class DocumentCache<T> {
  readonly #fresh: Room<T>;
  readonly #hot: Room<T>;

  constructor(fresh: CacheBounds, hot: CacheBounds) {
    this.#fresh = new Room(fresh);
    this.#hot = new Room(hot);
  }

  get(key: string): T | undefined {
    const hot = this.#hot.entries.get(key);
    if (hot !== undefined) {
      hot.used = true;
      return hot.value;
    }
    const fresh = this.#fresh.take(key);
    if (fresh === undefined) return undefined;
    this.#hot.put(key, fresh);
    return fresh.value;
  }

  set(key: string, kept: Kept<T>): void {
    this.#fresh.put(key, { ...kept, used: false });
  }

  /** Documents that are kept, for tests. */
  get size(): { readonly fresh: number; readonly hot: number } {
    return { fresh: this.#fresh.entries.size, hot: this.#hot.entries.size };
  }
}

interface Entry<T> extends Kept<T> {
  used: boolean;
}

class Room<T> {
  readonly entries = new Map<string, Entry<T>>();
  readonly #bounds: CacheBounds;
  #weight = 0;

  constructor(bounds: CacheBounds) {
    this.#bounds = bounds;
  }

  take(key: string): Entry<T> | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.#weight -= entry.weight;
    return entry;
  }

  put(key: string, entry: Entry<T>): void {
    this.take(key);
    if (entry.weight > this.#bounds.weight) return;
    this.#weight += entry.weight;
    while (this.entries.size >= this.#bounds.entries || this.#weight > this.#bounds.weight) this.#evict();
    entry.used = false;
    this.entries.set(key, entry);
  }

  #evict(): void {
    for (const [key, entry] of this.entries) {
      this.entries.delete(key);
      if (entry.used) {
        entry.used = false;
        this.entries.set(key, entry);
        continue;
      }
      this.#weight -= entry.weight;
      return;
    }
  }
}
