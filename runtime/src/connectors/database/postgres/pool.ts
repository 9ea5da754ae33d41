import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { fired } from '../../../platform/net/fired.ts';
import { checkTime, keepAliveAfter, Liveness } from '../server/liveness.ts';
import type { NodeOptions, Release } from '../server/node.ts';
import { reportUnstopped } from '../server/unstopped.ts';
import { sendCancel } from './cancel.ts';
import { GuardedClient } from './guarded-client.ts';

/** Values must look the same whatever the server's defaults are: times without a zone are UTC, bytes are hexadecimal. */
export const session =
  "SET TIME ZONE 'UTC'; SET datestyle TO ISO, MDY; SET intervalstyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 1";

/** Milliseconds in which a server reads what was sent before its connection was broken. */
const readTime = 200;

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void;

/** Connections to one server. A connection that no longer answers is found out before a statement is sent over it. */
export class ConnectionPool {
  readonly liveness = new Liveness();
  private readonly pool: pg.Pool;
  private readonly options: NodeOptions;
  private readonly checkTime: number;
  private readonly open = new Set<pg.PoolClient>();
  private readonly answered = new WeakMap<pg.PoolClient, number>();
  /** Connections that a caller has. */
  private readonly used = new Set<pg.PoolClient>();
  /** Callers that asked for a connection and wait for it. */
  private readonly waiting = new Set<Connected>();
  private allServed: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(options: NodeOptions) {
    const { address, log } = options;
    this.options = options;
    this.checkTime = Math.min(checkTime, address.connectTimeout);
    this.pool = new pg.Pool({
      Client: GuardedClient,
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
      keepAliveInitialDelayMillis: keepAliveAfter,
      max: options.max,
      min: Math.min(options.min, options.max),
      maxLifetimeSeconds: Math.ceil(options.maxLifetime / 1000),
      onConnect: async (client) => {
        const settings = { text: session, query_timeout: address.connectTimeout };
        await client.query(settings);
      },
    });
    this.pool.on('connect', (client) => {
      // A connection that breaks rejects its statement; without a listener it would end the process as well.
      client.on('error', () => undefined);
      this.open.add(client);
      client.once('end', () => this.open.delete(client));
    });
    this.pool.on('error', (error) => log.warn('an idle database connection broke', { error: error.message }));
  }

  /** Gives a connection that answers. Callbacks: promises are a good part of what a short statement costs. */
  connect(connected: Connected): void {
    this.waiting.add(connected);
    this.pool.connect((error, client, done) => {
      if (!this.waiting.delete(connected)) {
        if (client !== undefined) done(true);
        return;
      }
      if (this.waiting.size === 0) this.allServed?.();
      if (client === undefined) return connected(error, undefined, () => undefined);
      const since = this.answered.get(client);
      if (since === undefined || this.liveness.isFresh(since)) {
        return connected(undefined, client, this.releaseOf(client, done));
      }
      const another = () => {
        // A silent server would not take part in an orderly end either.
        destroy(client);
        done(true);
        this.connect(connected);
      };
      if (this.liveness.isDoubted(since)) return another();
      this.check(client, (answers) => {
        if (answers) return connected(undefined, client, this.releaseOf(client, done));
        this.liveness.doubt();
        another();
      });
    });
  }

  /**
   * Ends when every caller that waits for a connection had one, and every connection was released. When `cut` fires, callers
   * that wait are refused and the connections are broken.
   */
  async close(cut?: AbortSignal): Promise<void> {
    this.closing ??= this.end();
    await Promise.race([this.closing, fired(cut)]);
    if (cut?.aborted === true) await this.breakAll();
  }

  private async end(): Promise<void> {
    if (this.waiting.size > 0) await new Promise<void>((resolve) => (this.allServed = resolve));
    await this.pool.end();
    // A server that is gone never closes its end.
    setTimeout(() => {
      for (const client of this.open) destroy(client);
    }, checkTime).unref();
  }

  private async breakAll(): Promise<void> {
    for (const connected of this.waiting) connected(new Error('it is closed'), undefined, () => undefined);
    this.waiting.clear();
    this.allServed?.();
    // A server does not notice at once that its client is gone, and would work on.
    const stopped = [...this.used].map((client) => this.stop(client));
    for (const client of this.open) destroy(client);
    await Promise.all(stopped);
  }

  /** Stops what runs on a connection, and a statement that was on its way: that begins after the first request to stop. */
  private async stop(client: pg.PoolClient): Promise<void> {
    if (!(await this.cancel(client))) return;
    await delay(readTime);
    await this.cancel(client);
  }

  /**
   * Asks the server to stop what runs on the connection; resolves with whether that was sent. Never rejects: when it could
   * not be sent, it is reported.
   */
  async cancel(client: pg.PoolClient): Promise<boolean> {
    const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null };
    if (processID === null || secretKey === null) return false;
    const { host, port } = this.options.address;
    const problem = await sendCancel(host, port, processID, secretKey, checkTime);
    if (problem !== undefined) reportUnstopped(this.options, processID, problem);
    return problem === undefined;
  }

  private releaseOf(client: pg.PoolClient, done: Release): Release {
    this.used.add(client);
    return (broken) => {
      this.used.delete(client);
      this.answered.set(client, systemClock.elapsed());
      done(broken);
    };
  }

  private check(client: pg.PoolClient, then: (answers: boolean) => void): void {
    let isOver = false;
    const end = (answers: boolean) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      then(answers);
    };
    const timer = setTimeout(() => end(false), this.checkTime);
    client.query('SELECT 1', (error: Error | null) => end(error === null));
  }
}

/** Closes the socket of a connection at once; what runs on it fails. */
export function destroy(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Whether a transaction is open on the connection, as far as its server has said. */
export function isInTransaction(client: pg.ClientBase): boolean {
  return (client as unknown as { getTransactionStatus(): string }).getTransactionStatus() !== 'I';
}
