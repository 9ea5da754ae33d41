import { Redis, type RedisOptions } from 'ioredis';
import { Failure } from '../../errors/failure.ts';
import type { Log } from '../../observe/log.ts';
import { backoffDelay } from '../backoff.ts';
import type { Address } from './address.ts';
import { storeFailure } from './failure.ts';

const reconnect = { kind: 'exponential', delay: 100, maxDelay: 2000, jitter: true } as const;

/** A connection that only listens would never learn that its server went silent; milliseconds between two questions. */
const askEvery = 10_000;

/** Times are milliseconds. */
export interface ConnectionSettings {
  readonly address: Address;
  /** Longest wait for one answer. */
  readonly timeout: number;
  readonly connectTimeout: number;
  /** What the server lists the connection as. */
  readonly name: string;
  readonly scripts?: RedisOptions['scripts'];
}

/**
 * A client that is not connected yet. Commands fail at once while the server is away, and after `timeout` when it does
 * not answer: nothing is queued for a server that may never come back, and nothing is sent twice.
 */
export function redisClient({ address, timeout, connectTimeout, name, scripts }: ConnectionSettings): Redis {
  const { host, port, username, password, db, tls } = address;
  return new Redis({
    host,
    port,
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    connectionName: name.replaceAll(/[^!-~]/g, '-'),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeout,
    socketTimeout: timeout,
    connectTimeout,
    retryStrategy: (times) => backoffDelay(reconnect, times),
    ...(scripts && { scripts }),
  });
}

/** The connection of a client. It reconnects by itself until it is closed. */
export class RedisConnection {
  readonly redis: Redis;
  readonly #address: Address;
  readonly #what: string;
  readonly #log: Log;
  #away = false;
  #asking: NodeJS.Timeout | undefined;

  /** `what` begins the lines about a server that goes and comes back: `the cache`. */
  constructor(redis: Redis, address: Address, what: string, log: Log) {
    this.redis = redis;
    this.#address = address;
    this.#what = what;
    this.#log = log;
  }

  /** Rejects with `store_unavailable` naming where the server was looked for. */
  async open(signal?: AbortSignal): Promise<void> {
    let last: unknown;
    const remember = (error: unknown) => {
      last = error;
    };
    const abandon = () => this.redis.disconnect();
    signal?.addEventListener('abort', abandon, { once: true });
    this.redis.on('error', remember);
    try {
      await this.redis.connect();
      // The client goes on in database 0 when the server has no such database.
      await this.redis.select(this.#address.db);
    } catch (error) {
      this.redis.disconnect();
      const { host, port } = this.#address;
      const { message } = storeFailure(last ?? error);
      throw new Failure('store_unavailable', `${host}:${port}: ${message}`, { cause: last ?? error });
    } finally {
      signal?.removeEventListener('abort', abandon);
      this.redis.off('error', remember);
      this.#watch();
      // What it leads to is the client's own business: it closes the connection and makes another one.
      if (this.redis.status === 'ready')
        this.#asking = setInterval(() => this.redis.ping().catch(() => undefined), askEvery).unref();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#asking);
    if (this.redis.status === 'end' || this.redis.status === 'wait') return;
    await this.redis.quit().catch(() => {});
    this.redis.disconnect();
  }

  async check(): Promise<void> {
    await this.redis.ping().catch((error: unknown) => {
      throw storeFailure(error);
    });
  }

  /** One line when the server goes and one when it is back, however often reconnecting fails between. */
  #watch(): void {
    this.redis.on('error', (error: Error) => this.#lost(error.message));
    this.redis.on('reconnecting', () => this.#lost('the connection was closed'));
    this.redis.on('ready', () => {
      if (this.#away) this.#log.info(`${this.#what} is back`);
      this.#away = false;
    });
  }

  #lost(reason: string): void {
    if (this.#away) return;
    this.#away = true;
    this.#log.warn(`${this.#what} is away; reconnecting`, { reason });
  }
}
