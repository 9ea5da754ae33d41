import { DatabaseError, type QueryConfig, type QueryResult } from 'pg';
import type { StatementRunner, Transactions, WantedKey } from '../../../contracts/sql.ts';
import type { CallResult } from '../../../contracts/target.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Engine, OpenTransaction } from '../engine.ts';
import { checkSpelling } from '../statement/comparisons.ts';
import type { Bound } from '../statement/dialect.ts';
import { TransactionQueries } from '../statement/keys.ts';
import type { StatementKind } from '../statement/kind.ts';
import { answerOf, isStale } from './answer.ts';
import { postgresDialect } from './dialect.ts';
import { postgresFailure } from './errors.ts';
import type { StatementNames } from './names.ts';
import { abortFailure, type PostgresNode } from './node.ts';
import { type Ask, readKey, readTable } from './tables.ts';
import type { ValueTypes } from './types.ts';

/** Transactions on one connection each. */
export class PostgresTransactions implements Transactions {
  private readonly owner: Engine;
  private readonly connector: string;
  private readonly primary: () => PostgresNode;
  private readonly names: StatementNames;
  private readonly types: ValueTypes;
  private readonly queries: TransactionQueries;

  constructor(owner: Engine, primary: () => PostgresNode, names: StatementNames, types: ValueTypes) {
    this.owner = owner;
    this.connector = owner.connector;
    this.primary = primary;
    this.names = names;
    this.types = types;
    this.queries = new TransactionQueries(owner.connector, postgresDialect);
  }

  /** Tables may have changed. */
  forgetTables(): void {
    this.queries.forget();
  }

  async run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const node = this.primary();
    const { client, release } = await node.acquire(signal);
    let usable = true;
    /** The last statement, whose connection may still be busy after the signal fired. */
    let last: Promise<boolean> = Promise.resolve(true);
    const send = async (config: QueryConfig, cancellable: AbortSignal | undefined): Promise<QueryResult> => {
      const running = node.on(client, config, cancellable);
      last = running.idle;
      return running.result;
    };
    let ended = false;
    const runner: OpenTransaction = {
      owner: this.owner,
      run: async (bound, { kind, exact }) => {
        if (ended) throw new Failure('internal', 'a statement came after its transaction had ended');
        return this.answer(bound, kind, exact, (config) => send(config, signal));
      },
      execute: async (source, params, key) => {
        if (ended) throw new Failure('internal', 'a statement came after its transaction had ended');
        return this.execute(source, params, key, (config) => send(config, signal));
      },
    };
    try {
      await this.translate(send({ text: 'BEGIN' }, undefined));
      const result = await work(runner);
      if (signal?.aborted) throw abortFailure(signal);
      ended = true;
      await this.commit(send({ text: 'COMMIT' }, undefined));
      return result;
    } catch (error) {
      ended = true;
      usable = await last;
      if (usable)
        usable = await send({ text: 'ROLLBACK' }, undefined).then(
          () => true,
          () => false,
        );
      throw error;
    } finally {
      release(!usable);
    }
  }

  private async execute(
    source: string,
    params: Readonly<Record<string, unknown>>,
    key: WantedKey,
    send: (config: QueryConfig) => Promise<QueryResult>,
  ): Promise<CallResult> {
    const ask: Ask = async (text, values) => (await this.translate(send({ text, values: [...values] }))).rows;
    const table = key === undefined ? undefined : this.queries.lacking(source);
    if (table !== undefined) this.queries.learn(table, await readKey(ask, table));
    const { query, answer } = this.queries.take(source, key);
    const lookup = (name: string | number) => (Object.hasOwn(params, name) ? params[name] : undefined);
    const checking = checkSpelling(query.comparisons, lookup, postgresDialect, (target) => readTable(ask, target));
    if (checking !== undefined) await checking;
    const bound = query.bind(lookup);
    return answer(await this.answer(bound, query.kind, true, send));
  }

  private async answer(
    bound: Bound,
    kind: StatementKind,
    exact: boolean,
    send: (config: QueryConfig) => Promise<QueryResult>,
  ): Promise<CallResult> {
    const name = bound.stable ? this.names.nameOf(bound.text) : undefined;
    const types = exact ? this.types.exact : this.types.plain;
    const config = { name, text: bound.text, values: bound.values as unknown[], types };
    try {
      const result = answerOf(await send(config), kind);
      if (kind.changesSchema) this.queries.forget();
      return result;
    } catch (error) {
      // The transaction cannot go on; its repetition finds the statement prepared anew.
      if (isStale(error)) this.names.renew(bound.text);
      // A table is not what it was.
      if (error instanceof DatabaseError && error.code?.startsWith('42')) this.queries.forget();
      throw this.failure(error, bound);
    }
  }

  /** Only an answer of the server tells how a COMMIT ended. */
  private async commit(answer: Promise<QueryResult>): Promise<void> {
    let command: string;
    try {
      command = (await answer).command;
    } catch (error) {
      if (error instanceof Failure) throw unanswered(error, this.connector);
      throw postgresFailure(error, this.connector, { doing: 'statement', lost: 'unknown' });
    }
    if (command === 'ROLLBACK') {
      const text = `database "${this.connector}" rolled the transaction back, since one of its statements had failed`;
      throw new Failure('connector_failed', text, { at: { connector: this.connector } });
    }
  }

  private async translate<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      throw this.failure(error, undefined);
    }
  }

  /** Before COMMIT a lost connection means that nothing happened. */
  private failure(error: unknown, bound: Bound | undefined): Failure {
    return postgresFailure(error, this.connector, { doing: 'statement', bound, lost: 'repeatable' });
  }
}

/** A COMMIT that was not answered in time may have been done. */
function unanswered(late: Failure, connector: string): Failure {
  const text = `${late.message}; the transaction may or may not have been committed`;
  return new Failure('outcome_unknown', text, { cause: late, at: { connector } });
}
