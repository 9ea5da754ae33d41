import { Fields } from '@svc/protocol/cel';
import type { Channel, ConsumeMessage, GetMessage } from 'amqplib';
import type { Codec } from '../../../platform/formats/registry.ts';
import { bodyOf } from '../../intake/body.ts';
import type { BrokerMessage } from '../../intake/broker/broker-delivery.ts';
import { errorHeader, originIn, triesIn } from '../../intake/broker/dead-letters.ts';
import type { Said } from '../../intake/broker/honoured.ts';
import { bytesPassedOver } from '../../intake/broker/passed-over.ts';
import type { Settlement } from '../../intake/driver.ts';
import type { AmqpConnection } from './connection.ts';
import { type Copy, copied, saidBy } from './copies.ts';
import { deathsHeader, rejectedBy } from './deaths.ts';
import type { StreamPosition } from './stream-position.ts';

/** A message as the client library delivers it, pushed or pulled. */
export type Received = ConsumeMessage | GetMessage;

/** The headers that keep where a message was published to while it is sent again. */
export const [exchangeHeader, keyHeader] = ['x-svc-exchange', 'x-svc-routing-key'];

const offsetHeader = 'x-stream-offset';
/** Quorum queues count deliveries in it. */
const countHeader = 'x-delivery-count';

/** What a message needs of the connection that brought it. */
type Link = Pick<AmqpConnection, 'channel' | 'send' | 'user'>;

/** The queue that a message was taken from, and how messages of it are settled. */
export interface TakenFrom {
  readonly queue: string;
  /** Where messages go that are given up; undefined where the broker alone knows that. */
  readonly deadLetters: { readonly exchange: string; readonly key: string | undefined } | undefined;
  /** Messages are acknowledged when their flow begins. */
  readonly acknowledgesFirst: boolean;
  /**
   * Senders may write the header of streams, so that the queue says whether it is one. Undefined where nothing says it: then a
   * message with that header is tried again here, and the broker does what is right for its queue.
   */
  readonly isStream: boolean | undefined;
  /** Of a stream. */
  readonly position?: StreamPosition | undefined;
}

/** A message of a queue. */
export class AmqpMessage implements BrokerMessage {
  readonly key: string;
  readonly id: unknown;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, string>>;
  readonly tries: number;
  readonly #received: Received;
  readonly #said: Said;
  readonly #connection: Link;
  readonly #from: TakenFrom;
  /** Its offset in a stream. */
  readonly #offset: bigint | undefined;
  #isAcknowledged = false;

  constructor(received: Received, connection: Link, from: TakenFrom) {
    const { fields, properties, content } = received;
    this.#received = received;
    this.#connection = connection;
    this.#from = from;
    const offset: unknown = properties.headers?.[offsetHeader];
    const isOffset = from.isStream !== false && Number.isSafeInteger(offset);
    this.#offset = isOffset ? BigInt(offset as number) : undefined;
    if (this.#offset !== undefined) from.position?.taken(this.#offset);
    this.id = properties.messageId;
    this.content = content;
    this.#said = saidBy(properties, connection.user);
    this.headers = this.#said.headers;
    this.tries = triesIn(properties.headers?.[countHeader]);
    // What was sent again came through the default exchange.
    const origin = fields.exchange === '' ? originIn(this.headers, [exchangeHeader, keyHeader]) : undefined;
    this.origin = origin ?? { [exchangeHeader]: fields.exchange, [keyHeader]: fields.routingKey };
    this.key = this.origin[keyHeader] ?? '';
  }

  /** A stream gives a message once to each consumer, and what is acknowledged is gone. */
  get returnable(): boolean {
    return this.#offset === undefined && !this.#isAcknowledged;
  }

  /** Absent where the message is not the broker's to give again. */
  get resend(): ((queue: string, headers: Readonly<Record<string, string | number>>) => Promise<void>) | undefined {
    if (this.#from.acknowledgesFirst || this.#offset !== undefined) return undefined;
    return (queue, headers) => this.#resend(queue, headers);
  }

  get encoding(): unknown {
    return this.#received.properties.contentEncoding ?? undefined;
  }

  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>> {
    if (this.#from.acknowledgesFirst) this.#acknowledge();
    const body = bodyOf(content, codec);
    return body instanceof Promise ? body.then((ready) => this.#input(ready)) : this.#input(body);
  }

  #input(body: unknown): Record<string, unknown> {
    const input = new Fields() as Record<string, unknown>;
    input['body'] = body;
    input['headers'] = plainTable(this.headers);
    input['properties'] = propertiesOf(this.#received, this.#said.properties);
    input['routing_key'] = this.key;
    input['exchange'] = this.origin[exchangeHeader];
    return input;
  }

  settle({ kind }: Settlement): void {
    if (kind === 'ack') this.#acknowledge();
    else this.#giveBack(kind);
  }

  /** Absent where the broker has to do what its queue says. */
  get bury(): ((reason: string) => Promise<void>) | undefined {
    const { deadLetters, acknowledgesFirst } = this.#from;
    // What is not here the broker alone can move.
    if (deadLetters === undefined || acknowledgesFirst || bytesPassedOver(this.content) !== undefined) return undefined;
    return (reason) => this.#bury(deadLetters, reason);
  }

  #giveBack(kind: 'reject' | 'requeue'): void {
    if (this.#isAcknowledged) return;
    if (this.#from.isStream === true) return this.#acknowledge();
    this.#connection.channel.nack(this.#tag, false, kind === 'requeue');
  }

  // The types of the library ask for a pushed message; of either only the tag is read.
  get #tag(): Parameters<Channel['ack']>[0] {
    return this.#received as Parameters<Channel['ack']>[0];
  }

  #acknowledge(): void {
    if (this.#isAcknowledged) return;
    this.#isAcknowledged = true;
    if (this.#offset !== undefined) this.#from.position?.settled(this.#offset);
    this.#connection.channel.ack(this.#tag);
  }

  #bury({ exchange, key }: NonNullable<TakenFrom['deadLetters']>, reason: string): Promise<void> {
    const { fields } = this.#received;
    const { [deathsHeader]: before, ...headers } = this.headers;
    const deaths = rejectedBy(this.#from.queue, fields.exchange, fields.routingKey, before);
    const further = { [errorHeader]: reason, [deathsHeader]: deaths };
    const options = this.#copied({ ...this.#said, headers }, { staysInQueue: false, further });
    return this.#connection.send(exchange, key ?? fields.routingKey, this.content, options);
  }

  /** Through the default exchange, so that no other queue gets it too. */
  #resend(queue: string, further: Readonly<Record<string, string | number>>): Promise<void> {
    return this.#connection.send('', queue, this.content, this.#copied(this.#said, { staysInQueue: true, further }));
  }

  #copied(said: Said, copy: Copy) {
    return copied(this.#received.properties, said, copy, this.#connection.user);
  }
}

/** Properties by the names that flows know them by; written one by one, since every message has all of them. */
function propertiesOf({ properties, fields }: Received, said: Said['properties']): Record<string, unknown> {
  const map = new Fields() as Record<string, unknown>;
  map['message_id'] = properties.messageId ?? null;
  map['correlation_id'] = properties.correlationId ?? null;
  map['content_type'] = properties.contentType ?? null;
  map['content_encoding'] = properties.contentEncoding ?? null;
  map['delivery_mode'] = properties.deliveryMode ?? null;
  map['priority'] = said['priority'] ?? null;
  map['reply_to'] = properties.replyTo ?? null;
  map['expiration'] = said['expiration'] ?? null;
  map['type'] = properties.type ?? null;
  map['user_id'] = said['user_id'] ?? null;
  map['app_id'] = properties.appId ?? null;
  map['timestamp'] = properties.timestamp ?? null;
  map['delivery_tag'] = fields.deliveryTag;
  map['redelivered'] = fields.redelivered;
  return map;
}

/** A table of the protocol as a map of plain values: bytes become text, times Unix seconds, decimals numbers. */
export function plainTable(table: object): Record<string, unknown> {
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
