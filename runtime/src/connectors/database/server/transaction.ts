import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { WantedKey } from '../../../foundation/contracts/sql.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { endedFailure } from '../ended.ts';
import type { Engine, Execution, OpenTransaction } from '../engine.ts';
import type { Bound } from '../statement/bound.ts';
import { respell, withSpelling } from '../statement/comparisons.ts';
import type { RowRun } from '../statement/insert-form.ts';
import type { TransactionQueries } from '../statement/keys.ts';
import type { StatementKind } from '../statement/kind.ts';
import type { Driver } from './driver.ts';
import { serverFailure } from './failure.ts';
import type { ServerNode } from './node.ts';
import type { Ask } from './tables.ts';

const writes: StatementKind = { reads: false, inserts: true, changesSchema: false, changesSession: false };
const read: StatementKind = { reads: true, inserts: false, changesSchema: false, changesSession: false };

/** One transaction, on the connection that it has alone. */
export class ServerTransaction<Connection, Statement, Result> implements OpenTransaction {
  readonly owner: Engine;
  private readonly connector: string;
  private readonly driver: Driver<Connection, Statement, Result>;
  private readonly queries: TransactionQueries;
  private readonly node: ServerNode<Connection, Statement, Result>;
  private readonly connection: Connection;
  private readonly signal: AbortSignal | undefined;
  /** The last statement, whose connection may still be busy after the signal fired. */
  private last: Promise<boolean> = Promise.resolve(true);
  private isOver = false;
  /** The server has rolled the transaction back without being asked; what came then would be kept alone. */
  private undone: Failure | undefined;
  /** A statement has left something on the connection, which is not used again. */
  changesSession = false;

  constructor(
    owner: Engine,
    driver: Driver<Connection, Statement, Result>,
    queries: TransactionQueries,
    node: ServerNode<Connection, Statement, Result>,
    connection: Connection,
    signal: AbortSignal | undefined,
  ) {
    this.owner = owner;
    this.connector = owner.connector;
    this.driver = driver;
    this.queries = queries;
    this.node = node;
    this.connection = connection;
    this.signal = signal;
  }

  async begin(): Promise<void> {
    try {
      await this.send(this.driver.command(this.driver.begin), undefined);
    } catch (error) {
      throw this.failure(error);
    }
  }

  run(bound: Bound, { kind, exact }: Execution): Promise<CallResult> {
    return this.answer(bound, kind, exact);
  }

  async write(run: RowRun): Promise<number> {
    const { driver } = this;
    let written = 0;
    const ask = (statement: Statement) => this.settled(() => this.send(statement, this.signal));
    for (const { statement, rows } of driver.several(run)) {
      const result = await ask(statement);
      // Engines count a row that an upsert changes differently; each is one that was written.
      const isCounted = run.form.conflict === undefined;
      written += isCounted ? ((await driver.answer(result, writes, false, ask)).affected ?? 0) : rows;
    }
    return written;
  }

  /** A field, since callers take it off its object. */
  readonly execute = async (
    source: string,
    params: Readonly<Record<string, unknown>>,
    key?: WantedKey,
  ): Promise<CallResult> => {
    const { tables, dialect } = this.driver;
    const table = key === undefined ? undefined : this.queries.lacking(source);
    if (table !== undefined) this.queries.learn(table, await tables.key(this.ask, table));
    const { query, answer } = this.queries.take(source, key);
    const lookup = (name: string | number) => (Object.hasOwn(params, name) ? params[name] : undefined);
    const respelled = await respell(query.comparisons, lookup, dialect, (target) => tables.read(this.ask, target));
    return answer(await this.answer(query.bind(withSpelling(lookup, respelled)), query.kind, true));
  };

  /** Only an answer of the server shows how a COMMIT ended. */
  async commit(): Promise<void> {
    if (this.signal?.aborted) throw endedFailure(this.signal, 'answered');
    if (this.undone !== undefined) throw this.undone;
    this.isOver = true;
    let result: Result;
    try {
      result = await this.send(this.driver.command('COMMIT'), undefined);
    } catch (error) {
      if (error instanceof Failure) throw unanswered(error, this.connector);
      throw serverFailure(error, this.connector, this.driver.errors, { doing: 'statement', lost: 'unknown' });
    }
    if (!this.driver.committed(result)) {
      const text = `database "${this.connector}" rolled the transaction back, since one of its statements had failed`;
      throw new Failure('connector_failed', text, { at: { connector: this.connector } });
    }
  }

  /** Resolves when nothing runs on the connection any more, with whether it can be used again. */
  async rollback(): Promise<boolean> {
    this.isOver = true;
    if (!(await this.last)) return false;
    return this.send(this.driver.command('ROLLBACK'), undefined).then(
      () => true,
      () => false,
    );
  }

  private readonly ask: Ask = async (text, values) =>
    (await this.answer({ text, values, stable: false }, read, false)).rows ?? [];

  private async answer(bound: Bound, kind: StatementKind, exact: boolean): Promise<CallResult> {
    const { driver } = this;
    this.changesSession ||= kind.changesSession;
    if (kind.changesSchema && !driver.dialect.runtimeTables.undoesSchema) throw this.notUndone();
    const result = await this.settled(() => this.send(driver.statement(bound, exact), this.signal), bound);
    if (kind.changesSchema) this.queries.forget();
    return driver.answer(result, kind, exact, (asked) => this.settled(() => this.send(asked, this.signal)));
  }

  private async settled(send: () => Promise<Result>, bound?: Bound): Promise<Result> {
    const { driver } = this;
    if (this.isOver) throw new Failure('internal', 'a statement came after its transaction had ended');
    if (this.undone !== undefined) throw this.undone;
    try {
      return await send();
    } catch (error) {
      // The transaction cannot continue; its repetition finds the statement prepared again.
      if (bound !== undefined) driver.prepareAgain(error, bound);
      if (driver.errors.tableChanged(error)) {
        this.queries.forget();
        this.owner.tables.forget();
      }
      const failure = this.failure(error, bound);
      if (driver.errors.undone(error)) this.undone = failure;
      throw failure;
    }
  }

  private send(statement: Statement, signal: AbortSignal | undefined): Promise<Result> {
    const running = this.node.on(this.connection, statement, signal);
    this.last = running.idle;
    return running.result;
  }

  /** Before COMMIT a lost connection means that nothing happened. */
  private failure(error: unknown, bound?: Bound): Failure {
    return serverFailure(error, this.connector, this.driver.errors, { doing: 'statement', bound, lost: 'repeatable' });
  }

  private notUndone(): Failure {
    const text = `database "${this.connector}" ends a transaction with a statement that changes tables, so that it cannot be undone with it; run the statement by itself, or in a migration`;
    return new Failure('connector_failed', text, { retriable: false, at: { connector: this.connector } });
  }
}

/** A COMMIT that was not answered in time may have been done. */
function unanswered(late: Failure, connector: string): Failure {
  const text = `${late.message}; the transaction may or may not have been committed`;
  return new Failure('outcome_unknown', text, { cause: late, at: { connector } });
}
