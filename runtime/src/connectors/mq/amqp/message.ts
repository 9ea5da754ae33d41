import { isUtf8 } from 'node:buffer';
import { Fields } from '@svc/protocol/cel';
import type { ConsumeMessage, GetMessage } from 'amqplib';
import { anonymous, type Message } from '../../../contracts/message.ts';
import { Failure } from '../../../errors/failure.ts';
import { decodeBody } from '../../../formats/decode.ts';
import { type Codec, codecOf } from '../../../formats/registry.ts';
import { textOf as utf8 } from '../../../formats/text.ts';

/** A message as the client library hands it over, pushed or pulled. */
export type Received = ConsumeMessage | GetMessage;

/** Where a message was published to before it came back after a failure. */
export interface Origin {
  readonly exchange: string;
  readonly routingKey: string;
}

const exchangeHeader = 'x-svc-exchange';
const keyHeader = 'x-svc-routing-key';

/** A message that was handed back to its queue tells in headers where it was published to. */
export function originOf({ fields, properties }: Received): Origin {
  const headers = (properties.headers ?? {}) as Readonly<Record<string, unknown>>;
  const [exchange, routingKey] = [headers[exchangeHeader], headers[keyHeader]];
  if (fields.exchange !== '' || typeof exchange !== 'string' || typeof routingKey !== 'string') return fields;
  return { exchange, routingKey };
}

export function originHeaders({ exchange, routingKey }: Origin): Readonly<Record<string, string>> {
  return { [exchangeHeader]: exchange, [keyHeader]: routingKey };
}

/**
 * What a flow gets of a message (docs/reference/connectors/mq-rabbitmq.md). `codec` is that of `from.format`; without one
 * a body that is not UTF-8 text is bytes. Rejects with `body_undecodable` for what the codec refuses, with `body_too_large`
 * for what decodes to too much.
 */
export async function messageOf(
  received: Received,
  origin: Origin,
  codec: Codec | undefined,
): Promise<Omit<Message, 'signal' | 'patience' | 'held'>> {
  const { properties } = received;
  const headers = plainTable(properties.headers ?? {});
  const input = new Fields() as Record<string, unknown>;
  input['body'] = await decode(received.content, codec);
  input['headers'] = headers;
  input['properties'] = propertiesOf(received);
  input['routing_key'] = origin.routingKey;
  input['exchange'] = origin.exchange;
  return {
    input,
    auth: anonymous,
    addressed: [],
    traceparent: textOf(headers['traceparent']),
    tracestate: textOf(headers['tracestate']),
  };
}

async function decode(content: Buffer, codec: Codec | undefined): Promise<unknown> {
  if (codec !== undefined) return decodeBody(codec, content);
  try {
    return await decodeBody(await codecOf('json'), content);
  } catch (error) {
    if (error instanceof Failure && error.code === 'body_undecodable')
      return isUtf8(content) ? utf8(content) : new Uint8Array(content);
    throw error;
  }
}

function propertiesOf({ fields, properties }: Received): Record<string, unknown> {
  const map = new Fields() as Record<string, unknown>;
  map['message_id'] = properties.messageId ?? null;
  map['correlation_id'] = properties.correlationId ?? null;
  map['content_type'] = properties.contentType ?? null;
  map['content_encoding'] = properties.contentEncoding ?? null;
  map['delivery_mode'] = properties.deliveryMode ?? null;
  map['priority'] = properties.priority ?? null;
  map['reply_to'] = properties.replyTo ?? null;
  map['expiration'] = properties.expiration ?? null;
  map['type'] = properties.type ?? null;
  map['user_id'] = properties.userId ?? null;
  map['app_id'] = properties.appId ?? null;
  map['timestamp'] = properties.timestamp ?? null;
  map['delivery_tag'] = fields.deliveryTag;
  map['redelivered'] = fields.redelivered;
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
