import { deadLetterName, deadLettersOf, delayName } from '../../../intake/dead-letters.ts';
import { isAccepted, type Topology } from '../../../intake/topology.ts';
import type { ConsumingConfig } from './address.ts';
import type { AmqpConnection } from './connection.ts';

/**
 * The queues of a connector at the broker. The dead-letter exchange and queue are declared together with the queue, the
 * queue of delays with `retry_delay`.
 */
export class QueueTopology implements Topology<AmqpConnection> {
  readonly place: string;
  readonly createIfMissing: boolean;
  readonly #consumer: ConsumingConfig['consumer'];

  constructor(consumer: ConsumingConfig['consumer'], vhost: string) {
    this.place = `virtual host "${vhost}"`;
    this.createIfMissing = consumer.create_if_missing;
    this.#consumer = consumer;
  }

  exists(connection: AmqpConnection, queue: string): Promise<boolean> {
    return isAccepted(() => connection.apart((channel) => channel.checkQueue(queue)), /404|NOT_FOUND/);
  }

  async declare(connection: AmqpConnection, queue: string, exists: boolean): Promise<boolean> {
    const { retryDelay, isExternal = true } = deadLettersOf(this.#consumer) ?? {};
    if (isExternal && !exists) await connection.apart((channel) => channel.assertQueue(queue));
    const hasDeadLetters = isExternal || (await this.#declareWithDeadLetters(connection, queue));
    if (retryDelay !== undefined) {
      const delaying = { ...deadLetterArguments('', queue), 'x-message-ttl': retryDelay };
      await connection.channel.assertQueue(delayName(queue, retryDelay), { arguments: delaying });
    }
    return hasDeadLetters;
  }

  /** Declaring a queue as it is changes nothing; one that differs is left alone. */
  async #declareWithDeadLetters(connection: AmqpConnection, queue: string): Promise<boolean> {
    const { dlq } = this.#consumer;
    const exchange = dlq?.exchange ?? `${queue}.dlx`;
    const deadLetters = dlq?.queue ?? deadLetterName(queue);
    const key = dlq?.routing_key ?? '';
    const options = { arguments: deadLetterArguments(exchange, key) };
    const declare = () => connection.apart((channel) => channel.assertQueue(queue, options));
    if (!(await isAccepted(declare, /406|PRECONDITION/))) return false;
    const { channel } = connection;
    // Without a routing key every message keeps its own, so that the exchange has to forward all of them.
    await channel.assertExchange(exchange, key === '' ? 'fanout' : 'direct');
    await channel.assertQueue(deadLetters);
    await channel.bindQueue(deadLetters, exchange, key);
    return true;
  }
}

/** Without a key rejected messages keep their own. */
function deadLetterArguments(exchange: string, key: string): Record<string, string> {
  return { 'x-dead-letter-exchange': exchange, ...(key !== '' && { 'x-dead-letter-routing-key': key }) };
}
