import { Failure } from '../../../../foundation/errors/failure.ts';

interface Entry<T> {
  value: T;
  /** When it ends, by the monotonic clock. */
  ends: number;
}

/** How many of the entries are evicted at once, and how many are looked at to choose them. */
const evictedPart = 0.02;
const looked = 1_024;
/** More milliseconds than lie between now and any end. */
const longestLife = 1e13;
/** Milliseconds between two sweeps of what is full and evicts nothing. */
const sweepAgain = 1_000;

export interface EntriesOptions<T> {
  /** What they are, for the message when no more fit. */
  readonly what: string;
  readonly most: number;
  /**
   * What is done when there are too many: those that end first are removed, or the new one is refused with
   * `store_unavailable`, where a removed one would let a client do what it must not.
   */
  readonly whenFull: 'evict' | 'refuse';
  /**
   * Of those that are removed: entries with a lower one go first, whenever they end, and those with Infinity stay. Default:
   * all are worth the same.
   */
  readonly worth?: (value: T) => number;
  /** Called for each that has ended or was evicted. */
  readonly removed?: (key: string) => void;
}

/** A bounded number of entries that end, whether or not they have been removed. Times are milliseconds. */
export class Entries<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: EntriesOptions<T>;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: EntriesOptions<T>) {
    this.#options = options;
  }

  /** Entries held in memory. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.ends > now ? entry.value : undefined;
  }

  set(key: string, value: T, ends: number, now: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.value = value;
      entry.ends = ends;
      return;
    }
    if (this.#entries.size >= this.#options.most) this.#makeRoom(now);
    this.#entries.set(key, { value, ends });
  }

  /** Sets when an entry ends that is there. */
  extend(key: string, ends: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.ends = ends;
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Removes what has ended. */
  sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, { ends }] of this.#entries) if (ends <= now) this.#remove(key);
  }

  #makeRoom(now: number): void {
    const { what, most, whenFull } = this.#options;
    if (whenFull === 'evict' || now - this.#sweptAt >= sweepAgain) this.sweep(now);
    if (this.#entries.size < most) return;
    if (whenFull === 'evict' && this.#evict()) return;
    throw new Failure('store_unavailable', `the memory of the sign-in system holds ${most} ${what}, and no more fit`);
  }

  /** Many at once, so that each costs little: some of them say which are among the first. Whether any could be removed. */
  #evict(): boolean {
    const size = this.#entries.size;
    const step = Math.max(1, Math.floor(size / looked));
    const sample: number[] = [];
    let index = 0;
    for (const entry of this.#entries.values()) if (index++ % step === 0) sample.push(this.#rank(entry));
    sample.sort((a, b) => a - b);
    const last = sample[Math.floor(sample.length * evictedPart)] as number;
    let left = Math.max(1, Math.floor(size * evictedPart));
    for (const [key, entry] of this.#entries) {
      const rank = this.#rank(entry);
      if (rank > last || rank === Number.POSITIVE_INFINITY) continue;
      this.#remove(key);
      left -= 1;
      if (left === 0) break;
    }
    return this.#entries.size < size;
  }

  #rank({ value, ends }: Entry<T>): number {
    return (this.#options.worth?.(value) ?? 0) * longestLife + ends;
  }

  #remove(key: string): void {
    this.#entries.delete(key);
    this.#options.removed?.(key);
  }
}
