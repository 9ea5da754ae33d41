/** A cache: texts by key. Memory answers at once, others with promises. Rejects with `store_unavailable` when away. */
export interface Storage {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** `ttl` in milliseconds; undefined uses the connector's default, which may be for ever. */
  set(key: string, value: string, ttl: number | undefined): void | Promise<void>;
  delete(keys: readonly string[]): number | Promise<number>;
  /**
   * Stores an entry only where there is none; whether it did. One atomic operation, as are the two below. Until it is
   * exchanged for something else, no other entry takes its room.
   */
  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Exchanges an entry that holds exactly `expected`; false when it holds something else or is gone. */
  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Deletes an entry that holds exactly `expected`; whether it did. */
  deleteIf(key: string, expected: string): boolean | Promise<boolean>;
  /** Deletes every key that matches a glob with `*` and `?`; `\` takes the next character literally. */
  deleteMatching(pattern: string): number | Promise<number>;
  /** Entries held, when the store can tell without work. */
  size?(): number | undefined;
  /** Takes one token from a bucket shared by all processes that use this store; undefined when it cannot. */
  takeToken?(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer>;
  /** Whether the content is lost with this process. */
  readonly processLocal: boolean;
}

export interface TokenAnswer {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the next token. */
  readonly retryAfter: number;
}
