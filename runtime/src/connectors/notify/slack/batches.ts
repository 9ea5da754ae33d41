import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { fired } from '../../../platform/net/fired.ts';
import type { Sent } from '../channel.ts';
import type { Message } from '../message.ts';
import type { slackFields } from './message.ts';

type SlackMessage = Message<typeof slackFields>;

/** Messages that wait in all buckets together; further ones are sent at once. */
const mostBuffered = 10_000;

/** How messages wait for others. */
export interface BatchOptions {
  readonly connector: string;
  /** Milliseconds from the first message. */
  readonly window: number;
  readonly maxSize: number;
  /** The bucket of a message. */
  readonly bucketOf: (message: SlackMessage) => string;
  /** Sends what has waited together; one message is sent as it is. */
  readonly send: (messages: readonly SlackMessage[]) => Promise<Sent>;
  readonly services: Pick<ConnectorServices, 'clock' | 'log' | 'buffered'>;
}

interface Bucket {
  readonly name: string;
  readonly messages: SlackMessage[];
  /** Ends the wait of its window. */
  readonly stop: AbortController;
}

/** Messages that wait for others, in a bucket for each place that they go to. */
export class Batches {
  readonly #options: BatchOptions;
  readonly #buckets = new Map<string, Bucket>();
  readonly #sends = new Set<Promise<unknown>>();
  #buffered = 0;
  #isClosing = false;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /**
   * Resolves at once for a message that waits, with the bucket and how many are in it. The message that fills a bucket sends it:
   * it resolves, or rejects, with what became of it.
   */
  async add(message: SlackMessage): Promise<Sent> {
    const { maxSize, bucketOf, send } = this.#options;
    if (this.#isClosing || this.#buffered >= mostBuffered) return send([message]);
    const name = bucketOf(message);
    const bucket = this.#buckets.get(name) ?? this.#begin(name);
    bucket.messages.push(message);
    this.#count(1);
    if (bucket.messages.length >= maxSize) return this.#flush(bucket);
    return { channel: message.channel, bucket: name, buffered: bucket.messages.length };
  }

  /** Sends what waits. When `cut` fires, what is not sent then is lost, which is logged. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    for (const bucket of [...this.#buckets.values()]) this.#flushed(bucket);
    await Promise.race([Promise.allSettled(this.#sends), fired(cut)]);
  }

  #begin(name: string): Bucket {
    const bucket = { name, messages: [], stop: new AbortController() };
    this.#buckets.set(name, bucket);
    const { clock } = this.#options.services;
    clock.sleep(this.#options.window, bucket.stop.signal).then(
      () => this.#flushed(bucket),
      () => undefined,
    );
    return bucket;
  }

  /** No caller waits for it. */
  #flushed(bucket: Bucket): void {
    this.#flush(bucket).catch(() => undefined);
  }

  async #flush(bucket: Bucket): Promise<Sent> {
    const { send, services, connector } = this.#options;
    const { name, messages } = bucket;
    if (this.#buckets.get(name) === bucket) this.#buckets.delete(name);
    bucket.stop.abort();
    const sending = send(messages);
    this.#sends.add(sending);
    try {
      return await sending;
    } catch (error) {
      services.log.error('messages that waited together are lost', {
        connector,
        bucket: name,
        messages: messages.length,
        error: asFailure(error).message,
      });
      throw error;
    } finally {
      this.#sends.delete(sending);
      this.#count(-messages.length);
    }
  }

  #count(by: number): void {
    this.#buffered += by;
    this.#options.services.buffered?.(this.#options.connector, by);
  }
}
