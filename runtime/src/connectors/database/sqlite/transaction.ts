import type { DatabaseSync } from 'node:sqlite';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { WantedKey } from '../../../foundation/contracts/sql.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { endedFailure } from '../ended.ts';
import type { Engine, Execution, OpenTransaction } from '../engine.ts';
import type { Bound } from '../statement/bound.ts';
import { type Respelled, respell, withSpelling } from '../statement/comparisons.ts';
import { type RowRun, severalRows } from '../statement/insert-form.ts';
import type { TransactionQueries } from '../statement/keys.ts';
import type { Table, Tables } from '../statement/table.ts';
import { sqliteDialect } from './dialect.ts';
import { sqliteFailure } from './errors.ts';
import { readKey } from './tables.ts';

/** Milliseconds that rows are written without a pause. */
const longestTurn = 5;
/** Rows of one statement: with fifty, a row costs little more than half of what it costs alone. */
const mostRows = 50;

/** What a transaction uses of its connector, whose connection it has alone. */
export interface TransactionOptions {
  readonly owner: Engine & { readonly tables: Tables<Table | undefined> };
  readonly database: DatabaseSync;
  readonly queries: TransactionQueries;
  readonly execute: (bound: Bound, execution: Execution) => CallResult;
  /** Runs a statement that writes many rows; answers how many it changed. */
  readonly executeMany: (text: string, values: readonly unknown[]) => number;
  /** Stops the timers of those that wait; the returned function resumes them. */
  readonly hold: () => () => void;
  readonly signal: AbortSignal | undefined;
}

/** The statements of one transaction. */
export class SqliteTransaction implements OpenTransaction {
  readonly owner: Engine;
  readonly hold: () => () => void;
  private readonly options: TransactionOptions;
  private isOver = false;

  constructor(options: TransactionOptions) {
    this.options = options;
    this.owner = options.owner;
    this.hold = options.hold;
  }

  run(bound: Bound, execution: Execution): CallResult {
    this.proceed();
    return this.options.execute(bound, execution);
  }

  /** Other work of the process has its turn in between. */
  async write(run: RowRun): Promise<number> {
    const most = Math.max(1, Math.min(mostRows, Math.floor(sqliteDialect.maxParameters / run.form.columns.length)));
    const limits = { most, bytes: Number.POSITIVE_INFINITY };
    let written = 0;
    let since = systemClock.reading();
    for (const { text, values } of severalRows(run, limits)) {
      this.proceed();
      const began = systemClock.reading();
      written += this.options.executeMany(text, values);
      // A trigger may take any time.
      if (systemClock.since(began) > longestTurn) limits.most = Math.max(1, Math.floor(limits.most / 2));
      if (systemClock.since(since) <= longestTurn) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = systemClock.reading();
    }
    return run.form.conflict === undefined ? written : run.rows;
  }

  /** A field, since callers take it off its object. */
  readonly execute = (source: string, params: Readonly<Record<string, unknown>>, key?: WantedKey): CallResult => {
    this.proceed();
    const { owner, database, queries, execute } = this.options;
    const table = key === undefined ? undefined : queries.lacking(source);
    if (table !== undefined) {
      try {
        queries.learn(table, readKey(database, table));
      } catch (error) {
        throw sqliteFailure(error, owner.connector);
      }
    }
    const { query, answer } = queries.take(source, key);
    const lookup = (name: string | number) => (Object.hasOwn(params, name) ? params[name] : undefined);
    const tableOf = (target: string) => owner.tables.peek(target) ?? owner.tables.read(target);
    // No promise: tables of SQLite are read at once.
    const respelled = respell(query.comparisons, lookup, sqliteDialect, tableOf) as Respelled;
    const bound = query.bind(withSpelling(lookup, respelled));
    return answer(execute(bound, { kind: query.kind, exact: true, timeout: undefined }));
  };

  /** No statement may follow. */
  end(): void {
    this.isOver = true;
  }

  /** Throws when the caller is gone or the transaction has ended. */
  private proceed(): void {
    const { signal } = this.options;
    if (signal?.aborted) throw endedFailure(signal, 'asked');
    if (this.isOver) throw new Failure('internal', 'a statement came after its transaction had ended');
  }
}
