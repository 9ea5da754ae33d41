import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Deadline } from './deadline.ts';
import type { Delivery, Retry, Settlement } from './driver.ts';
import { type Listed, unlisted } from './roster.ts';

/** One message that this service holds until it is settled. */
export class InFlight implements Listed {
  place = unlisted;
  readonly delivery: Delivery;
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly #settled: (inFlight: InFlight) => void;
  #waits: AbortController | undefined;
  #abort: AbortController | undefined;
  #open = true;
  #deadline: Deadline | undefined;
  #answered = false;
  #requestId: string | undefined;

  constructor(delivery: Delivery, since: number, settled: (inFlight: InFlight) => void) {
    this.delivery = delivery;
    this.since = since;
    this.#settled = settled;
  }

  /** Fires when its flows shall wait for others no longer, since the message is delivered again. */
  get waitSignal(): AbortSignal {
    this.#waits ??= new AbortController();
    return this.#waits.signal;
  }

  /** Fires when its flows shall end at once. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  get aborted(): boolean {
    return this.#abort?.signal.aborted ?? false;
  }

  /** Whether the peer still waits for its settlement. */
  get open(): boolean {
    return this.#open;
  }

  /** Waits end; work continues. */
  endWaits(reason: string): void {
    this.#waits ??= new AbortController();
    this.#waits.abort(new Failure('cancelled', reason));
  }

  /** Work ends too. */
  abort(reason: string, failure = new Failure('cancelled', reason)): void {
    this.endWaits(reason);
    this.#abort ??= new AbortController();
    this.#abort.abort(failure);
  }

  /** Its flows wait for something; a sender that waits for the answer does so until its deadline. */
  await(): void {
    const { timeout } = this.delivery;
    if (timeout === undefined || this.#answered) return;
    this.#deadline ??= new Deadline(timeout, () => this.#late(timeout));
  }

  #late(timeout: number): void {
    const failure = new Failure('request_timeout', `the message was not handled within ${timeout / 1000} s`);
    this.#answered = true;
    this.#requestId = this.#tell(failure);
    this.abort(failure.message, failure);
  }

  /** What became of it, for a sender that waits; once. Answers the id of the failure that the sender got. */
  answer(end: Outcome | Failure): string | undefined {
    this.#deadline?.end();
    if (this.#answered) return this.#requestId;
    this.#answered = true;
    return this.#tell(end);
  }

  #tell(end: Outcome | Failure): string | undefined {
    const id = this.delivery.answer?.(end);
    return typeof id === 'string' ? id : undefined;
  }

  /** Stops the deadline; the returned function lets it run on. */
  hold(): () => void {
    this.await();
    return this.#deadline?.hold() ?? (() => undefined);
  }

  /** The connection is gone: the peer delivers the message again, whatever is said now. */
  abandon(): void {
    this.#open = false;
    this.endWaits('the connection that delivered the message was lost');
  }

  /**
   * Notifies the peer, once; without a promise where nothing has to be waited for. Never throws or rejects: a message whose
   * settlement did not arrive is delivered again.
   */
  settle(settlement: Settlement): Promise<void> | undefined {
    if (!this.#open) return undefined;
    this.#open = false;
    try {
      const settling = this.delivery.settle(settlement);
      if (settling instanceof Promise) {
        const end = () => this.#settled(this);
        return settling.then(end, end);
      }
    } catch {
      // The settlement did not reach the peer.
    }
    this.#settled(this);
    return undefined;
  }

  /** Gives it back to wait at the peer; whether that was done. */
  async postpone(retry: Retry): Promise<boolean> {
    if (!this.#open || this.delivery.postpone === undefined) return false;
    try {
      await this.delivery.postpone(retry);
    } catch {
      return false;
    }
    this.#open = false;
    this.#settled(this);
    return true;
  }
}
