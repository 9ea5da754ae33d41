import { Refusal } from '../refusal.ts';

/** Milliseconds after which a caller that found the queue full may try again. */
const retryAfter = 1_000;

interface Waiting {
  readonly begin: () => void;
}

/** Lets so many hashes be computed at a time; further ones wait in the order in which they came, up to a bound. */
export class HashQueue {
  readonly #limits: { readonly max_concurrent: number; readonly max_waiting: number };
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(limits: { readonly max_concurrent: number; readonly max_waiting: number }) {
    this.#limits = limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Does the work in its turn. Rejects with 503 `overloaded` when too many wait, and with the reason of `signal` when it
   * fires during the wait: what no caller waits for is not computed.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#limits.max_concurrent) this.#running++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limits.max_waiting)
      throw new Refusal(503, 'overloaded', 'Too many sign-ins at the same time. Try again later.', retryAfter);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(entry);
        reject(signal?.reason);
      };
      const entry: Waiting = {
        begin: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiting.add(entry);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** The turn passes on to the one that waits longest, without a moment in which a newcomer could take it. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#running--;
      return;
    }
    this.#waiting.delete(first);
    first.begin();
  }
}
