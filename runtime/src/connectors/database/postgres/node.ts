import pg from 'pg';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { endedFailure } from '../ended.ts';
import type { Address } from '../server/address.ts';
import { busyFailure, lateFailure, lateWriteFailure, serverFailure } from '../server/failure.ts';
import { cancelTime } from '../server/liveness.ts';
import type { MigrationConnection } from '../server/migration.ts';
import type { Lease, Limits, NodeOptions, Running, ServerNode } from '../server/node.ts';
import { type Copy, sendCopy } from './copy.ts';
import { postgresErrors } from './errors.ts';
import { migrationOn } from './migration.ts';
import { ConnectionPool, destroy, isInTransaction } from './pool.ts';
import { queryOf } from './query.ts';

/** What is sent over a connection; rows are copied inside transactions alone. */
export type Statement = pg.QueryConfig | Copy;

/** The connections to one server. */
export class PostgresNode implements ServerNode<pg.PoolClient, Statement, pg.QueryResult> {
  private readonly address: Address;
  private readonly connector: string;
  private readonly statementTimeout: number;
  private readonly pool: ConnectionPool;
  /** The check of health has a connection of its own: a pool that is used up does not mean that the server is unavailable. */
  private readonly health: ConnectionPool;

  constructor(options: NodeOptions) {
    this.address = options.address;
    this.connector = options.connector;
    this.statementTimeout = options.statementTimeout;
    this.pool = new ConnectionPool(options);
    this.health = new ConnectionPool({ ...options, max: 1, min: 0 });
  }

  acquire(signal: AbortSignal | undefined): Promise<Lease<pg.PoolClient>> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(endedFailure(signal, 'answered'));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.pool.connect((error, connection, release) => {
        signal?.removeEventListener('abort', abort);
        if (connection === undefined) reject(this.unconnected(error));
        else if (signal?.aborted) release();
        else resolve({ connection, release });
      });
    });
  }

  async migrate(signal: AbortSignal | undefined): Promise<MigrationConnection> {
    return migrationOn(await this.acquire(signal));
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.ask(this.health, { text: 'SELECT 1' }, { signal });
  }

  query(config: pg.QueryConfig, limits: Limits): Promise<pg.QueryResult> {
    return this.ask(this.pool, config, limits);
  }

  private ask(pool: ConnectionPool, config: pg.QueryConfig, limits: Limits): Promise<pg.QueryResult> {
    const { signal, writes = false, changesSession = false } = limits;
    const timeout = limits.timeout ?? this.statementTimeout;
    return new Promise((resolve, reject) => {
      let client: pg.PoolClient | undefined;
      let cancelled: Promise<void> | undefined;
      let isLate = false;
      let isOver = false;
      const finish = () => {
        isOver = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        if (isOver) return;
        finish();
        reject(endedFailure(signal, 'answered'));
        if (client !== undefined) cancelled ??= this.cancel(pool, client);
      };
      const late = () => {
        isLate = true;
        if (client === undefined) {
          finish();
          return reject(busyFailure(this.connector, timeout));
        }
        pool.liveness.suspect();
        cancelled = this.cancel(pool, client);
        // Whether a write was stopped in time is what the answer to the cancellation says.
        if (writes) return;
        finish();
        reject(lateFailure(this.connector, timeout));
        destroy(client);
      };
      const timer = timeout === 0 ? undefined : setTimeout(late, timeout);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      pool.connect((error, connected, release) => {
        if (isOver) return release();
        if (connected === undefined) {
          finish();
          return reject(this.unconnected(error));
        }
        client = connected;
        const answered = (failed: Error | null, result: pg.QueryResult) => {
          const broken = failed !== null && !leavesUsable(failed);
          // A request to stop has no answer, and would hit the statement that is next on the connection when it comes late.
          if (cancelled === undefined || broken) release(broken || changesSession || isInTransaction(connected));
          else cancelled.then(() => release(true));
          if (isOver) return;
          finish();
          if (failed === null) resolve(result);
          else reject(isLate ? lateWriteFailure(failed, this.connector, postgresErrors, timeout) : failed);
        };
        connected.query(queryOf(config, answered));
      });
    });
  }

  on(client: pg.PoolClient, statement: Statement, signal: AbortSignal | undefined): Running<pg.QueryResult> {
    if (signal?.aborted)
      return { result: Promise.reject(endedFailure(signal, 'answered')), idle: Promise.resolve(true) };
    const timeout = this.statementTimeout;
    const query = 'lines' in statement ? sendCopy(client, statement) : client.query(statement);
    const settled = query.then(() => true, leavesUsable);
    let stopped: Promise<void> | undefined;
    const result = new Promise<pg.QueryResult>((resolve, reject) => {
      const stop = (failure: Failure) => {
        reject(failure);
        stopped ??= this.cancel(this.pool, client);
      };
      const abort = () => stop(endedFailure(signal, 'answered'));
      const timer = timeout === 0 ? undefined : setTimeout(() => stop(lateFailure(this.connector, timeout)), timeout);
      signal?.addEventListener('abort', abort, { once: true });
      query.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      });
    });
    const idle = settled.then(async (usable) => {
      await stopped;
      return usable && stopped === undefined;
    });
    return { result, idle };
  }

  async close(cut?: AbortSignal): Promise<void> {
    await Promise.all([this.pool.close(cut), this.health.close(cut)]);
  }

  /** Nothing was sent. */
  private unconnected(error: unknown): Failure {
    return serverFailure(error, this.connector, postgresErrors, { doing: 'connect', address: this.address });
  }

  /** Asks the server to stop what runs on the connection. When it does not answer even then, the connection is destroyed. */
  private async cancel(pool: ConnectionPool, client: pg.PoolClient): Promise<void> {
    const done = () => {
      clearTimeout(giveUp);
      client.off('drain', done).off('end', done);
    };
    const giveUp = setTimeout(() => {
      done();
      pool.liveness.doubt();
      destroy(client);
    }, cancelTime);
    client.once('drain', done).once('end', done);
    await pool.cancel(client);
  }
}

/** Whether the connection can be used after this error of a statement. */
function leavesUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL';
}
