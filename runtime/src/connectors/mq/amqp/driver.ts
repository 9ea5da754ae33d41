import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { QueueCounts } from '../../../foundation/contracts/queue.ts';
import type { ConnectedDriver, ConnectOptions, Deliver, SourceStatus } from '../../intake/broker/connected-driver.ts';
import { topicPatterns } from '../../intake/dispatch/routes.ts';
import { addressOf } from './address.ts';
import { AmqpConnection } from './connection.ts';
import type { Consuming } from './consuming.ts';
import { AmqpMessage, type Received, type TakenFrom } from './message.ts';
import type { BrokerProperties } from './other-brokers.ts';
import type { AmqpConfig } from './spec.ts';
import { StreamPosition } from './stream-position.ts';
import { QueueTopology } from './topology.ts';

/** Delivers the messages of queues, for the intake. */
export class QueueDriver implements ConnectedDriver<AmqpConnection> {
  readonly type = 'amqp_broker';
  readonly sourceKind = 'queue';
  readonly patterns = topicPatterns;
  /** Prefetch is of each consumer, and one that is cancelled leaves what it was given unacknowledged. */
  readonly countsBySubscription = true;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly mostBytes: number;
  readonly sources;
  readonly topology;
  readonly #config: AmqpConfig;
  readonly #seen: (broker: BrokerProperties) => void;
  readonly #clientProperties;
  /** Undefined where no `queue` block says it. */
  readonly #isStream: boolean | undefined;
  readonly #positions = new Map<string, StreamPosition>();

  constructor(
    name: string,
    config: AmqpConfig,
    consuming: Consuming,
    { userAgent: product }: ConnectorServices,
    seen: (broker: BrokerProperties) => void,
  ) {
    const { tls, connection_name = name } = config;
    this.server = addressOf(config);
    this.tls = tls;
    this.consumer = consuming.consumer;
    this.sources = consuming.name === undefined ? undefined : [consuming.name];
    this.topology = new QueueTopology(consuming, this.server.vhost);
    this.mostBytes = config.max_message;
    this.#config = config;
    this.#seen = seen;
    this.#clientProperties = { product, connection_name };
    this.#isStream = consuming.queue && consuming.queue.type === 'stream';
  }

  connect({ tls, lost }: ConnectOptions): Promise<AmqpConnection> {
    const { heartbeat, max_message: mostBytes } = this.#config;
    const clientProperties = this.#clientProperties;
    const options = { heartbeat, mostBytes, passesOver: true, clientProperties, tls, lost, seen: this.#seen };
    return AmqpConnection.open(this.server, options);
  }

  async subscribe(connection: AmqpConnection, queues: readonly string[], window: number, deliver: Deliver) {
    const { channel } = connection;
    const tags: string[] = [];
    await channel.prefetch(window);
    for (const [at, queue] of queues.entries()) {
      const from = this.#from(queue, this.consumer.auto_ack);
      const take = (received: Received | null) => {
        if (received === null) connection.lose('the broker ended the consumer: is the queue gone?');
        else deliver(new AmqpMessage(received, connection, from), queue);
      };
      const { consumerTag } = await channel.consume(
        queue,
        take,
        this.#options(queue, queues.length > 1 ? at + 1 : undefined),
      );
      tags.push(consumerTag);
    }
    return () => Promise.all(tags.map((tag) => channel.cancel(tag)));
  }

  /** A stream gives nothing on demand, so that one message is delivered over a consumer of its own. */
  async take(connection: AmqpConnection, queue: string): Promise<AmqpMessage | undefined> {
    const { channel } = connection;
    if (this.#isStream) return this.#takeOfStream(connection, queue);
    const received = await channel.get(queue);
    return received ? new AmqpMessage(received, connection, this.#from(queue, false)) : undefined;
  }

  /**
   * Asks over the channel that consumes: corrupted or silent connections do not answer, and the broker closes the channel
   * when the queue is gone.
   */
  async inspect({ channel }: AmqpConnection, queue: string): Promise<SourceStatus> {
    const { messageCount, consumerCount } = await channel.checkQueue(queue);
    return this.#isStream ? { consumers: consumerCount } : { waiting: messageCount, consumers: consumerCount };
  }

  async figures(connection: AmqpConnection, queue: string): Promise<QueueCounts> {
    const { waiting: ready, consumers = 0 } = await this.inspect(connection, queue);
    return { consumers, ...(ready !== undefined && { ready }) };
  }

  async #takeOfStream(connection: AmqpConnection, queue: string): Promise<AmqpMessage | undefined> {
    const { channel } = connection;
    const first = Promise.withResolvers<Received | undefined>();
    await channel.prefetch(1);
    const { consumerTag } = await channel.consume(
      queue,
      (received) => first.resolve(received ?? undefined),
      this.#options(queue, undefined),
    );
    const timer = setTimeout(() => first.resolve(undefined), longestLook);
    const received = await first.promise;
    clearTimeout(timer);
    await channel.cancel(consumerTag);
    return received && new AmqpMessage(received, connection, this.#from(queue, false));
  }

  /** One that was taken on demand is acknowledged after its flow, whatever is written. */
  #from(queue: string, acknowledgesFirst: boolean): TakenFrom {
    return {
      queue,
      deadLetters: this.topology.deadLettersOf(queue),
      acknowledgesFirst,
      isStream: this.#isStream,
      position: this.#isStream ? this.#positionOf(queue) : undefined,
    };
  }

  #positionOf(queue: string): StreamPosition {
    let position = this.#positions.get(queue);
    if (position === undefined) this.#positions.set(queue, (position = new StreamPosition()));
    return position;
  }

  #options(queue: string, number: number | undefined) {
    const { tag, exclusive, args } = this.consumer;
    const next = this.#positions.get(queue)?.next;
    return {
      exclusive,
      ...(tag !== undefined && { consumerTag: number === undefined ? tag : `${tag}.${number}` }),
      arguments: { ...args, ...(next !== undefined && { 'x-stream-offset': Number(next) }) },
    };
  }
}

/** Milliseconds in which a stream that has a message delivers it. */
const longestLook = 1_000;
