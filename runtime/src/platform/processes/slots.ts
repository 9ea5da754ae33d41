import { Failure } from '../../foundation/errors/failure.ts';

/** Frees the slot; has an effect once. */
export type Release = () => void;

interface Waiting {
  readonly take: (release: Release) => void;
}

/** Bounds how many programs run, and how many calls wait for one of them to end. */
export class Slots {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** Rejects with the reason of the signal when it fires first, and with `connector_busy` when too many wait. */
  async take(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    if (this.#taken < this.#most) return this.#release();
    if (this.#waiting.size >= this.#mostWaiting)
      throw new Failure(
        'connector_busy',
        `${this.#taken} programs run and ${this.#waiting.size} calls wait (max_waiting)`,
      );
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const waiting: Waiting = { take: resolve };
    const abort = () => {
      // Before the caller hears of it: no slot is given to one that does not wait any more.
      this.#waiting.delete(waiting);
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.add(waiting);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #release(): Release {
    this.#taken++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#taken--;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next.take(this.#release());
    };
  }
}
