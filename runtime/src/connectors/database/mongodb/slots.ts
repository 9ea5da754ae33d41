import { Failure } from '../../../foundation/errors/failure.ts';
import { endedFailure } from '../ended.ts';

/** Frees the slot; has an effect once. */
export type Release = () => void;

interface Waiting {
  readonly take: (release: Release) => void;
  readonly refuse: (failure: Failure) => void;
}

/** Bounds the operations that are under way. One that finds all slots taken waits for its turn. */
export class Slots {
  readonly #connector: string;
  readonly #most: number;
  /** Milliseconds. */
  readonly #longestWait: number;
  readonly #waiting = new Set<Waiting>();
  readonly #idle: (() => void)[] = [];
  #taken = 0;

  constructor(connector: string, most: number, longestWait: number) {
    this.#connector = connector;
    this.#most = most;
    this.#longestWait = longestWait;
  }

  /** Rejects with `connector_busy` when none is free in time, within `limit` milliseconds too, and when the signal fires. */
  async take(signal: AbortSignal | undefined, limit = Number.POSITIVE_INFINITY): Promise<Release> {
    if (signal?.aborted) throw endedFailure(signal, 'asked');
    if (this.#taken < this.#most) return this.#release();
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const wait = Math.min(this.#longestWait, limit);
    const refuse = (failure: Failure) => {
      // Before the caller hears of it: no slot is given to one that does not wait any more.
      this.#waiting.delete(waiting);
      reject(failure);
    };
    const waiting: Waiting = { take: resolve, refuse };
    const timer = setTimeout(() => refuse(this.#busy(wait)), wait);
    const abort = () => refuse(endedFailure(signal, 'asked'));
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.add(waiting);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Resolves when no operation is under way. */
  async idle(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Ends all waits. */
  refuse(failure: Failure): void {
    for (const waiting of [...this.#waiting]) waiting.refuse(failure);
  }

  #release(): Release {
    this.#taken++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#taken--;
      const [next] = this.#waiting;
      if (next !== undefined) {
        this.#waiting.delete(next);
        next.take(this.#release());
      } else if (this.#taken === 0) for (const tell of this.#idle.splice(0)) tell();
    };
  }

  #busy(wait: number): Failure {
    const text = `database "${this.#connector}" had no free connection within ${wait} ms; raise \`pool.max\`, or look for operations that take long`;
    return new Failure('connector_busy', text, { at: { connector: this.#connector } });
  }
}
