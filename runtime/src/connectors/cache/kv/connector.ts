import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { listenerOf, type RedisClient } from '../../../platform/net/redis/client.ts';
import { RedisConnection } from '../../../platform/net/redis/connection.ts';
import { storeFailure } from '../../../platform/net/redis/failure.ts';
import { type Connectable, type Servers, serversOf } from '../../../platform/net/redis/servers.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { tokenScript } from '../../../platform/sync/redis/token-script.ts';
import { cacheTarget } from '../target/target.ts';
import { addScript, deleteIfScript, replaceScript } from './exchange-scripts.ts';
import { Invalidations } from './invalidations.ts';
import { MemoryFront } from './memory-front.ts';
import type { kvCache } from './spec.ts';
import { KvStorage } from './storage.ts';

const scripts = {
  svcTakeToken: { lua: tokenScript, numberOfKeys: 1 },
  svcReplace: { lua: replaceScript, numberOfKeys: 1 },
  svcDeleteIf: { lua: deleteIfScript, numberOfKeys: 1 },
  svcAdd: { lua: addScript, numberOfKeys: 1 },
};

type Config = Values<typeof kvCache.config>;

/** Makes a `cache` with driver `redis`. */
export const create: Factory<typeof kvCache> = (name, config, services) =>
  new KvCache(name, config, serversOf(config), services);

/** A cache in Redis servers. */
class KvCache implements Connector {
  readonly name: string;
  readonly storage: KvStorage | MemoryFront;
  readonly target: Target;
  readonly #config: Config;
  readonly #servers: Servers;
  readonly #services: ConnectorServices;
  #connection: RedisConnection<RedisClient> | undefined;
  readonly #invalidations: Invalidations | undefined;
  #missing: Connectable['missing'] | undefined;

  constructor(name: string, config: Config, servers: Servers, services: ConnectorServices) {
    const { prefix, default_ttl: defaultTtl, memory } = config;
    this.name = name;
    this.#config = config;
    this.#servers = servers;
    this.#services = services;
    const stored = new KvStorage(() => this.#opened().redis, prefix, defaultTtl);
    if (memory !== undefined) {
      const { max_items: maxItems, ttl } = memory;
      const kept = new MemoryStorage({ maxItems, defaultTtl: ttl, eviction: 'lru' }, services.clock);
      const channel = `svc-cache:${servers.place.db}:${prefix ?? ''}`;
      const client = () => this.#opened().redis;
      this.#invalidations = new Invalidations(channel, client, () => listenerOf(client()));
      this.storage = new MemoryFront(stored, kept, ttl, this.#invalidations);
    } else this.storage = stored;
    this.target = cacheTarget(name, this.storage, () => this.#connection?.isOpen === true);
  }

  async open(signal: AbortSignal): Promise<void> {
    const { timeout, pool, tls } = this.#config;
    const { log, userAgent } = this.#services;
    const connectTimeout = pool?.connect_timeout ?? 5000;
    const material = await readTls(tls, this.#services);
    if (this.#connection === undefined) {
      const settings = { timeout, connectTimeout, name: userAgent, scripts, tls: material };
      const { redis, missing } = this.#servers.client(settings);
      this.#connection = new RedisConnection(redis, this.#servers.place, 'the cache', log);
      this.#missing = missing;
    }
    await this.#connection.open(signal);
    await this.#invalidations?.open();
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#invalidations?.close();
    await this.#connection?.close(cut);
  }

  async check(): Promise<string | void> {
    this.#opened();
    try {
      return await this.#missing?.();
    } catch (error) {
      throw storeFailure(error);
    }
  }

  #opened(): RedisConnection<RedisClient> {
    if (this.#connection?.isOpen !== true) throw storeFailure(new Error('Connection is closed.'));
    return this.#connection;
  }
}
