import { Fields } from '@svc/protocol/cel';
import type { Channel, ConsumeMessage, GetMessage } from 'amqplib';
import type { Codec } from '../../../formats/registry.ts';
import { bodyOf } from '../../../intake/body.ts';
import type { BrokerMessage } from '../../../intake/broker-delivery.ts';
import { originIn } from '../../../intake/dead-letters.ts';
import type { Settlement } from '../../../intake/driver.ts';
import type { AmqpConnection } from './connection.ts';

/** A message as the client library delivers it, pushed or pulled. */
export type Received = ConsumeMessage | GetMessage;

/** The headers that keep where a message was published to while it is sent again. */
const [exchangeHeader, keyHeader] = ['x-svc-exchange', 'x-svc-routing-key'];

/** A message of a queue. */
export class AmqpMessage implements BrokerMessage {
  readonly key: string;
  readonly id: unknown;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, string>>;
  /** Quorum queues count deliveries. */
  readonly countHeader = 'x-delivery-count';
  readonly returnable = true;
  readonly #received: Received;
  readonly #connection: Pick<AmqpConnection, 'channel' | 'send'>;

  constructor(received: Received, connection: Pick<AmqpConnection, 'channel' | 'send'>) {
    const { fields, properties, content } = received;
    this.#received = received;
    this.#connection = connection;
    this.id = properties.messageId;
    this.content = content;
    this.headers = properties.headers ?? {};
    // What was sent again came through the default exchange.
    const origin = fields.exchange === '' ? originIn(this.headers, [exchangeHeader, keyHeader]) : undefined;
    this.origin = origin ?? { [exchangeHeader]: fields.exchange, [keyHeader]: fields.routingKey };
    this.key = this.origin[keyHeader] ?? '';
  }

  async input(codec: Codec | undefined): Promise<Record<string, unknown>> {
    const input = new Fields() as Record<string, unknown>;
    input['body'] = await bodyOf(this.content, codec);
    input['headers'] = plainTable(this.headers);
    input['properties'] = propertiesOf(this.#received);
    input['routing_key'] = this.key;
    input['exchange'] = this.origin[exchangeHeader];
    return input;
  }

  settle({ kind }: Settlement): void {
    // The types of the library ask for a pushed message; of either only the tag is read.
    const received = this.#received as Parameters<Channel['ack']>[0];
    const { channel } = this.#connection;
    if (kind === 'ack') channel.ack(received);
    else channel.nack(received, false, kind === 'requeue');
  }

  /** Through the default exchange, so that no other queue gets it too. */
  resend(queue: string, headers: Readonly<Record<string, string | number>>): Promise<void> {
    const { properties, content } = this.#received;
    const persistent = properties.deliveryMode === 2;
    const options = { ...(properties as object), persistent, headers: { ...properties.headers, ...headers } };
    return this.#connection.send('', queue, content, options);
  }
}

/** Properties by the names that flows know them by; the client library writes them otherwise. */
const properties = {
  message_id: 'messageId',
  correlation_id: 'correlationId',
  content_type: 'contentType',
  content_encoding: 'contentEncoding',
  delivery_mode: 'deliveryMode',
  priority: 'priority',
  reply_to: 'replyTo',
  expiration: 'expiration',
  type: 'type',
  user_id: 'userId',
  app_id: 'appId',
  timestamp: 'timestamp',
} as const;

function propertiesOf(received: Received): Record<string, unknown> {
  const map = new Fields() as Record<string, unknown>;
  for (const [name, written] of Object.entries(properties)) map[name] = received.properties[written] ?? null;
  map['delivery_tag'] = received.fields.deliveryTag;
  map['redelivered'] = received.fields.redelivered;
  return map;
}

/** A table of the protocol as a map of plain values: bytes become text, times Unix seconds, decimals numbers. */
function plainTable(table: object): Record<string, unknown> {
  const map = new Fields() as Record<string, unknown>;
  for (const [name, value] of Object.entries(table)) map[name] = plain(value);
  return map;
}

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const { '!': kind, value: inner } = value as { readonly '!'?: unknown; readonly value?: unknown };
  if (kind === undefined) return plainTable(value);
  if (kind !== 'decimal') return plain(inner);
  const { places, digits } = inner as { readonly places: number; readonly digits: number };
  return digits / 10 ** places;
}
