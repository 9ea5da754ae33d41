import { Failure } from '../errors/failure.ts';
import type { Arrival, Retry, Settlement } from './driver.ts';

/** One message that this service holds until it is settled. */
export class Delivery {
  readonly arrival: Arrival;
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly #settled: (delivery: Delivery) => void;
  #patience: AbortController | undefined;
  #abort: AbortController | undefined;
  #open = true;

  constructor(arrival: Arrival, since: number, settled: (delivery: Delivery) => void) {
    this.arrival = arrival;
    this.since = since;
    this.#settled = settled;
  }

  /** Fires when its flows shall wait for others no longer, since the message is delivered again. */
  get patience(): AbortSignal {
    this.#patience ??= new AbortController();
    return this.#patience.signal;
  }

  /** Fires when its flows shall end at once. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  get aborted(): boolean {
    return this.#abort?.signal.aborted ?? false;
  }

  /** Whether the peer still waits to be told. */
  get open(): boolean {
    return this.#open;
  }

  /** Waits end; work goes on. */
  endWaits(reason: string): void {
    this.#patience ??= new AbortController();
    this.#patience.abort(new Failure('cancelled', reason));
  }

  /** Work ends too. */
  abort(reason: string): void {
    this.endWaits(reason);
    this.#abort ??= new AbortController();
    this.#abort.abort(new Failure('cancelled', reason));
  }

  /** The connection is gone: the peer delivers the message again, whatever is said now. */
  abandon(): void {
    this.#open = false;
    this.endWaits('the connection that delivered the message was lost');
  }

  /** Tells the peer, once. Never rejects: a message whose settlement did not arrive is delivered again. */
  async settle(settlement: Settlement): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      await this.arrival.settle(settlement);
    } catch {
      // The peer was not told.
    } finally {
      this.#settled(this);
    }
  }

  /** Hands it back to wait at the peer; whether that was done. */
  async postpone(retry: Retry): Promise<boolean> {
    if (!this.#open || this.arrival.postpone === undefined) return false;
    try {
      await this.arrival.postpone(retry);
    } catch {
      return false;
    }
    this.#open = false;
    this.#settled(this);
    return true;
  }
}
