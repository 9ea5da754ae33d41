import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';

/** Where answers are kept, as texts by key. Times in milliseconds. Rejects with a Failure when it is unavailable. */
export interface Shelf {
  /** The time that what is kept ages by. */
  now(): number;
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, text: string, lifetime: number): void | Promise<void>;
  /** Whether nothing was there. */
  setIfAbsent(key: string, text: string, lifetime: number): boolean | Promise<boolean>;
  remove(key: string): unknown;
}

/** The memory of this process, of so many characters; beyond them, what was unused for longest goes. It ages by elapsed time. */
export class MemoryShelf implements Shelf {
  readonly #clock: Clock;
  readonly #most: number;
  /** The one that was used last is the last one. */
  readonly #entries = new Map<string, { readonly text: string; readonly until: number }>();
  #size = 0;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  now(): number {
    return this.#clock.elapsed();
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until > this.now()) {
      this.#entries.set(key, entry);
      return entry.text;
    }
    this.#size -= sizeOf(key, entry.text);
    return undefined;
  }

  set(key: string, text: string, lifetime: number): void {
    const size = sizeOf(key, text);
    this.remove(key);
    if (size > this.#most) return;
    this.#entries.set(key, { text, until: this.now() + lifetime });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#most) break;
      this.remove(oldest);
    }
  }

  setIfAbsent(key: string, text: string, lifetime: number): boolean {
    if (this.get(key) !== undefined) return false;
    this.set(key, text, lifetime);
    return true;
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= sizeOf(key, entry.text);
  }
}

/** A cache connector, which several processes may share. What it has ages by the time of the day. */
export class StorageShelf implements Shelf {
  readonly #clock: Clock;
  readonly #storage: () => Storage;

  /** `storage` gives what the connector keeps things in now. */
  constructor(clock: Clock, storage: () => Storage) {
    this.#clock = clock;
    this.#storage = storage;
  }

  now(): number {
    return this.#clock.now();
  }

  get(key: string): string | undefined | Promise<string | undefined> {
    return this.#storage().get(key);
  }

  set(key: string, text: string, lifetime: number): void | Promise<void> {
    return this.#storage().set(key, text, lifetime);
  }

  setIfAbsent(key: string, text: string, lifetime: number): boolean | Promise<boolean> {
    return this.#storage().setIfAbsent(key, text, lifetime);
  }

  remove(key: string): unknown {
    return this.#storage().delete([key]);
  }
}

/** Characters, with what an entry costs beside its text. */
function sizeOf(key: string, text: string): number {
  return key.length + text.length + 100;
}
