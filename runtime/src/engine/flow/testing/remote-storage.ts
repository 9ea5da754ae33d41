import type { Counted, Storage } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';

/** A cache that several services share and that answers asynchronously, as one over a network does. */
export class RemoteStorage implements Storage {
  readonly processLocal = false;
  readonly entries: MemoryStorage;
  /** Names of the operations that it was asked for, those of one turn in one list. */
  readonly turns: string[][] = [];
  /** Which operations fail because it cannot be reached. */
  isUnavailable: (operation: string, key: string) => boolean = () => false;
  #turn: string[] | undefined;

  constructor(clock: Clock = systemClock) {
    this.entries = new MemoryStorage({ eviction: 'lru', maxItems: 1000, defaultTtl: undefined }, clock);
  }

  get(key: string): Promise<string | undefined> {
    return this.#asked('get', key, () => this.entries.get(key));
  }

  set(key: string, value: string, ttl: number | undefined): Promise<void> {
    return this.#asked('set', key, () => this.entries.set(key, value, ttl));
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#asked('delete', keys.join(), () => this.entries.delete(keys));
  }

  has(key: string): Promise<boolean> {
    return this.#asked('has', key, () => this.entries.has(key));
  }

  remaining(key: string): Promise<number | undefined> {
    return this.#asked('remaining', key, () => this.entries.remaining(key));
  }

  add(key: string, by: bigint, ttl: number | undefined, limit?: bigint): Promise<Counted> {
    return this.#asked('add', key, () => this.entries.add(key, by, ttl, limit));
  }

  setIfAbsent(key: string, value: string, ttl: number | undefined): Promise<boolean> {
    return this.#asked('setIfAbsent', key, () => this.entries.setIfAbsent(key, value, ttl));
  }

  replace(key: string, expected: string, value: string, ttl: number | undefined): Promise<boolean> {
    return this.#asked('replace', key, () => this.entries.replace(key, expected, value, ttl));
  }

  deleteIf(key: string, expected: string): Promise<boolean> {
    return this.#asked('deleteIf', key, () => this.entries.deleteIf(key, expected));
  }

  deleteMatching(pattern: string): Promise<number> {
    return this.#asked('deleteMatching', pattern, () => this.entries.deleteMatching(pattern));
  }

  /** Carried out in the order in which it was asked, and answered in a later turn. */
  async #asked<T>(operation: string, key: string, work: () => T): Promise<T> {
    if (this.#turn === undefined) {
      this.turns.push((this.#turn = []));
      queueMicrotask(() => (this.#turn = undefined));
    }
    this.#turn.push(operation);
    if (this.isUnavailable(operation, key)) {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Failure('store_unavailable', 'the store cannot be reached');
    }
    const result = work();
    await new Promise((resolve) => setImmediate(resolve));
    return result;
  }
}
