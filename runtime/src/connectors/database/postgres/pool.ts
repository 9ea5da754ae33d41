import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { Log } from '../../../observe/log.ts';
import type { Address } from './address.ts';

export interface PoolOptions {
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

/** A connection that was idle for longer is asked whether it still answers before it is used; milliseconds. */
const trusted = 10_000;
/** Longest wait for that answer, and for the server to close its end at the close of the pool; milliseconds. */
const checkTime = 2000;
/** Idle time before the first keep-alive probe of TCP; milliseconds. */
const keepAliveAfter = 10_000;

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void;
/** Gives a connection back; true destroys it. */
export type Release = (broken?: boolean) => void;

/** Connections to one server. A connection that no longer answers is found out before a statement is sent over it. */
export class ConnectionPool {
  private readonly pool: pg.Pool;
  private readonly checkTime: number;
  private readonly open = new Set<pg.PoolClient>();
  private readonly answered = new WeakMap<pg.PoolClient, number>();
  /** A statement was late: connections that were last used before this moment are asked first. */
  private suspectedAt = 0;
  /** A connection turned out to be silent: those that were last used before this moment are replaced. */
  private doubtedAt = 0;

  constructor(options: PoolOptions) {
    const { address, log } = options;
    this.checkTime = Math.min(checkTime, address.connectTimeout);
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
      // A connection that breaks tells its statement; without a listener it would end the process as well.
      client.on('error', () => undefined);
      this.open.add(client);
      client.once('end', () => this.open.delete(client));
    });
    this.pool.on('error', (error) => log.warn('an idle database connection broke', { error: error.message }));
  }

  /** Gives a connection that answers. Callbacks: promises are a good part of what a short statement costs. */
  connect(connected: Connected): void {
    this.pool.connect((error, client, done) => {
      if (client === undefined) return connected(error, undefined, () => undefined);
      const since = this.answered.get(client);
      const now = performance.now();
      if (since === undefined || (since >= this.suspectedAt && now - since < trusted)) {
        return connected(undefined, client, this.releaseOf(client, done));
      }
      const another = () => {
        // A silent server would not take part in an orderly end either.
        destroy(client);
        done(true);
        this.connect(connected);
      };
      if (since < this.doubtedAt) return another();
      this.check(client, (answers) => {
        if (answers) return connected(undefined, client, this.releaseOf(client, done));
        this.doubt();
        another();
      });
    });
  }

  /** Those that are idle are asked whether they answer before they are used. */
  suspect(): void {
    this.suspectedAt = performance.now();
  }

  /** Those that are idle have gone the way of one that is silent. */
  doubt(): void {
    this.suspect();
    this.doubtedAt = this.suspectedAt;
  }

  /** Ends when every connection that is in use was released. */
  async close(): Promise<void> {
    if (this.pool.ending) return;
    await this.pool.end();
    // A server that is gone never closes its end.
    setTimeout(() => {
      for (const client of this.open) destroy(client);
    }, checkTime).unref();
  }

  private releaseOf(client: pg.PoolClient, done: Release): Release {
    return (broken) => {
      this.answered.set(client, performance.now());
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
export function destroy(client: pg.PoolClient): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
