import pg from 'pg';
import { Failure } from '../../../errors/failure.ts';
import type { Address } from './address.ts';
import { sendCancel } from './cancel.ts';
import { postgresFailure } from './errors.ts';
import { ConnectionPool, destroy, type PoolOptions, type Release } from './pool.ts';

export interface NodeOptions extends PoolOptions {
  /** Longest time of a statement that says nothing else; milliseconds, 0 for ever. */
  readonly statementTimeout: number;
}

/** How long one statement may take, and for whom. */
export interface Limits {
  /** Milliseconds; the time of the connector when absent. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** It changes something, so that how it ended must be known, as far as it can be. */
  readonly writes?: boolean | undefined;
}

/** Longest wait for the answer to a cancelled statement before its connection is destroyed; milliseconds. */
const cancelTime = 2000;

/** The connections to one server. */
export class PostgresNode {
  readonly address: Address;
  private readonly connector: string;
  private readonly statementTimeout: number;
  private readonly pool: ConnectionPool;
  /** The check of health has a connection of its own: a pool that is used up is no server that is away. */
  private readonly health: ConnectionPool;

  constructor(options: NodeOptions) {
    this.address = options.address;
    this.connector = options.connector;
    this.statementTimeout = options.statementTimeout;
    this.pool = new ConnectionPool(options);
    this.health = new ConnectionPool({ ...options, max: 1, min: 0 });
  }

  /** A connection of its own for the caller, who releases it. Rejects with a Failure after `connect_timeout`. */
  acquire(signal: AbortSignal | undefined): Promise<{ readonly client: pg.PoolClient; readonly release: Release }> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(abortFailure(signal));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.pool.connect((error, client, release) => {
        signal?.removeEventListener('abort', abort);
        if (client === undefined) reject(this.unconnected(error));
        else if (signal?.aborted) release();
        else resolve({ client, release });
      });
    });
  }

  /** Resolves when the server answers. */
  async check(signal: AbortSignal): Promise<void> {
    await this.ask(this.health, { text: 'SELECT 1' }, { signal });
  }

  /**
   * Runs one statement on any connection. Rejects with a Failure when there is no connection, the time is over or the
   * signal fires, else with what pg says.
   */
  query(config: pg.QueryConfig, limits: Limits): Promise<pg.QueryResult> {
    return this.ask(this.pool, config, limits);
  }

  private ask(pool: ConnectionPool, config: pg.QueryConfig, limits: Limits): Promise<pg.QueryResult> {
    const { signal, writes = false } = limits;
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
        reject(abortFailure(signal));
        if (client !== undefined) cancelled ??= this.cancel(pool, client);
      };
      const late = () => {
        isLate = true;
        if (client === undefined) {
          finish();
          return reject(this.busy(timeout));
        }
        pool.suspect();
        cancelled = this.cancel(pool, client);
        // Whether a write was stopped in time is what the answer to the cancellation says.
        if (writes) return;
        finish();
        reject(this.late(timeout));
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
        connected.query(config, (failed: Error | null, result) => {
          const broken = failed !== null && !leavesUsable(failed);
          // The request to stop must not hit the statement that is next on the connection.
          if (cancelled === undefined || broken) release(broken);
          else cancelled.then(() => release(broken));
          if (isOver) return;
          finish();
          if (failed === null) resolve(result);
          else reject(isLate ? this.lateWrite(failed, timeout) : failed);
        });
      });
    });
  }

  /**
   * Runs one statement on a connection. `result` rejects at once when the signal fires or the time is over, and the
   * server is asked to stop; `idle` resolves when the connection can be used again, with false when it cannot.
   */
  on(
    client: pg.PoolClient,
    config: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): { readonly result: Promise<pg.QueryResult>; readonly idle: Promise<boolean> } {
    if (signal?.aborted) return { result: Promise.reject(abortFailure(signal)), idle: Promise.resolve(true) };
    const timeout = this.statementTimeout;
    const query = client.query(config);
    const settled = query.then(() => true, leavesUsable);
    let stopped: Promise<void> | undefined;
    const result = new Promise<pg.QueryResult>((resolve, reject) => {
      const stop = (failure: Failure) => {
        reject(failure);
        stopped ??= this.cancel(this.pool, client);
      };
      const abort = () => stop(abortFailure(signal));
      const timer = timeout === 0 ? undefined : setTimeout(() => stop(this.late(timeout)), timeout);
      signal?.addEventListener('abort', abort, { once: true });
      query.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      });
    });
    const idle = settled.then(async (usable) => {
      await stopped;
      return usable;
    });
    return { result, idle };
  }

  /** Ends when every connection that is in use was released. */
  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.health.close()]);
  }

  /** Nothing was sent. */
  private unconnected(error: unknown): Failure {
    return postgresFailure(error, this.connector, { doing: 'connect', address: this.address });
  }

  private busy(timeout: number): Failure {
    const text = `database "${this.connector}" had no free connection within ${timeout} ms; raise \`pool.max\`, or look for statements that take long`;
    return new Failure('connector_busy', text, { at: { connector: this.connector } });
  }

  private late(timeout: number): Failure {
    return new Failure('connector_timeout', `database "${this.connector}" did not answer within ${timeout} ms`);
  }

  /** Only the server can say that the write was stopped before it was done. */
  private lateWrite(answer: Error, timeout: number): Failure {
    if (answer instanceof pg.DatabaseError && answer.code === queryCanceled) return this.late(timeout);
    const text = `${this.late(timeout).message}; the write may or may not have happened`;
    return new Failure('outcome_unknown', text, { cause: answer });
  }

  /** Asks the server to stop what runs on the connection. When it does not answer even then, the connection is destroyed. */
  private async cancel(pool: ConnectionPool, client: pg.PoolClient): Promise<void> {
    const done = () => {
      clearTimeout(giveUp);
      client.off('drain', done).off('end', done);
    };
    const giveUp = setTimeout(() => {
      done();
      pool.doubt();
      destroy(client);
    }, cancelTime);
    client.once('drain', done).once('end', done);
    const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null };
    if (processID === null || secretKey === null) return;
    await sendCancel(this.address.host, this.address.port, processID, secretKey, cancelTime);
  }
}

const queryCanceled = '57014';

/** Whether the connection can be used after this error of a statement. */
function leavesUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL';
}

export function abortFailure(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return new Failure(timedOut ? 'connector_timeout' : 'cancelled', 'the request ended before the database answered', {
    cause: reason,
  });
}
