import { Failure } from '../../../errors/failure.ts';
import type { Log } from '../../../observe/log.ts';
import type { AmqpConfig } from './address.ts';
import { type Life, textOf } from './link.ts';

/** How a failed message travels until it is given up. */
export interface DeadLetters {
  /** Tries after the first one. */
  readonly maxRetries: number;
  /** Milliseconds that it waits in a queue of the broker before each try; undefined: it pauses here. */
  readonly retryDelay: number | undefined;
  readonly retryHeader: string;
}

type Consumer = AmqpConfig['consumer'];

/**
 * The queues of a connector at the broker. Nothing is declared over what exists: the queue only with
 * `create_if_missing`, its dead-letter exchange and queue only together with it, the queue of delays with `retry_delay`.
 */
export class Topology {
  readonly deadLetters: DeadLetters | undefined;
  readonly #consumer: Consumer;
  readonly #vhost: string;
  readonly #log: Log;
  readonly #warned = new Set<string>();

  constructor(consumer: Consumer, vhost: string, log: Log) {
    const { dlq, retry_count } = consumer;
    this.#consumer = consumer;
    this.#vhost = vhost;
    this.#log = log;
    if (dlq?.enabled === true || (dlq === undefined && retry_count !== undefined))
      this.deadLetters = {
        maxRetries: dlq?.max_retries ?? retry_count ?? 3,
        retryDelay: dlq?.retry_delay,
        retryHeader: dlq?.retry_header ?? 'x-retry-count',
      };
  }

  /** Rejects when the queue does not exist and is not to be declared. */
  async ensure(life: Life, queue: string): Promise<void> {
    const { dlq, create_if_missing } = this.#consumer;
    const isThere = await this.#exists(life, queue);
    if (!isThere && !create_if_missing) {
      const text = `queue "${queue}" does not exist in virtual host "${this.#vhost}": declare it at the broker first, or write create_if_missing = true in the consumer block`;
      throw new Failure('connector_failed', text, { retriable: false });
    }
    const owns = this.deadLetters !== undefined && dlq?.external !== true;
    if (!isThere || owns) await this.#declare(life, queue, isThere, owns);
    if (this.deadLetters?.retryDelay !== undefined) await declareDelay(life, queue, this.deadLetters.retryDelay);
  }

  async #exists({ model }: Life, queue: string): Promise<boolean> {
    // The broker closes the channel of a refused look, so that one is made for it.
    return apart(model, (channel) => channel.checkQueue(queue)).then(
      () => true,
      (error: unknown) => {
        if (/404|NOT_FOUND/.test(textOf(error))) return false;
        throw error;
      },
    );
  }

  /** Declaring a queue as it is changes nothing; one that differs is left alone. */
  async #declare({ model, channel }: Life, queue: string, isThere: boolean, owns: boolean): Promise<void> {
    const { dlq } = this.#consumer;
    const exchange = dlq?.exchange ?? `${queue}.dlx`;
    const dead = dlq?.queue ?? `${queue}.dlq`;
    const key = dlq?.routing_key ?? '';
    const deadLettering = {
      'x-dead-letter-exchange': exchange,
      ...(key === '' ? {} : { 'x-dead-letter-routing-key': key }),
    };
    try {
      await apart(model, (one) => one.assertQueue(queue, { durable: true, arguments: owns ? deadLettering : {} }));
    } catch (error) {
      if (!isThere || !/406|PRECONDITION/.test(textOf(error))) throw error;
      this.#warnOnce(queue);
      return;
    }
    if (!owns) return;
    // Without a routing key every message keeps its own, so that the exchange has to hand on all of them.
    await channel.assertExchange(exchange, key === '' ? 'fanout' : 'direct', { durable: true });
    await channel.assertQueue(dead, { durable: true });
    await channel.bindQueue(dead, exchange, key);
  }

  #warnOnce(queue: string): void {
    if (this.#warned.has(queue)) return;
    this.#warned.add(queue);
    this.#log.warn(
      'the queue exists without the dead letters of this configuration: rejected messages are discarded unless a policy of the broker keeps them; write external = true in the dlq block when one does',
      { queue },
    );
  }
}

/** Name of the queue in which messages wait before another try. Its delay is part of it: a broker cannot change one. */
export function delayQueue(queue: string, delay: number): string {
  return `${queue}.retry.${delay}`;
}

async function declareDelay({ channel }: Life, queue: string, delay: number): Promise<void> {
  await channel.assertQueue(delayQueue(queue, delay), {
    durable: true,
    arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue, 'x-message-ttl': delay },
  });
}

async function apart<T>(model: Life['model'], work: (channel: Life['channel']) => Promise<T>): Promise<T> {
  const channel = await model.createConfirmChannel();
  channel.on('error', () => undefined);
  const result = await work(channel);
  await channel.close();
  return result;
}
