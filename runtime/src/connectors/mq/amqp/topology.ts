import type { Channel, Options } from 'amqplib';
import { Failure } from '../../../foundation/errors/failure.ts';
import { deadLetterName, deadLettersOf, delayName } from '../../intake/broker/dead-letters.ts';
import { isAccepted, type Topology } from '../../intake/broker/topology.ts';
import type { AmqpConnection } from './connection.ts';
import type { Consuming, ExchangeConfig } from './consuming.ts';

/** Does something over a channel of its own. */
export type Apart = <T>(work: (channel: Channel) => Promise<T>) => Promise<T>;

/**
 * The queues of a connector at the broker. The dead-letter exchange and queue are declared together with the queue, the
 * queue of delays with `retry_delay`.
 */
export class QueueTopology implements Topology<AmqpConnection> {
  readonly place: string;
  readonly createIfMissing: boolean;
  readonly #consuming: Consuming;
  /** Queues whose dead letters are those of this configuration. */
  readonly #own = new Set<string>();

  constructor(consuming: Consuming, vhost: string) {
    const { consumer, queue } = consuming;
    this.place = `virtual host "${vhost}"`;
    this.createIfMissing = consumer.create_if_missing || queue?.create_if_missing === true;
    this.#consuming = consuming;
  }

  /** Where messages of a queue go that are given up; undefined where the broker alone knows that. */
  deadLettersOf(queue: string): { readonly exchange: string; readonly key: string | undefined } | undefined {
    if (!this.#own.has(queue)) return undefined;
    const { dlq } = this.#consuming.consumer;
    return { exchange: dlq?.exchange ?? `${queue}.dlx`, key: dlq?.routing_key || undefined };
  }

  exists(connection: AmqpConnection, queue: string): Promise<boolean> {
    return isAccepted(() => connection.apart((channel) => channel.checkQueue(queue)), /404|NOT_FOUND/);
  }

  async declare(connection: AmqpConnection, queue: string, exists: boolean): Promise<boolean> {
    const { consumer, exchange } = this.#consuming;
    const { retryDelay, isExternal = true } = deadLettersOf(consumer) ?? {};
    if (exchange !== undefined) await ensureExchange((work) => connection.apart(work), exchange, this.place);
    if (isExternal && !exists) await connection.apart((channel) => channel.assertQueue(queue, this.#options()));
    const hasDeadLetters = isExternal || (await this.#declareWithDeadLetters(connection, queue));
    if (exchange !== undefined && (this.createIfMissing || exchange.create_if_missing)) {
      const { name, routing_key: key = queue, bind_args } = exchange;
      await connection.channel.bindQueue(queue, name, key, bind_args);
    }
    if (retryDelay !== undefined) {
      const delaying = { ...deadLetterArguments('', queue), 'x-message-ttl': retryDelay };
      await connection.channel.assertQueue(delayName(queue, retryDelay), { arguments: delaying });
    }
    return hasDeadLetters;
  }

  /** Declaring a queue as it is changes nothing; one that differs is left alone. */
  async #declareWithDeadLetters(connection: AmqpConnection, queue: string): Promise<boolean> {
    const { dlq } = this.#consuming.consumer;
    const exchange = dlq?.exchange ?? `${queue}.dlx`;
    const deadLetters = dlq?.queue ?? deadLetterName(queue);
    const key = dlq?.routing_key ?? '';
    const options = this.#options(deadLetterArguments(exchange, key));
    const declare = () => connection.apart((channel) => channel.assertQueue(queue, options));
    this.#own.delete(queue);
    if (!(await isAccepted(declare, /406|PRECONDITION/))) return false;
    const { channel } = connection;
    // Without a routing key every message keeps its own, so that the exchange has to forward all of them.
    await channel.assertExchange(exchange, key === '' ? 'fanout' : 'direct');
    await channel.assertQueue(deadLetters);
    await channel.bindQueue(deadLetters, exchange, key);
    this.#own.add(queue);
    return true;
  }

  #options(further: Readonly<Record<string, unknown>> = {}): Options.AssertQueue {
    const { queue } = this.#consuming;
    if (queue === undefined) return { arguments: further };
    const { type, durable, auto_delete: autoDelete, exclusive, single_active_consumer: isSingle, args } = queue;
    return {
      durable,
      autoDelete,
      exclusive,
      arguments: {
        ...args,
        ...(type !== 'classic' && { 'x-queue-type': type }),
        ...(isSingle && { 'x-single-active-consumer': true }),
        // A stream has no dead letters of its own.
        ...(type !== 'stream' && further),
      },
    };
  }
}

/** Checks an exchange, or declares it where its block asks for that. */
export async function ensureExchange(apart: Apart, exchange: ExchangeConfig, place: string): Promise<void> {
  const { name, type, durable, auto_delete: autoDelete, internal, args, create_if_missing } = exchange;
  if (await isAccepted(() => apart((channel) => channel.checkExchange(name)), /404|NOT_FOUND/)) return;
  if (!create_if_missing)
    throw new Failure(
      'connector_failed',
      `exchange "${name}" does not exist in ${place}: declare it at the broker first, or write create_if_missing = true in the exchange block`,
      { retriable: false },
    );
  await apart((channel) =>
    channel.assertExchange(name, type, { durable, autoDelete, internal, arguments: args ?? {} }),
  );
}

/** Without a key rejected messages keep their own. */
function deadLetterArguments(exchange: string, key: string): Record<string, string> {
  return { 'x-dead-letter-exchange': exchange, ...(key !== '' && { 'x-dead-letter-routing-key': key }) };
}
