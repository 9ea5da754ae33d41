import { Redis } from 'ioredis';
import { Failure } from '../../../errors/failure.ts';
import { backoffDelay } from '../../../net/backoff.ts';
import type { Log } from '../../../observe/log.ts';
import type { Connector, Factory } from '../../contract.ts';
import { type Address, addressOf } from './address.ts';
import { deleteIfScript, replaceScript } from './exchange-scripts.ts';
import type { kvCache } from './spec.ts';
import { KvStorage, storeFailure } from './storage.ts';
import { tokenScript } from './token-script.ts';

const reconnect = { kind: 'exponential', delay: 100, maxDelay: 2000, jitter: true } as const;

/** Makes a `cache` with driver `redis`. */
export const create: Factory<typeof kvCache> = (name, config, services) => {
  if (config.mode.toLowerCase() !== 'standalone') {
    throw new Failure('connector_failed', `the mode "${config.mode}" is not available`, { retriable: false });
  }
  const address = addressOf(config);
  const redis = client(address, config.timeout, config.pool?.connect_timeout ?? 5000, services.userAgent);
  const storage = new KvStorage(redis, config.prefix, config.default_ttl);
  return new KvCache(name, redis, storage, address, services.log);
};

/**
 * Commands fail at once while the server is away, and after `timeout` when it does not answer: nothing is queued for a
 * server that may never come back, and nothing is sent twice.
 */
function client(address: Address, timeout: number, connectTimeout: number, userAgent: string): Redis {
  const { host, port, username, password, db, tls } = address;
  return new Redis({
    host,
    port,
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    connectionName: userAgent.replaceAll(/[^!-~]/g, '-'),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeout,
    socketTimeout: timeout,
    connectTimeout,
    retryStrategy: (times) => backoffDelay(reconnect, times),
    scripts: {
      svcTakeToken: { lua: tokenScript, numberOfKeys: 1 },
      svcReplace: { lua: replaceScript, numberOfKeys: 1 },
      svcDeleteIf: { lua: deleteIfScript, numberOfKeys: 1 },
    },
  });
}

/** A cache in a Redis server. It reconnects by itself until it is closed. */
class KvCache implements Connector {
  readonly name: string;
  readonly storage: KvStorage;
  readonly #redis: Redis;
  readonly #address: Address;
  readonly #log: Log;
  #away = false;

  constructor(name: string, redis: Redis, storage: KvStorage, address: Address, log: Log) {
    this.name = name;
    this.storage = storage;
    this.#redis = redis;
    this.#address = address;
    this.#log = log;
  }

  async open(signal: AbortSignal): Promise<void> {
    let last: unknown;
    const remember = (error: unknown) => {
      last = error;
    };
    const abandon = () => this.#redis.disconnect();
    signal.addEventListener('abort', abandon, { once: true });
    this.#redis.on('error', remember);
    try {
      await this.#redis.connect();
      // The client goes on in database 0 when the server has no such database.
      await this.#redis.select(this.#address.db);
    } catch (error) {
      this.#redis.disconnect();
      const { host, port } = this.#address;
      const { message } = storeFailure(last ?? error);
      throw new Failure('store_unavailable', `${host}:${port}: ${message}`, { cause: last ?? error });
    } finally {
      signal.removeEventListener('abort', abandon);
      this.#redis.off('error', remember);
      this.#watch();
    }
  }

  async close(): Promise<void> {
    if (this.#redis.status === 'end' || this.#redis.status === 'wait') return;
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }

  check(): Promise<void> {
    return this.storage.ping();
  }

  /** One line when the server goes and one when it is back, however often reconnecting fails between. */
  #watch(): void {
    this.#redis.on('error', (error: Error) => this.#lost(error.message));
    this.#redis.on('reconnecting', () => this.#lost('the connection was closed'));
    this.#redis.on('ready', () => {
      if (this.#away) this.#log.info('the cache is back');
      this.#away = false;
    });
  }

  #lost(reason: string): void {
    if (this.#away) return;
    this.#away = true;
    this.#log.warn('the cache is away; reconnecting', { reason });
  }
}
