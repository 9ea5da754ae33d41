import { createHash } from 'node:crypto';
import type { Channel } from 'amqplib';
import type { Codec } from '../../../formats/registry.ts';
import type { Arrival, Retry, Settlement } from '../../../intake/driver.ts';
import { messageOf, type Origin, originHeaders, originOf, type Received } from './message.ts';
import type { Returns } from './returns.ts';
import { type DeadLetters, delayQueue } from './topology.ts';

const standardRetryHeader = 'x-retry-count';
const errorHeader = 'x-last-error';

interface Context {
  readonly queue: string;
  /** What operations are matched against, where it is not the routing key. */
  readonly key: string | undefined;
  readonly deadLetters: DeadLetters | undefined;
  readonly returns: Returns;
}

/** A message of a queue, pushed or pulled. */
export class QueueMessage implements Arrival {
  readonly received: Received;
  readonly key: string;
  readonly returnable = true;
  readonly #channel: Channel;
  readonly #context: Context;
  readonly #origin: Origin;

  constructor(received: Received, channel: Channel, context: Context) {
    this.received = received;
    this.#channel = channel;
    this.#context = context;
    this.#origin = originOf(received);
    this.key = context.key ?? this.#origin.routingKey;
  }

  get id(): string | undefined {
    const { messageId } = this.received.properties as { readonly messageId?: unknown };
    return typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
  }

  identity(): string {
    const { id } = this;
    if (id !== undefined) return `id ${id}`;
    const { exchange, routingKey } = this.#origin;
    return createHash('sha1').update(`${exchange}\n${routingKey}\n`).update(this.received.content).digest('base64');
  }

  /** What this service counted in its header, or what a quorum queue counts by itself. */
  get tries(): number {
    const headers = (this.received.properties.headers ?? {}) as Readonly<Record<string, unknown>>;
    return Math.max(count(headers[this.#retryHeader]), count(headers['x-delivery-count']));
  }

  message(codec: Codec | undefined): ReturnType<typeof messageOf> {
    return messageOf(this.received, this.#origin, codec);
  }

  settle({ kind }: Settlement): void {
    // The types of the library ask for a pushed message; of either only the tag is read.
    const message = this.received as Parameters<Channel['ack']>[0];
    if (kind === 'ack') this.#channel.ack(message);
    else this.#channel.nack(message, false, kind === 'requeue');
  }

  /**
   * The same bytes go to the end of the queue that failed, alone: through the default exchange, so that no other queue
   * gets them too. The original is acknowledged after the broker has confirmed them.
   */
  async postpone({ tries, reason }: Retry): Promise<void> {
    const { queue, deadLetters, returns } = this.#context;
    const delay = deadLetters?.retryDelay;
    const { properties, content } = this.received;
    await returns.send(delay === undefined ? queue : delayQueue(queue, delay), content, {
      ...(properties as object),
      persistent: properties.deliveryMode === 2,
      headers: {
        ...properties.headers,
        ...originHeaders(this.#origin),
        [this.#retryHeader]: tries,
        [errorHeader]: reason,
      },
    });
    this.settle({ kind: 'ack' });
  }

  get #retryHeader(): string {
    return this.#context.deadLetters?.retryHeader ?? standardRetryHeader;
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}
