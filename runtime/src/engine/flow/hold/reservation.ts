import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { whenDone } from '../message/when-done.ts';

/** How long an entry outlives a process that died while holding it, in milliseconds. */
export const reservationLife = 30_000;

const renewEvery = reservationLife / 3;

/**
 * Entries of one cache that reserve keys. As long as they are held they are renewed together; when their process dies
 * they expire.
 */
export class Reservations {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly #held = new Set<Reservation>();
  /** Ends the wait for the next renewal; undefined while nothing is held. */
  #waiting: AbortController | undefined;

  constructor(storage: Storage, clock: Clock) {
    this.storage = storage;
    this.clock = clock;
  }

  /** An entry that is not stored yet. `text` must be unique. */
  of(key: string, text: string): Reservation {
    return new Reservation(this, key, text);
  }

  hold(reservation: Reservation): void {
    this.#held.add(reservation);
    if (this.#waiting === undefined) void this.#renew();
  }

  drop(reservation: Reservation): void {
    this.#held.delete(reservation);
    if (this.#held.size === 0) this.#waiting?.abort();
  }

  async #renew(): Promise<void> {
    while (this.#held.size > 0) {
      const { signal } = (this.#waiting = new AbortController());
      await this.clock.sleep(renewEvery, signal).catch(() => undefined);
      if (!signal.aborted) await Promise.all([...this.#held].map((each) => each.renew()));
    }
    this.#waiting = undefined;
  }
}

/** One entry, stored only while its key has no other entry. */
export class Reservation {
  readonly key: string;
  readonly text: string;
  readonly #all: Reservations;
  /** When the store was last known to keep it, in the milliseconds of `elapsed`. */
  #renewed = Number.NEGATIVE_INFINITY;

  constructor(all: Reservations, key: string, text: string) {
    this.#all = all;
    this.key = key;
    this.text = text;
  }

  /** Stores the entry unless the key has one; returns whether it did. It is renewed from then on, until it ends. */
  take(): boolean | Promise<boolean> {
    const { storage, clock } = this.#all;
    const began = clock.elapsed();
    return whenDone(storage.setIfAbsent(this.key, this.text, reservationLife), (isTaken) => {
      if (isTaken) {
        this.#renewed = began;
        this.#all.hold(this);
      }
      return isTaken;
    });
  }

  /** Whether it is certain that no other process has taken the key meanwhile. */
  get isHeld(): boolean {
    return this.#all.clock.elapsed() - this.#renewed < reservationLife;
  }

  /** Never rejects: an unavailable store is asked again, as long as the entry may still exist. */
  async renew(): Promise<void> {
    const { storage, clock } = this.#all;
    const began = clock.elapsed();
    try {
      if (await storage.replace(this.key, this.text, this.text, reservationLife)) this.#renewed = began;
      else this.#lose();
    } catch {
      if (!this.isHeld) this.#lose();
    }
  }

  /** Stops renewing it and leaves the entry as it is. */
  end(): void {
    this.#all.drop(this);
  }

  /** Removes the entry. A failure is not reported: the entry expires by itself. */
  release(): void {
    this.end();
    try {
      const deleted = this.#all.storage.deleteIf(this.key, this.text);
      if (deleted instanceof Promise) deleted.catch(() => undefined);
    } catch {
      // It expires by itself.
    }
  }

  #lose(): void {
    this.#renewed = Number.NEGATIVE_INFINITY;
    this.end();
  }
}
