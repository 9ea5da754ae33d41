/** What locks a person out. Times are milliseconds. */
export interface AttemptPolicy {
  readonly max: number;
  readonly window: number;
  readonly lockout: number;
}

/** What a try may do. */
export type Attempt =
  /** It may continue; so many failed before it within the window. It ends with `failed`, `succeeded` or `withdrawn`. */
  | { readonly allowed: true; readonly failures: number }
  /** It may not, for so many milliseconds; `locked` tells a lock from too many tries at the same time. */
  | { readonly allowed: false; readonly locked: boolean; readonly retryAfter: number };

/** Milliseconds after which it may be tried again where too many try at the same time. */
export const retrySoon = 1_000;

/**
 * Counts tries to sign in. A try is counted before its credential is looked at: of many at the same time no more than
 * `max` are looked at. The window begins with the first try; one that never ends, since its process did, counts until the window is
 * over. When a lock ends, nothing is counted of what was before it. Each method is one atomic step and one round trip. Rejects with `store_unavailable`.
 */
export interface AttemptStore {
  attempt(key: string, policy: AttemptPolicy): Promise<Attempt>;
  /** A credential was wrong: locks when it was the last of `max`; whether it did now. */
  failed(key: string, policy: AttemptPolicy): Promise<boolean>;
  /** A credential was right: nothing is counted any longer, and a lock is over. */
  succeeded(key: string): Promise<void>;
  /** Nothing was looked at, since something was unavailable: the try does not count. */
  withdrawn(key: string): Promise<void>;
}
