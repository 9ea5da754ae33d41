import type { Channel } from 'amqplib';
import { Failure } from '../../../errors/failure.ts';
import type { Disposition } from './disposition.ts';
import type { Received } from './message.ts';

/** One message that this service holds until it is settled. */
export class Delivery {
  readonly received: Received;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Fires when it shall wait no longer, for others or for its return. */
  readonly hurry = new AbortController();
  readonly #channel: Channel;
  readonly #settled: (delivery: Delivery) => void;
  #open = true;

  constructor(received: Received, channel: Channel, since: number, settled: (delivery: Delivery) => void) {
    this.received = received;
    this.since = since;
    this.#channel = channel;
    this.#settled = settled;
  }

  /** The channel is gone: the broker delivers it again, whatever is said now. */
  abandon(): void {
    this.#open = false;
    this.hurry.abort(new Failure('cancelled', 'the connection to the broker was lost'));
  }

  /** Tells the broker, once. */
  settle(kind: Disposition['kind']): void {
    if (!this.#open) return;
    this.#open = false;
    this.#settled(this);
    try {
      // The types of the library ask for a pushed message; of either only the tag is read.
      const message = this.received as Parameters<Channel['ack']>[0];
      if (kind === 'ack') this.#channel.ack(message);
      else this.#channel.nack(message, false, kind === 'requeue');
    } catch {
      // Only a closed channel throws: the message comes again.
    }
  }
}
