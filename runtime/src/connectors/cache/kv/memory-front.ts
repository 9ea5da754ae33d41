import type { Counted, Storage, StorageInspection, TokenAnswer } from '../../../foundation/contracts/storage.ts';
import type { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import type { Invalidations } from './invalidations.ts';
import type { KvStorage } from './storage.ts';

/** A read of the servers that is under way; what was changed meanwhile is not kept. */
interface Load {
  readonly value: Promise<string | undefined>;
}

/**
 * Entries of the servers, of which those that were read are answered from the memory of the process. What changes an
 * entry is done by the servers, and makes every process forget what it keeps of it.
 */
export class MemoryFront implements Storage {
  readonly processLocal = false;
  readonly #servers: KvStorage;
  readonly #memory: MemoryStorage;
  readonly #invalidations: Invalidations;
  readonly #ttl: number;
  readonly #loads = new Map<string, Load>();

  /** `ttl`: milliseconds that an entry is kept in memory at most. */
  constructor(servers: KvStorage, memory: MemoryStorage, ttl: number, invalidations: Invalidations) {
    this.#ttl = ttl;
    this.#servers = servers;
    this.#memory = memory;
    this.#invalidations = invalidations;
    invalidations.onForget((keys) => (keys === undefined ? this.clear() : this.#forget(keys)));
  }

  get(key: string): string | undefined | Promise<string | undefined> {
    // Without the channel nothing would say that an entry has changed.
    if (!this.#invalidations.isHeard) return this.#servers.get(key);
    return this.#memory.get(key) ?? (this.#loads.get(key) ?? this.#load(key)).value;
  }

  set(key: string, value: string, ttl: number | undefined): Promise<void> {
    return this.#changing([key], () => this.#servers.set(key, value, ttl));
  }

  setIfAbsent(key: string, value: string, ttl: number | undefined): Promise<boolean> {
    return this.#changing([key], () => this.#servers.setIfAbsent(key, value, ttl));
  }

  replace(key: string, expected: string, value: string, ttl: number | undefined): Promise<boolean> {
    return this.#changing([key], () => this.#servers.replace(key, expected, value, ttl));
  }

  deleteIf(key: string, expected: string): Promise<boolean> {
    return this.#changing([key], () => this.#servers.deleteIf(key, expected));
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#changing(keys, () => this.#servers.delete(keys));
  }

  add(key: string, by: bigint, ttl: number | undefined, limit?: bigint): Promise<Counted> {
    return this.#changing([key], () => this.#servers.add(key, by, ttl, limit));
  }

  deleteMatching(pattern: string): Promise<number> {
    return this.#changing(undefined, () => this.#servers.deleteMatching(pattern));
  }

  has(key: string): Promise<boolean> {
    return this.#servers.has(key);
  }

  remaining(key: string): Promise<number | undefined> {
    return this.#servers.remaining(key);
  }

  takeToken(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer> {
    return this.#servers.takeToken(key, ratePerSecond, burst);
  }

  /** The servers are looked at, whatever is in memory. */
  get inspection(): StorageInspection {
    const { inspection } = this.#servers;
    return {
      list: (selection, page) => inspection.list(selection, page),
      read: (key, longest) => inspection.read(key, longest),
      sweep: (selection, after, signal) => this.#changing(undefined, () => inspection.sweep(selection, after, signal)),
    };
  }

  /** Forgets everything. */
  clear(): void {
    this.#loads.clear();
    this.#memory.clear();
  }

  /** Callers of one key wait for one read. */
  #load(key: string): Load {
    const load: Load = { value: this.#read(key, () => this.#loads.get(key) === load) };
    this.#loads.set(key, load);
    return load;
  }

  async #read(key: string, isCurrent: () => boolean): Promise<string | undefined> {
    try {
      const found = await this.#servers.read(key);
      if (found !== undefined && found.left > 0 && isCurrent()) {
        this.#memory.set(key, found.value, Math.min(found.left, this.#ttl));
      }
      return found?.value;
    } finally {
      if (isCurrent()) this.#loads.delete(key);
    }
  }

  /** Undefined are all keys. A change whose outcome is unknown may have happened: it is published as well. */
  async #changing<T>(keys: readonly string[] | undefined, change: () => Promise<T>): Promise<T> {
    this.#forget(keys);
    try {
      return await change();
    } finally {
      this.#forget(keys);
      await this.#invalidations.publish(keys);
    }
  }

  #forget(keys: readonly string[] | undefined): void {
    if (keys === undefined) return this.clear();
    for (const key of keys) this.#loads.delete(key);
    this.#memory.delete(keys);
  }
}
