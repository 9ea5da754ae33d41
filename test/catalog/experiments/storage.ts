import type { Counted, Storage, TokenAnswer } from '../../../runtime/src/foundation/contracts/storage.ts';

/** A cache that keeps entries for ever and records what it is asked to write and to drop. */
export class RecordingStorage implements Storage {
  readonly processLocal = true;
  readonly #entries = new Map<string, string>();
  readonly #connector: string;
  readonly #record: unknown[];

  constructor(connector: string, record: unknown[]) {
    this.#connector = connector;
    this.#record = record;
  }

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: string, ttl: number | undefined): void {
    this.#note('set', key, value, ttl);
    this.#entries.set(key, value);
  }

  delete(keys: readonly string[]): number {
    this.#note('delete', keys);
    return keys.filter((key) => this.#entries.delete(key)).length;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  remaining(key: string): number | undefined {
    return this.#entries.has(key) ? Number.POSITIVE_INFINITY : undefined;
  }

  add(key: string, by: bigint, ttl: number | undefined): Counted {
    this.#note('add', key, by, ttl);
    const value = BigInt(this.#entries.get(key) ?? 0) + by;
    this.#entries.set(key, String(value));
    return { value, allowed: true };
  }

  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean {
    if (this.#entries.has(key)) return false;
    this.#note('set if absent', key, value, ttl);
    this.#entries.set(key, value);
    return true;
  }

  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean {
    if (this.#entries.get(key) !== expected) return false;
    this.#note('replace', key, value, ttl);
    this.#entries.set(key, value);
    return true;
  }

  deleteIf(key: string, expected: string): boolean {
    return this.#entries.get(key) === expected && this.#entries.delete(key);
  }

  deleteMatching(pattern: string): number {
    this.#note('delete matching', pattern);
    return 0;
  }

  async takeToken(key: string, ...limit: readonly number[]): Promise<TokenAnswer> {
    this.#note('take a token', key, limit);
    return { allowed: true, remaining: 1, retryAfter: 0 };
  }

  #note(...what: readonly unknown[]): void {
    this.#record.push([this.#connector, ...what]);
  }
}
