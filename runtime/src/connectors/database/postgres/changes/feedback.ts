import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Progress } from './progress.ts';
import { type Position, statusOf } from './wire.ts';

/** Notifies the server of how far changes are settled. */
export class Feedback {
  readonly #progress: Progress;
  readonly #send: (status: Buffer) => void;
  #sent: Position = -1n;
  #isScheduled = false;
  #isEnded = false;
  /** Wait for the next keepalive. */
  readonly #asking = new Set<{ readonly resolve: () => void; readonly reject: (error: Error) => void }>();

  constructor(progress: Progress, send: (status: Buffer) => void) {
    this.#progress = progress;
    this.#send = send;
  }

  /** Confirms what is settled, where that is more than before; at most once in a turn of the event loop. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#progress.confirmed > this.#sent) this.confirm();
    });
  }

  /** Confirms now; `asks`: the server shall answer. */
  confirm(asks = false): void {
    if (this.#isEnded) return;
    this.#sent = this.#progress.confirmed;
    this.#send(statusOf(this.#sent, asks, Date.now()));
  }

  /** Resolves when the server has read what is confirmed. Rejects when the connection ends before. */
  async ask(): Promise<void> {
    if (this.#isEnded) throw over();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#asking.add({ resolve, reject });
    this.confirm(true);
    await promise;
  }

  /** The server has answered, or says by itself where it is. */
  heard(): void {
    for (const { resolve } of this.#asking) resolve();
    this.#asking.clear();
  }

  end(): void {
    this.#isEnded = true;
    for (const { reject } of this.#asking) reject(over());
    this.#asking.clear();
  }
}

const over = () => new Failure('connector_refused', 'the stream of changes has ended');
