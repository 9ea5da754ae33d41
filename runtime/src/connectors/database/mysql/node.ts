import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { endedFailure } from '../ended.ts';
import { busyFailure, lateFailure, lateWriteFailure, serverFailure } from '../server/failure.ts';
import { cancelTime } from '../server/liveness.ts';
import type { MigrationConnection } from '../server/migration.ts';
import type { Lease, Limits, NodeOptions, Running, ServerNode } from '../server/node.ts';
import { leavesUsable, mysqlErrors } from './errors.ts';
import type { Link, LinkOptions, Result, Statement } from './link.ts';
import { openMigration } from './migration.ts';
import { ConnectionPool } from './pool.ts';

/** The connections to one server. */
export class MysqlNode implements ServerNode<Link, Statement, Result> {
  private readonly options: NodeOptions & LinkOptions;
  private readonly pool: ConnectionPool;
  /** The check of health has a connection of its own: a pool that is used up does not mean that the server is unavailable. */
  private readonly health: ConnectionPool;

  constructor(options: NodeOptions & LinkOptions) {
    this.options = options;
    this.pool = new ConnectionPool(options);
    this.health = new ConnectionPool({ ...options, max: 1, min: 0 });
  }

  async acquire(signal: AbortSignal | undefined): Promise<Lease<Link>> {
    const connection = await this.take(this.pool, signal);
    return { connection, release: (broken = false) => this.pool.give(connection, broken) };
  }

  async migrate(): Promise<MigrationConnection> {
    try {
      return await openMigration(this.options);
    } catch (error) {
      throw this.unconnected(error);
    }
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.ask(this.health, { text: 'DO 0' }, { signal });
  }

  query(statement: Statement, limits: Limits): Promise<Result> {
    return this.ask(this.pool, statement, limits);
  }

  private ask(pool: ConnectionPool, statement: Statement, limits: Limits): Promise<Result> {
    const timeout = limits.timeout ?? this.options.statementTimeout;
    const link = limits.signal?.aborted ? undefined : pool.takeNow();
    if (link === undefined) return this.askLater(pool, statement, limits, timeout);
    return this.askOn(pool, link, statement, { ...limits, timeout }, timeout);
  }

  /** When a connection is free. */
  private async askLater(pool: ConnectionPool, statement: Statement, limits: Limits, timeout: number): Promise<Result> {
    const began = systemClock.elapsed();
    const link = await this.takeWithin(pool, timeout, limits.signal);
    const left = timeout === 0 ? 0 : Math.max(1, timeout - (systemClock.elapsed() - began));
    return this.askOn(pool, link, statement, { ...limits, timeout }, left);
  }

  private askOn(pool: ConnectionPool, link: Link, statement: Statement, limits: Limits, left: number): Promise<Result> {
    const { result, idle } = this.send(pool, link, statement, { ...limits, alone: true }, left);
    void idle.then((usable) => pool.give(link, !usable || limits.changesSession === true));
    return result;
  }

  on(link: Link, statement: Statement, signal: AbortSignal | undefined): Running<Result> {
    const timeout = this.options.statementTimeout;
    return this.send(this.pool, link, statement, { signal, timeout }, timeout);
  }

  /** `left`: milliseconds of the timeout that the statement still has; 0 for ever. */
  private send(
    pool: ConnectionPool,
    link: Link,
    statement: Statement,
    limits: Limits & { readonly alone?: true },
    left: number,
  ): Running<Result> {
    const { signal, writes = false, timeout = 0, alone = false } = limits;
    if (signal?.aborted)
      return { result: Promise.reject(endedFailure(signal, 'answered')), idle: Promise.resolve(true) };
    const answer = link.send(statement);
    const { promise: idle, resolve: rest } = Promise.withResolvers<boolean>();
    const result = new Promise<Result>((resolve, reject) => {
      let stopped: Promise<void> | undefined;
      let isLate = false;
      const abort = () => {
        reject(endedFailure(signal, 'answered'));
        stopped ??= this.cancel(pool, link, answer);
      };
      const late = () => {
        isLate = true;
        pool.liveness.suspect();
        stopped ??= this.cancel(pool, link, answer);
        // Whether a write was stopped in time is what the answer to the cancellation says.
        if (!writes) reject(lateFailure(this.options.connector, timeout));
      };
      const timer = left === 0 ? undefined : setTimeout(late, left);
      signal?.addEventListener('abort', abort, { once: true });
      const end = (usable: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (stopped === undefined) rest(usable);
        // A request to stop that comes late would hit the statement that is next on the connection.
        else void stopped.then(() => rest(false));
      };
      answer.then(
        (value) => {
          const isLeftOpen = alone && link.mayBeInTransaction;
          end(!isLeftOpen);
          if (isLeftOpen) reject(leftOpen(this.options.connector));
          else resolve(value);
        },
        (error: unknown) => {
          end(leavesUsable(error) && !(alone && link.mayBeInTransaction));
          reject(isLate ? lateWriteFailure(error, this.options.connector, mysqlErrors, timeout) : error);
        },
      );
    });
    return { result, idle };
  }

  async close(cut?: AbortSignal): Promise<void> {
    await Promise.all([this.pool.close(cut), this.health.close(cut)]);
  }

  private async take(pool: ConnectionPool, signal: AbortSignal | undefined): Promise<Link> {
    if (signal?.aborted) throw endedFailure(signal, 'answered');
    try {
      return await pool.take(signal);
    } catch (error) {
      if (signal?.aborted) throw endedFailure(signal, 'answered');
      throw this.unconnected(error);
    }
  }

  /** The same within the time of a statement. */
  private async takeWithin(pool: ConnectionPool, timeout: number, signal: AbortSignal | undefined) {
    if (timeout === 0 || timeout >= this.options.address.connectTimeout) return this.take(pool, signal);
    const limit = AbortSignal.timeout(timeout);
    try {
      return await this.take(pool, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    } catch (error) {
      if (!limit.aborted || signal?.aborted) throw error;
      throw busyFailure(this.options.connector, timeout);
    }
  }

  /** Nothing was sent. */
  private unconnected(error: unknown): Failure {
    const { connector, address } = this.options;
    return serverFailure(error, connector, mysqlErrors, { doing: 'connect', address });
  }

  /** Asks the server to stop what runs on the connection. When it does not answer even then, the connection is destroyed. */
  private async cancel(pool: ConnectionPool, link: Link, answer: Promise<unknown>): Promise<void> {
    const giveUp = setTimeout(() => {
      pool.liveness.doubt();
      link.destroy();
      void pool.cancel(link, 'CONNECTION');
    }, cancelTime);
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    void settled.then(() => clearTimeout(giveUp));
    await pool.cancel(link, 'QUERY');
  }
}

/** What was done without COMMIT is undone with the connection, which no other caller may continue. */
function leftOpen(connector: string): Failure {
  const text = `database "${connector}": a procedure left a transaction open, and what it did is undone: end it with COMMIT or ROLLBACK in the procedure`;
  return new Failure('connector_failed', text, { retriable: false, at: { connector } });
}
