import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import { consumer as consumerSpec, type exchange, type queue } from './consumer-spec.ts';
import type { AmqpConfig } from './spec.ts';

export type ConsumerConfig = Values<typeof consumerSpec>;
export type QueueConfig = Values<typeof queue>;
export type ExchangeConfig = Values<typeof exchange>;

/** What a connector that takes messages says of them. */
export interface Consuming {
  readonly consumer: ConsumerConfig;
  readonly queue: QueueConfig | undefined;
  readonly exchange: ExchangeConfig | undefined;
  /** The queue that is taken from; undefined: those that flows name. */
  readonly name: string | undefined;
}

/** Undefined: it takes nothing. A `queue` block alone is taken from as a `consumer` block without attributes would be. */
export function consumingOf({ consumer, queue, exchange }: AmqpConfig): Consuming | undefined {
  if (consumer === undefined && queue === undefined) return undefined;
  if (consumer?.queue !== undefined && queue?.name !== undefined && consumer.queue !== queue.name)
    throw new Failure('connector_failed', 'consumer.queue and queue.name are different queues: write one of them', {
      retriable: false,
    });
  const written = consumer ?? (standards as unknown as ConsumerConfig);
  return { consumer: written, queue, exchange, name: written.queue ?? queue?.name };
}

const standards = Object.fromEntries(
  Object.entries(consumerSpec.attributes).map(([name, attribute]) => [name, attribute.default]),
);
