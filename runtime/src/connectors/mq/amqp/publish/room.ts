import { Failure } from '../../../../foundation/errors/failure.ts';

/** Most messages, and bytes of them, that are sent and not confirmed; and most messages that wait for room. */
export interface RoomSize {
  readonly messages: number;
  readonly bytes: number;
  readonly waiting: number;
}

const standard: RoomSize = { messages: 5_000, bytes: 64 * 1024 * 1024, waiting: 5_000 };

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
  readonly refuse: (failure: Failure) => void;
}

/**
 * Room for messages between this service and the broker. While the broker takes none, or as many are in flight as may be,
 * further ones wait here, and those beyond a bound are refused.
 */
export class Room {
  readonly #size: RoomSize;
  readonly #waiting = new Set<Waiting>();
  #messages = 0;
  #bytes = 0;
  #blocked: string | undefined;

  constructor(size: RoomSize = standard) {
    this.#size = size;
  }

  /** Why the broker takes no messages now; undefined when it does. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  set blocked(reason: string | undefined) {
    this.#blocked = reason;
    this.#admit();
  }

  /** Takes room for a message of so many bytes where there is some now; whether that was done. */
  enterNow(bytes: number): boolean {
    if (this.#waiting.size > 0 || !this.#isOpen) return false;
    this.#take(bytes);
    return true;
  }

  /**
   * Takes room for a message of so many bytes, at once where there is some: then there is nothing to await. Rejects with
   * `connector_busy` when too many wait, or when the signal fires before; nothing is taken then.
   */
  enter(bytes: number, signal: () => AbortSignal): Promise<void> | undefined {
    return this.enterNow(bytes) ? undefined : this.#wait(bytes, signal());
  }

  /** Gives the room of a message back. */
  leave(bytes: number): void {
    this.#messages--;
    this.#bytes -= bytes;
    if (this.#waiting.size > 0) this.#admit();
  }

  /** Refuses everything that waits. */
  refuse(failure: Failure): void {
    for (const { refuse } of this.#waiting) refuse(failure);
  }

  get #isOpen(): boolean {
    return this.#blocked === undefined && this.#messages < this.#size.messages && this.#bytes < this.#size.bytes;
  }

  #take(bytes: number): void {
    this.#messages++;
    this.#bytes += bytes;
  }

  async #wait(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#size.waiting) throw this.#busy('too many messages wait to be sent');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, enter: resolve, refuse: reject };
    const end = () => reject(this.#busy('the message was not sent in time'));
    this.#waiting.add(waiting);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await promise;
    } finally {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', end);
    }
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#isOpen) return;
      this.#waiting.delete(waiting);
      this.#take(waiting.bytes);
      waiting.enter();
    }
  }

  #busy(what: string): Failure {
    const why = this.#blocked === undefined ? 'too many are not confirmed' : `the broker takes none (${this.#blocked})`;
    return new Failure('connector_busy', `${what}: ${why}`);
  }
}
