/** What one flow keeps in a cache. */
export interface FlowCache {
  readonly flow: string;
  /** The aspect that keeps it; empty where the flow itself does. */
  readonly aspect: string;
  /** The key as it is written; null where flow, input and caller are the key. */
  readonly key: string | null;
  /** How long an answer is kept; null: for ever. */
  readonly ttlMs: number | null;
  /** Why its keys cannot be listed or dropped; null where they can be. */
  readonly obstacle: string | null;
}

/** A cache in which flows keep answers. */
export interface CacheEntry {
  readonly connector: string;
  readonly driver: string;
  /** One store for every process; otherwise each process has its own entries. */
  readonly isShared: boolean;
  /** Entries of whatever kind; null where that is not known without work. */
  readonly entries: number | null;
  readonly hits: number;
  readonly misses: number;
  readonly unreadable: number;
  readonly flows: readonly FlowCache[];
}

/** An answer that is kept, in a list. */
export interface KeptKey {
  /** As `inspect.cacheEntry` takes it; null where something in it is not shown, or where it is too long. */
  readonly key: string | null;
  /** The key with what is not shown masked, and cut where it is long. */
  readonly shown: string;
  /** Bytes of its text, in the memory of a process characters. */
  readonly size: number;
  /** Milliseconds until it ends; null: never. */
  readonly leftMs: number | null;
  /** Milliseconds since it was kept; null where that is not known. */
  readonly ageMs: number | null;
}

export interface KeptKeys {
  readonly isShared: boolean;
  readonly keys: readonly KeptKey[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: string | null;
  /** There are more, though no page begins there: the key that it would begin with is not shown. */
  readonly more: boolean;
}

/** One answer that is kept. */
export interface KeptEntry extends Pick<KeptKey, 'size' | 'leftMs' | 'ageMs'> {
  readonly found: boolean;
  readonly value: unknown;
  /** The status that is answered with it; null: the usual one. */
  readonly status: number | null;
  /** Why the value is not there although the entry is; null where it is there. */
  readonly problem: string | null;
}

/** What a flow has done since the start of the service. */
export interface FlowCounts {
  readonly flow: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** Messages that are in it now, of those that began while a client was attached. */
  readonly inFlight: number;
  /** Seconds that all of its messages have taken. */
  readonly seconds: number;
  /** How many messages took how long: by the bounds of the answer, the last without one. */
  readonly durations: readonly number[];
}

export interface MetricsEntry {
  /** Upper bounds of `durations`, in seconds. */
  readonly bounds: readonly number[];
  readonly flows: readonly FlowCounts[];
  /** What became of the messages of each event source. */
  readonly sources: readonly {
    readonly connector: string;
    /** The flows that take its messages. */
    readonly flows: readonly string[];
    readonly retried: number;
    readonly rejected: number;
    readonly dropped: number;
  }[];
  readonly process: {
    readonly processes: number;
    readonly uptimeSeconds: number;
    readonly memoryBytes: number;
    readonly heapBytes: number;
    readonly cpuSeconds: number;
    readonly lagSeconds: number;
    readonly requestsInFlight: number;
    readonly tasks: number;
  };
}
