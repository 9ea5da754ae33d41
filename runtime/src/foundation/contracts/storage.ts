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
  /** For people who look at what is stored. Absent: it cannot be looked at. */
  readonly inspection?: StorageInspection;
}

/** Looks at entries and removes them, in pieces that occupy neither the store nor this process for long. An entry is not used by that. */
export interface StorageInspection {
  /** Entries of a selection in pages. A page may have fewer than `limit` though more follow. */
  list(selection: EntrySelection, page: EntryPage): Promise<ListedEntries>;
  /** One entry; undefined where it is absent. */
  read(key: string, longest: number): Promise<ReadEntry | undefined>;
  /** Deletes entries of a selection until all are deleted, or `signal` fires. `next`: where to continue; undefined: done. */
  sweep(selection: EntrySelection, after: string | undefined, signal: AbortSignal): Promise<Swept>;
}

/** Which entries are meant. Entries that reserve their key, as `setIfAbsent` makes them, are never. */
export interface EntrySelection {
  /** A glob that all of them match; others may match it too. */
  readonly pattern: string;
  readonly isMeant: (key: string) => boolean;
}

export interface EntryPage {
  readonly limit: number;
  /** `next` of the page before; undefined: the first one. */
  readonly after: string | undefined;
  /** Ends the work: it gives what was found in the order of its pages, or rejects. */
  readonly signal: AbortSignal;
}

export interface ListedEntry {
  readonly key: string;
  /** Length of the value: characters in memory, bytes in a server. */
  readonly length: number;
  /** Milliseconds until it ends; infinite: never. */
  readonly left: number;
}

export interface ListedEntries {
  readonly entries: readonly ListedEntry[];
  /** Where the next page begins; undefined: this is the last one. */
  readonly next: string | undefined;
}

export interface ReadEntry extends ListedEntry {
  /** Undefined where it is longer than was asked for. */
  readonly value: string | undefined;
}

export interface Swept {
  readonly deleted: number;
  readonly next: string | undefined;
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
