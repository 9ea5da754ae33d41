/** A cache: texts by key. Memory answers at once, others with promises. Rejects with `store_unavailable` when unavailable. */
export interface Storage {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** `ttl` in milliseconds; undefined uses the connector's default, which may be for ever. */
  set(key: string, value: string, ttl: number | undefined): void | Promise<void>;
  delete(keys: readonly string[]): number | Promise<number>;
  /** Whether there is an entry. */
  has(key: string): boolean | Promise<boolean>;
  /** Milliseconds until an entry ends: infinite where it never does, undefined where it is absent. */
  remaining(key: string): number | undefined | Promise<number | undefined>;
  /**
   * Adds to an entry that is a whole number of 64 bits, or begins one with 0 that is kept for `ttl`; an entry that is
   * there keeps its time. What would exceed `limit` is not added. One atomic operation. Rejects where the entry is
   * something else, or would be out of range.
   */
  add(key: string, by: bigint, ttl: number | undefined, limit?: bigint): Counted | Promise<Counted>;
  /**
   * Stores an entry only where no entry is; whether it did. One atomic operation, as are the two below. Until it is
   * exchanged for something else, no other entry evicts it.
   */
  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Exchanges an entry that holds exactly `expected`; false when it holds something else or is gone. */
  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Deletes an entry that holds exactly `expected`; whether it did. */
  deleteIf(key: string, expected: string): boolean | Promise<boolean>;
  /** Deletes every key that matches a glob with `*` and `?`; `\` takes the next character literally. */
  deleteMatching(pattern: string): number | Promise<number>;
  /** Entries held, when the store knows it without work. */
  size?(): number | undefined;
  /** Takes one token from a bucket shared by all processes that use this store; undefined when it cannot. */
  takeToken?(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer>;
  /** Whether the content is lost with this process. */
  readonly processLocal: boolean;
}

export interface Counted {
  /** What the entry holds now. */
  readonly value: bigint;
  /** False when it was not added, since the limit would be exceeded. */
  readonly allowed: boolean;
}

export interface TokenAnswer {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the next token. */
  readonly retryAfter: number;
}
