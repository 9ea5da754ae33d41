import type { Channel, ConfirmChannel } from 'amqplib';
import type { Binding } from '../../../contracts/source.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Arrival, Driver, Inlet, RetryPolicy } from '../../../intake/driver.ts';
import { topicPatterns } from '../../../intake/routes.ts';
import { withinTime } from '../../../net/within-time.ts';
import { QueueMessage } from './arrival.ts';
import type { Life, LinkUser } from './link.ts';
import { Returns } from './returns.ts';
import type { Topology } from './topology.ts';

/** Milliseconds in which a broker ends a subscription; a silent one never does. */
const longestCancel = 2_000;

export interface QueueOptions {
  /** Undefined: the queues are those that the flows name. */
  readonly queue: string | undefined;
  readonly prefetch: number;
  readonly workers: number;
  readonly topology: Topology;
  /** Asks for another connection: this one does not deliver any more. */
  readonly renew: (reason: string) => void;
}

interface Consumer {
  readonly channel: Channel;
  readonly tags: readonly string[];
}

/** Delivers the messages of queues over the channel of a link, for the intake. */
export class QueueDriver implements Driver, LinkUser {
  readonly type = 'amqp_broker';
  readonly patterns = topicPatterns;
  readonly window: number;
  readonly workers: number;
  readonly retries: RetryPolicy;
  inlet: Inlet | undefined;
  readonly #options: QueueOptions;
  #queues: readonly string[];
  #channel: ConfirmChannel | undefined;
  #returns: Returns | undefined;
  #consumer: Consumer | undefined;
  #consumers = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#queues = options.queue === undefined ? [] : [options.queue];
    this.window = options.prefetch;
    this.workers = options.workers;
    const { deadLetters } = options.topology;
    this.retries =
      deadLetters === undefined
        ? { most: undefined, keepsRejected: false, pause: 'slot' }
        : {
            most: deadLetters.maxRetries,
            keepsRejected: true,
            pause: deadLetters.retryDelay === undefined ? 'slot' : 'peer',
          };
  }

  get name(): string {
    return this.#queues.join(',');
  }

  /** Queues that flows name, where the connector names none. */
  follow(bindings: readonly Binding[]): boolean {
    if (this.#options.queue !== undefined) return false;
    const before = this.name;
    this.#queues = [...new Set(bindings.flatMap(({ operation }) => operation || []))];
    return this.name !== before;
  }

  renew(reason: string): void {
    this.#options.renew(reason);
  }

  /** Rejects when a queue does not exist and is not declared either. */
  async attach(life: Life): Promise<void> {
    for (const queue of this.#queues) await this.#options.topology.ensure(life, queue);
    this.#channel = life.channel;
    this.#returns = new Returns(life.channel);
    await this.inlet?.connected();
  }

  detach(): void {
    this.#channel = undefined;
    this.#returns = undefined;
    this.#consumer = undefined;
    this.inlet?.disconnected();
  }

  async subscribe(window: number, deliver: (arrival: Arrival) => void): Promise<void> {
    const channel = this.#open();
    await channel.prefetch(window);
    const number = ++this.#consumers;
    const tags = this.#queues.map((_, at) => `svc-${process.pid}-${number}-${at}`);
    const consumer: Consumer = { channel, tags };
    this.#consumer = consumer;
    for (const [at, queue] of this.#queues.entries())
      await channel.consume(
        queue,
        (message) => {
          if (message !== null) deliver(this.#arrival(queue, message, channel));
          else if (this.#consumer === consumer) this.renew('the broker ended the consumer: is the queue gone?');
        },
        { consumerTag: tags[at] as string },
      );
  }

  async unsubscribe(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    if (consumer === undefined) return;
    const cancelled = () => Promise.all(consumer.tags.map((tag) => consumer.channel.cancel(tag)));
    await withinTime(longestCancel, cancelled);
  }

  async take(): Promise<Arrival | undefined> {
    const channel = this.#open();
    for (const queue of this.#queues) {
      const message = await channel.get(queue);
      if (message) return this.#arrival(queue, message, channel);
    }
    return undefined;
  }

  async waiting(): Promise<number | undefined> {
    const channel = this.#channel;
    if (channel === undefined) return undefined;
    let count = 0;
    for (const queue of this.#queues) count += (await channel.checkQueue(queue)).messageCount;
    return count;
  }

  /**
   * Asks the broker for each queue over the channel that consumes: corrupted or silent connections do not answer.
   * Rejects with what is wrong.
   */
  async probe(): Promise<void> {
    const { consumer, channel } = { consumer: this.#consumer, channel: this.#open() };
    for (const queue of this.#queues) {
      const { consumerCount } = await channel.checkQueue(queue);
      if (consumer !== undefined && consumer === this.#consumer && consumerCount === 0)
        throw new Failure('connector_refused', `the broker knows no consumer of queue "${queue}"`);
    }
  }

  #open(): ConfirmChannel {
    if (this.#channel === undefined) throw new Failure('connector_refused', 'the broker is away');
    return this.#channel;
  }

  #arrival(queue: string, message: QueueMessage['received'], channel: Channel): Arrival {
    return new QueueMessage(message, channel, {
      queue,
      key: this.#options.queue === undefined ? queue : undefined,
      deadLetters: this.#options.topology.deadLetters,
      returns: this.#returns as Returns,
    });
  }
}
