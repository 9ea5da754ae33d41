import type { Storage, TokenAnswer } from '../../../contracts/storage.ts';
import type { Clock } from '../../../observe/clock.ts';
import { bucketOf, take } from '../bucket.ts';
import { globEscape, globMatches } from '../glob.ts';

interface Entry {
  readonly value: string;
  /** In the time that only goes forward (`Clock.elapsed`), so that a clock set back keeps nothing alive; infinite for ever. */
  readonly expires: number;
}

export interface MemoryOptions {
  /** The order in which entries go; the one that is built. */
  readonly eviction: 'lru';
  readonly maxItems: number;
  /** Milliseconds; undefined or 0 is for ever. */
  readonly defaultTtl: number | undefined;
  readonly prefix: string | undefined;
}

/**
 * Entries in order of use: the oldest goes first. One that was stored because there was none says that somebody works on
 * its key: it never goes for others, and counts as one of them once it is exchanged for something else. Everything but a
 * token is answered at once.
 */
export class MemoryStorage implements Storage {
  readonly processLocal = true;
  readonly #options: MemoryOptions;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #entries = new Map<string, Entry>();
  readonly #held = new Map<string, Entry>();
  readonly #arrivals = new Map<string, number>();

  constructor(options: MemoryOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#prefix = options.prefix ? `${options.prefix}:` : '';
  }

  get(key: string): string | undefined {
    const name = this.#prefix + key;
    const entries = this.#held.has(name) ? this.#held : this.#entries;
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    entries.delete(name);
    if (entry.expires <= this.#clock.elapsed()) return undefined;
    entries.set(name, entry);
    return entry.value;
  }

  set(key: string, value: string, ttl: number | undefined): void {
    const name = this.#prefix + key;
    this.#held.delete(name);
    this.#entries.delete(name);
    this.#entries.set(name, this.#entry(value, ttl));
    shrink(this.#entries, this.#options.maxItems);
  }

  delete(keys: readonly string[]): number {
    let deleted = 0;
    for (const key of keys) if (this.#drop(this.#prefix + key)) deleted++;
    return deleted;
  }

  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean {
    if (this.get(key) !== undefined) return false;
    this.#held.set(this.#prefix + key, this.#entry(value, ttl));
    return true;
  }

  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean {
    if (this.get(key) !== expected) return false;
    const name = this.#prefix + key;
    if (value === expected && this.#held.has(name)) this.#held.set(name, this.#entry(value, ttl));
    else this.set(key, value, ttl);
    return true;
  }

  deleteIf(key: string, expected: string): boolean {
    return this.get(key) === expected && this.delete([key]) === 1;
  }

  deleteMatching(pattern: string): number {
    const whole = globEscape(this.#prefix) + pattern;
    let deleted = 0;
    for (const name of [...this.#entries.keys(), ...this.#held.keys()]) {
      if (globMatches(whole, name) && this.#drop(name)) deleted++;
    }
    return deleted;
  }

  size(): number {
    return this.#entries.size + this.#held.size;
  }

  async takeToken(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer> {
    const name = this.#prefix + key;
    const { arrival, answer } = take(bucketOf(ratePerSecond, burst), this.#arrivals.get(name), this.#clock.elapsed());
    this.#arrivals.delete(name);
    this.#arrivals.set(name, arrival);
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
