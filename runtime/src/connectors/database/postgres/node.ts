import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { Failure } from '../../../errors/failure.ts';
import type { Log } from '../../../observe/log.ts';
import type { Address } from './address.ts';
import { sendCancel } from './cancel.ts';
import { postgresFailure } from './errors.ts';

export interface NodeOptions {
  readonly connector: string;
  readonly address: Address;
  readonly ssl: false | ConnectionOptions;
  readonly max: number;
  readonly min: number;
  /** Milliseconds; 0 for ever. */
  readonly maxLifetime: number;
  readonly userAgent: string;
  readonly log: Log;
}

/** Values must look the same whatever the server's defaults are: times without a zone are UTC, bytes are hexadecimal. */
const session =
  "SET TIME ZONE 'UTC'; SET datestyle TO ISO, MDY; SET intervalstyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 1";

/** Longest wait for the answer to a cancelled statement before its connection is given up; milliseconds. */
const cancelPatience = 5000;

/** The connections to one server. */
export class PostgresNode {
  readonly address: Address;
  private readonly connector: string;
  private readonly pool: pg.Pool;

  constructor(options: NodeOptions) {
    const { address, connector, log } = options;
    this.address = address;
    this.connector = connector;
    this.pool = new pg.Pool({
      host: address.host,
      port: address.port,
      database: address.database,
      user: address.user,
      // A function, since pg would look for an absent password in the environment and in files.
      password: () => {
        if (address.password === undefined) throw new Error('the server asks for a password and none is written');
        return address.password;
      },
      ssl: options.ssl,
      application_name: options.userAgent.slice(0, 63),
      connectionTimeoutMillis: address.connectTimeout,
      keepAlive: true,
      max: options.max,
      min: Math.min(options.min, options.max),
      maxLifetimeSeconds: Math.ceil(options.maxLifetime / 1000),
      onConnect: async (client) => {
        await client.query(session);
      },
    });
    // A connection that breaks tells its statement; without a listener it would end the process as well.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.pool.on('error', (error) => log.warn('an idle database connection broke', { error: error.message }));
  }

  /** A connection of its own for the caller, who releases it. Rejects with a Failure after `connect_timeout`. */
  async acquire(signal: AbortSignal | undefined): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    try {
      return await unlessAborted(connecting, signal);
    } catch (error) {
      if (signal?.aborted) {
        connecting.then(
          (client) => client.release(),
          () => undefined,
        );
      }
      throw postgresFailure(error, this.connector, { doing: 'connect', address: this.address });
    }
  }

  /**
   * Runs one statement on any connection. Rejects with a Failure when there is no connection, the time is over or the
   * signal fires, else with what pg says. Callbacks throughout: promises
   * are a good part of what a short statement costs.
   */
  query(config: pg.QueryConfig, timeout: number | undefined, signal: AbortSignal | undefined): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      let client: pg.PoolClient | undefined;
      let cancelled: Promise<void> | undefined;
      let over = false;
      const finish = () => {
        over = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const stop = (failure: Failure) => {
        if (over) return;
        finish();
        reject(failure);
        if (client !== undefined) cancelled = this.cancel(client);
      };
      const abort = () => stop(abortFailure(signal));
      const timer = timeout === undefined ? undefined : setTimeout(() => stop(this.late(timeout)), timeout);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.pool.connect((error, connected, release) => {
        if (over) return release();
        if (error !== undefined || connected === undefined) {
          finish();
          return reject(postgresFailure(error, this.connector, { doing: 'connect', address: this.address }));
        }
        client = connected;
        connected.query(config, (failed: Error | null, result) => {
          const broken = failed !== null && !leavesUsable(failed);
          // The request to stop must not hit whoever has the connection next.
          if (cancelled === undefined) release(broken);
          else cancelled.then(() => release(broken));
          if (over) return;
          finish();
          if (failed === null) resolve(result);
          else reject(failed);
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
    timeout: number | undefined,
    signal: AbortSignal | undefined,
  ): { readonly result: Promise<pg.QueryResult>; readonly idle: Promise<boolean> } {
    if (signal?.aborted) return { result: Promise.reject(abortFailure(signal)), idle: Promise.resolve(true) };
    const query = client.query(config);
    const settled = query.then(() => true, leavesUsable);
    if (timeout === undefined && signal === undefined) return { result: query, idle: settled };
    let stopped: Promise<void> | undefined;
    const result = new Promise<pg.QueryResult>((resolve, reject) => {
      const stop = (failure: Failure) => {
        reject(failure);
        stopped = this.cancel(client);
      };
      const abort = () => stop(abortFailure(signal));
      const timer = timeout === undefined ? undefined : setTimeout(() => stop(this.late(timeout)), timeout);
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
    if (!this.pool.ending) await this.pool.end();
  }

  private late(timeout: number): Failure {
    return new Failure('connector_timeout', `database "${this.connector}" did not answer within ${timeout} ms`);
  }

  private async cancel(client: pg.PoolClient): Promise<void> {
    const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null };
    if (processID === null || secretKey === null) return;
    const giveUp = setTimeout(() => {
      // The server does not even stop: the statement fails with its connection.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }, cancelPatience);
    client.once('drain', () => clearTimeout(giveUp));
    client.once('end', () => clearTimeout(giveUp));
    await sendCancel(this.address.host, this.address.port, processID, secretKey);
  }
}

/** Whether the connection can be used after this error of a statement. */
function leavesUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL';
}

/** Settles like `promise`, or rejects when the signal fires first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortFailure(signal));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function abortFailure(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return new Failure(timedOut ? 'connector_timeout' : 'cancelled', 'the request ended before the database answered', {
    cause: reason,
  });
}
