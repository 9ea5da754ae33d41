import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { type Reservation, reservationLife } from '../../hold/reservation.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';

/** Milliseconds between attempts to store an answer while the store is unavailable. */
const pause = 1000;

/** Puts answers in the place of the reservations of their requests. */
export class Answers {
  readonly #flow: string;
  readonly #cache: string;
  readonly #storage: Storage;
  readonly #ttl: number;
  readonly #services: FlowTools['services'];

  constructor(
    { name }: FlowModel,
    storage: Storage,
    { storage: cache, ttl }: { readonly storage: string; readonly ttl: number },
    { services }: FlowTools,
  ) {
    this.#flow = name;
    this.#cache = cache;
    this.#storage = storage;
    this.#ttl = ttl;
    this.#services = services;
  }

  /**
   * Stores the text of an answer and returns the answer. The work has been done, so an unavailable store causes no
   * failure: the write is retried in the background, as long as the reservation excludes others.
   */
  keep<T extends Outcome | undefined>(reservation: Reservation, text: string, outcome: T): T | Promise<T> {
    const storeFailed = (error: unknown): T => {
      const { code, message } = asFailure(error);
      this.#warn('the answer of a request cannot be stored yet', { code, error: message });
      this.#services.background('idempotency', () => this.#keepLater(reservation, text));
      return outcome;
    };
    const done = (isKept: boolean): T => {
      reservation.end();
      if (!isKept) this.#warn('a request took so long that its key was given to another one');
      return outcome;
    };
    try {
      const kept = this.#exchange(reservation, text);
      return kept instanceof Promise ? kept.then(done, storeFailed) : done(kept);
    } catch (error) {
      return storeFailed(error);
    }
  }

  /** Whether the answer is stored: in the place of its reservation, or as a new entry when that has expired. */
  #exchange({ key, text: reserved }: Reservation, text: string): boolean | Promise<boolean> {
    return whenDone(
      this.#storage.replace(key, reserved, text, this.#ttl),
      (isDone) => isDone || this.#storage.setIfAbsent(key, text, this.#ttl),
    );
  }

  async #keepLater(reservation: Reservation, text: string): Promise<void> {
    const { clock } = this.#services;
    const began = clock.elapsed();
    while (clock.elapsed() - began < reservationLife) {
      await clock.sleep(pause);
      try {
        const isKept = await this.#exchange(reservation, text);
        reservation.end();
        if (!isKept) this.#warn('a request took so long that its key was given to another one');
        return;
      } catch {
        // Retried.
      }
    }
    reservation.end();
    this.#warn('the answer of a request was not stored, so that the request may be carried out again');
  }

  #warn(message: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.#services.log.warn(message, { flow: this.#flow, cache: this.#cache, ...more });
  }
}
