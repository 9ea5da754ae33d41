import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { ConnectedDriver, ConnectOptions, Deliver, SourceStatus } from '../../../intake/connected-driver.ts';
import { topicPatterns } from '../../../intake/routes.ts';
import { addressOf, type ConsumingConfig } from './address.ts';
import { AmqpConnection } from './connection.ts';
import { AmqpMessage } from './message.ts';
import { QueueTopology } from './topology.ts';

/** Delivers the messages of queues, for the intake. */
export class QueueDriver implements ConnectedDriver<AmqpConnection> {
  readonly type = 'amqp_broker';
  readonly sourceKind = 'queue';
  readonly patterns = topicPatterns;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly sources;
  readonly topology;
  readonly #config: ConsumingConfig;
  readonly #clientProperties;

  constructor(name: string, config: ConsumingConfig, { userAgent: product }: ConnectorServices) {
    const { consumer, tls, connection_name = name } = config;
    this.server = addressOf(config);
    this.tls = tls;
    this.consumer = consumer;
    this.sources = consumer.queue === undefined ? undefined : [consumer.queue];
    this.topology = new QueueTopology(consumer, this.server.vhost);
    this.#config = config;
    this.#clientProperties = { product, connection_name };
  }

  connect({ tls, lost }: ConnectOptions): Promise<AmqpConnection> {
    const { heartbeat, max_message: mostBytes } = this.#config;
    const clientProperties = this.#clientProperties;
    return AmqpConnection.open(this.server, { heartbeat, mostBytes, clientProperties, tls, lost });
  }

  async subscribe(connection: AmqpConnection, queues: readonly string[], window: number, deliver: Deliver) {
    const { channel } = connection;
    const tags: string[] = [];
    await channel.prefetch(window);
    for (const queue of queues) {
      const { consumerTag } = await channel.consume(queue, (received) => {
        if (received === null) connection.lose('the broker ended the consumer: is the queue gone?');
        else deliver(new AmqpMessage(received, connection), queue);
      });
      tags.push(consumerTag);
    }
    return () => Promise.all(tags.map((tag) => channel.cancel(tag)));
  }

  async take(connection: AmqpConnection, queue: string): Promise<AmqpMessage | undefined> {
    const received = await connection.channel.get(queue);
    return received ? new AmqpMessage(received, connection) : undefined;
  }

  /**
   * Asks over the channel that consumes: corrupted or silent connections do not answer, and the broker closes the channel
   * when the queue is gone.
   */
  async inspect({ channel }: AmqpConnection, queue: string): Promise<SourceStatus> {
    const { messageCount, consumerCount } = await channel.checkQueue(queue);
    return { waiting: messageCount, consumers: consumerCount };
  }
}
