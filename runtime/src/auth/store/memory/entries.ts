import { Failure } from '../../../errors/failure.ts';

interface Entry<T> {
  value: T;
  /** When it ends, by the monotonic clock. */
  ends: number;
}

/** How many of the entries are evicted at once, and how many are looked at to choose them. */
const evictedPart = 0.02;
const looked = 1_024;
/** Milliseconds between two sweeps of what is full and evicts nothing. */
const sweepAgain = 1_000;

export interface EntriesOptions {
  /** What they are, for the message when no more fit. */
  readonly what: string;
  readonly most: number;
  /**
   * What is done when there are too many: those that end first are removed, or the new one is refused with
   * `store_unavailable`, where a removed one would let a client do what it must not.
   */
  readonly whenFull: 'evict' | 'refuse';
  /** Called for each that has ended or was evicted. */
  readonly removed?: (key: string) => void;
}

/** A bounded number of entries that end, whether or not they have been removed. Times are milliseconds. */
export class Entries<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: EntriesOptions;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: EntriesOptions) {
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
    if (whenFull === 'evict') return this.#evict();
    throw new Failure('store_unavailable', `the memory of the sign-in system holds ${most} ${what}, and no more fit`);
  }

  /** Many at once, so that each costs little: the ends of some say which are among the first. */
  #evict(): void {
    const size = this.#entries.size;
    const step = Math.max(1, Math.floor(size / looked));
    const ends: number[] = [];
    let index = 0;
    for (const entry of this.#entries.values()) if (index++ % step === 0) ends.push(entry.ends);
    ends.sort((a, b) => a - b);
    const last = ends[Math.floor(ends.length * evictedPart)] as number;
    let left = Math.max(1, Math.floor(size * evictedPart));
    for (const [key, entry] of this.#entries) {
      if (entry.ends > last) continue;
      this.#remove(key);
      left -= 1;
      if (left === 0) return;
    }
  }

  #remove(key: string): void {
    this.#entries.delete(key);
    this.#options.removed?.(key);
  }
}
