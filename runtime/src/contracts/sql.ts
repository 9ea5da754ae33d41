import type { CallResult } from './target.ts';

/** Statements over one connection, all or none (document 1, transaction). */
export interface Transactions {
  /** Runs `work`; commits when it resolves, rolls back when it rejects. A lost answer to COMMIT is `outcome_unknown`. */
  run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

/** `known`: the key of what an INSERT makes, where it can be told. */
export type WantedKey = 'known' | 'required' | undefined;

export interface StatementRunner {
  /**
   * One statement with `:name` parameters. Integers come as bigint. An INSERT of which the key is wanted answers `id`: the
   * key of the last row that it made, or null when it made none. One of which it is `required` fails where the key of
   * the table cannot be told.
   */
  execute(query: string, params: Readonly<Record<string, unknown>>, key?: WantedKey): CallResult | Promise<CallResult>;
  /** Stops the timers of those who wait for this transaction to end; the returned function lets them go on (decisions 35). */
  readonly hold?: (() => () => void) | undefined;
}
