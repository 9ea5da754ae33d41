import type { Counted, Storage, StorageInspection, TokenAnswer } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { bucketOf, take } from '../bucket.ts';
import { sum } from '../counter.ts';
import { globMatches } from '../glob.ts';
import { type Entry, inspectionOf } from './inspection.ts';

export interface MemoryOptions {
  /** The eviction order; the only one that is implemented. */
  readonly eviction: 'lru';
  readonly maxItems: number;
  /** Milliseconds; undefined or 0 means no expiry. */
  readonly defaultTtl: number | undefined;
}

/**
 * Entries in order of use: the least recently used one is evicted first. An entry that was stored by `setIfAbsent`
 * reserves its key: it is never evicted, and becomes an ordinary entry when it is replaced. Everything but a token is
 * answered at once.
 */
export class MemoryStorage implements Storage {
  readonly processLocal = true;
  readonly #options: MemoryOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #held = new Map<string, Entry>();
  readonly #arrivals = new Map<string, number>();

  constructor(options: MemoryOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  get inspection(): StorageInspection {
    return inspectionOf(this.#entries, this.#clock);
  }

  get(key: string): string | undefined {
    const entries = this.#held.has(key) ? this.#held : this.#entries;
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (entry.expires <= this.#clock.elapsed()) return undefined;
    entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: string, ttl: number | undefined): void {
    this.#held.delete(key);
    this.#entries.delete(key);
    this.#entries.set(key, this.#entry(value, ttl));
    shrink(this.#entries, this.#options.maxItems);
  }

  delete(keys: readonly string[]): number {
    let deleted = 0;
    for (const key of keys) if (this.#drop(key)) deleted++;
    return deleted;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  remaining(key: string): number | undefined {
    const entry = this.#entries.get(key) ?? this.#held.get(key);
    const left = entry === undefined ? 0 : entry.expires - this.#clock.elapsed();
    return left > 0 ? left : undefined;
  }

  add(key: string, by: bigint, ttl: number | undefined, limit?: bigint): Counted {
    const held = this.get(key);
    const value = sum(held, by);
    if (limit !== undefined && value > limit) return { value: value - by, allowed: false };
    const expires = held === undefined ? undefined : this.#entries.get(key)?.expires;
    this.set(key, String(value), ttl);
    if (expires !== undefined) this.#entries.set(key, { value: String(value), expires });
    return { value, allowed: true };
  }

  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean {
    if (this.get(key) !== undefined) return false;
    this.#held.set(key, this.#entry(value, ttl));
    return true;
  }

  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean {
    if (this.get(key) !== expected) return false;

    if (value === expected && this.#held.has(key)) this.#held.set(key, this.#entry(value, ttl));
    else this.set(key, value, ttl);
    return true;
  }

  deleteIf(key: string, expected: string): boolean {
    return this.get(key) === expected && this.delete([key]) === 1;
  }

  deleteMatching(pattern: string): number {
    let deleted = 0;
    for (const name of [...this.#entries.keys(), ...this.#held.keys()]) {
      if (globMatches(pattern, name) && this.#drop(name)) deleted++;
    }
    return deleted;
  }

  size(): number {
    return this.#entries.size + this.#held.size;
  }

  async takeToken(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer> {
    const { arrival, answer } = take(bucketOf(ratePerSecond, burst), this.#arrivals.get(key), this.#clock.elapsed());
    this.#arrivals.delete(key);
    this.#arrivals.set(key, arrival);
    shrink(this.#arrivals, this.#options.maxItems);
    return answer;
  }

  /** Frees what has expired and the buckets that are full again. */
  sweep(): void {
    const elapsed = this.#clock.elapsed();
    for (const entries of [this.#entries, this.#held])
      for (const [name, { expires }] of entries) if (expires <= elapsed) entries.delete(name);
    for (const [name, arrival] of this.#arrivals) if (arrival <= elapsed) this.#arrivals.delete(name);
  }

  clear(): void {
    this.#entries.clear();
    this.#held.clear();
    this.#arrivals.clear();
  }

  #entry(value: string, ttl: number | undefined): Entry {
    const lifetime = ttl || this.#options.defaultTtl || Number.POSITIVE_INFINITY;
    return { value, expires: this.#clock.elapsed() + lifetime };
  }

  #drop(name: string): boolean {
    return this.#entries.delete(name) || this.#held.delete(name);
  }
}

function shrink(entries: Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
