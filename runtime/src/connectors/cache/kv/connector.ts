import type { Connector, Factory } from '../../../contracts/connector.ts';
import { Failure } from '../../../errors/failure.ts';
import { addressOf } from '../../../net/redis/address.ts';
import { RedisConnection, redisClient } from '../../../net/redis/connection.ts';
import { deleteIfScript, replaceScript } from './exchange-scripts.ts';
import type { kvCache } from './spec.ts';
import { KvStorage } from './storage.ts';
import { tokenScript } from './token-script.ts';

const scripts = {
  svcTakeToken: { lua: tokenScript, numberOfKeys: 1 },
  svcReplace: { lua: replaceScript, numberOfKeys: 1 },
  svcDeleteIf: { lua: deleteIfScript, numberOfKeys: 1 },
};

/** Makes a `cache` with driver `redis`. */
export const create: Factory<typeof kvCache> = (name, config, services) => {
  if (config.mode.toLowerCase() !== 'standalone') {
    throw new Failure('connector_failed', `the mode "${config.mode}" is not available`, { retriable: false });
  }
  const address = addressOf(config);
  const { timeout, pool, prefix, default_ttl: defaultTtl } = config;
  const connectTimeout = pool?.connect_timeout ?? 5000;
  const redis = redisClient({ address, timeout, connectTimeout, name: services.userAgent, scripts });
  const connection = new RedisConnection(redis, address, 'the cache', services.log);
  return new KvCache(name, connection, new KvStorage(redis, prefix, defaultTtl));
};

/** A cache in a Redis server. */
class KvCache implements Connector {
  readonly name: string;
  readonly storage: KvStorage;
  readonly #connection: RedisConnection;

  constructor(name: string, connection: RedisConnection, storage: KvStorage) {
    this.name = name;
    this.storage = storage;
    this.#connection = connection;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#connection.open(signal);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  check(): Promise<void> {
    return this.#connection.check();
  }
}
