import type { Connector, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { cacheTarget } from '../target/target.ts';
import type { memoryCache } from './spec.ts';

const sweepEvery = 30_000;

/** Makes a `cache` with driver `memory`. */
export const create: Factory<typeof memoryCache> = (name, config, services) => {
  const { max_items: maxItems, default_ttl: defaultTtl, eviction } = config;
  return new MemoryCache(name, new MemoryStorage({ maxItems, defaultTtl, eviction }, services.clock));
};

/** A cache that lives and dies with its connector. */
class MemoryCache implements Connector {
  readonly name: string;
  readonly storage: MemoryStorage;
  readonly target: Target;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(name: string, storage: MemoryStorage) {
    this.name = name;
    this.storage = storage;
    this.target = cacheTarget(name, storage, () => this.#sweeping !== undefined);
  }

  async open(): Promise<void> {
    this.#sweeping ??= setInterval(() => this.storage.sweep(), sweepEvery).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
    this.storage.clear();
  }
}
