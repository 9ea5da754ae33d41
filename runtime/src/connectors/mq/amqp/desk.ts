import type { GetMessage } from 'amqplib';
import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { DeskOptions, QueueDesk, QueuedMessage, QueueSide, ReplayedMessage } from '../../../contracts/queue.ts';
import { Failure } from '../../../errors/failure.ts';
import { deadLetterName, deadLettersOf, errorHeader } from '../../../intake/broker/dead-letters.ts';
import { closeGracefully, refusedBy, textOf } from '../../../net/connection.ts';
import { readAccess } from '../../../net/tls.ts';
import { type AmqpConfig, addressOf } from './address.ts';
import { AmqpConnection } from './connection.ts';
import type { Consuming } from './consuming.ts';
import { exchangeHeader, keyHeader, plainTable } from './message.ts';

/** Looks at the messages of queues: the broker gives them, and has each back at its place. */
export class AmqpDesk implements QueueDesk {
  readonly #connection: AmqpConnection;
  readonly #consuming: Consuming;
  readonly #queues: readonly string[];

  private constructor(connection: AmqpConnection, consuming: Consuming, queues: readonly string[]) {
    this.#connection = connection;
    this.#consuming = consuming;
    this.#queues = queues;
  }

  static async open(
    name: string,
    config: AmqpConfig,
    consuming: Consuming,
    { operations }: DeskOptions,
    services: ConnectorServices,
  ): Promise<AmqpDesk> {
    if (consuming.queue?.type === 'stream')
      throw refusal(
        'a stream gives no message on demand: its messages stay, and a consumer reads them from where it says',
      );
    const address = addressOf(config);
    const { heartbeat, max_message: mostBytes, connection_name = name } = config;
    const connection = await AmqpConnection.open(address, {
      heartbeat,
      mostBytes,
      clientProperties: { product: services.userAgent, connection_name: `${connection_name} (queue)` },
      tls: await readAccess(address, config.tls, services),
      lost: () => undefined,
    }).catch((error: unknown) => {
      throw refusedBy(address.text, error);
    });
    return new AmqpDesk(connection, consuming, consuming.name === undefined ? operations : [consuming.name]);
  }

  async peek(side: QueueSide, limit: number): Promise<readonly QueuedMessage[]> {
    const found: QueuedMessage[] = [];
    for (const queue of this.#queues) {
      const from = side === 'waiting' ? queue : this.#deadLettersOf(queue);
      await this.#existing(from);
      // What is not acknowledged when its channel ends is back at its place.
      await this.#connection.apart(async (channel) => {
        for (let number = 1; found.length < limit; number++) {
          const message = await channel.get(from);
          if (message === false) break;
          found.push(queued(message, from, number));
        }
      });
    }
    return found;
  }

  async replay(limit: number, sent: (message: ReplayedMessage) => void): Promise<void> {
    let left = limit;
    for (const queue of this.#queues) {
      const from = this.#deadLettersOf(queue);
      const there = await this.#existing(from);
      const { channel } = this.#connection;
      for (let number = 1; number <= there && left > 0; number++, left--) {
        const message = await channel.get(from);
        if (message === false) break;
        try {
          await this.#resend(queue, message);
        } catch (error) {
          channel.nack(message);
          throw refusal(`dead letter ${number} of "${from}" cannot be sent back to "${queue}": ${textOf(error)}`);
        }
        channel.ack(message);
        sent({ ...queued(message, from, number), to: queue });
      }
    }
  }

  close(): Promise<void> {
    return closeGracefully(this.#connection);
  }

  #deadLettersOf(queue: string): string {
    return this.#consuming.consumer.dlq?.queue ?? deadLetterName(queue);
  }

  /** Messages that are there. */
  async #existing(queue: string): Promise<number> {
    try {
      return (await this.#connection.apart((channel) => channel.checkQueue(queue))).messageCount;
    } catch (error) {
      if (/404|NOT_FOUND/.test(String(error))) throw refusal(`queue "${queue}" does not exist at the broker`);
      throw error;
    }
  }

  /** To its queue alone, with what its flow is chosen by, and with every try before it. */
  #resend(queue: string, { properties, content, fields }: GetMessage): Promise<void> {
    const retryHeader = deadLettersOf(this.#consuming.consumer)?.retryHeader ?? '';
    const {
      [errorHeader]: _,
      [retryHeader]: __,
      'x-death': deaths,
      ...kept
    } = (properties.headers ?? {}) as Record<string, unknown>;
    const [death] = (Array.isArray(deaths) ? deaths : []) as { exchange?: unknown; 'routing-keys'?: unknown[] }[];
    const origin = {
      [exchangeHeader]: typeof death?.exchange === 'string' ? death.exchange : '',
      [keyHeader]: String(death?.['routing-keys']?.[0] ?? fields.routingKey),
    };
    const persistent = properties.deliveryMode === 2;
    const options = { ...(properties as object), persistent, headers: { ...origin, ...kept } };
    return this.#connection.send('', queue, content, options);
  }
}

function queued({ fields, properties, content }: GetMessage, source: string, number: number): QueuedMessage {
  const headers = plainTable(properties.headers ?? {});
  return { source, position: String(number), key: fields.routingKey, headers, content };
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
