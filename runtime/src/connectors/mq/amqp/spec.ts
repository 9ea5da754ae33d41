import { block, connector, text, type Values } from '@svc/protocol/schema';
import {
  brokerAddress,
  heartbeat,
  maxMessage,
  reconnectAttributes,
  serverUrl,
} from '../../../platform/net/server-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { messageWords } from '../../intake/broker/consumer-spec.ts';
import { checkLength, checkSourceName } from '../../intake/dispatch/operation-rules.ts';
import { topicPatterns } from '../../intake/dispatch/routes.ts';
import { formOf, serverOf } from './address.ts';
import { consumer, exchange, queue } from './consumer-spec.ts';
import { operation, publisher, spokenWords, target } from './publish/spec.ts';

function nameIn(block: unknown, name: string): unknown {
  return (block as Readonly<Record<string, unknown>> | undefined)?.[name];
}

/** Bytes of a routing key in the protocol. */
const longestKey = 255;

/** `type = "mq"`, `driver = "rabbitmq"` (docs/specification/queues.md#rabbitmq). */
export const amqp = connector({
  type: 'mq',
  driver: 'rabbitmq',
  driverAliases: ['amqp_broker'],
  canonical: 'amqp_broker',
  speaks: formOf,
  kind: 'queue',
  config: block({
    doc: 'Takes messages from a queue of a RabbitMQ broker (AMQP 0-9-1), and sends messages to its exchanges and queues. A message is acknowledged after its flow is done. One whose flow failed is tried again after a pause that grows from 1 to 30 seconds while others pass; after five tries in a row it goes to the end of its queue, and with a `dlq` block it is given up after `max_retries`. One that would fail in every try is rejected where a `dlq` block says that this keeps it, else acknowledged with a warning.',
    attributes: {
      url: serverUrl(
        ['amqp', 'amqps'],
        'Address of the broker; its parts win over the attributes beside it. `amqps://` speaks TLS.',
        'amqp://app:secret@broker:5672/shop',
      ),
      ...brokerAddress('5672, with TLS 5671,', 'guest'),
      vhost: text('Virtual host; `/` when absent.'),
      heartbeat: heartbeat(10_000),
      max_message: maxMessage(
        'Largest body of a message, unpacked too. A larger one that comes is given up, with its size in the log; the broker moves it to the dead letters of its queue, if it has some.',
        134_217_728,
        536_870_912,
      ),
      connection_name: text('What the broker calls the connection; the name of the connector when absent.'),
      ...reconnectAttributes,
      ...everyConnector.attributes,
    },
    blocks: { consumer, queue, exchange, publisher, tls: tlsBlock },
    example: `connector "orders" {
  type     = "mq"
  driver   = "rabbitmq"
  host     = "broker"
  username = "shop"
  password = env("BROKER_PASSWORD")
  consumer {
    queue    = "orders.in"
    prefetch = 20
  }
}`,
  }),
  operation,
  target,
  source: {
    operation: {
      requiredUnless: [
        ['consumer', 'queue'],
        ['queue', 'name'],
      ],
    },
    style: 'stream',
    redelivers: true,
    pulls: true,
    placement: 'every-worker',
    input: {
      body: 'The body: decoded JSON, else the text, else bytes where it is not UTF-8; decoded as `from.format` says when it is written.',
      headers: 'Headers by name.',
      properties:
        'message_id, correlation_id, content_type, content_encoding, delivery_mode, priority, reply_to, expiration, type, user_id, app_id, timestamp (Unix seconds), delivery_tag, redelivered.',
      routing_key: 'The routing key.',
      exchange: 'The exchange; empty for the default one.',
    },
    checkOperation: (operation, { consumer, queue }) =>
      (consumer === undefined && queue === undefined
        ? 'the connector takes no messages: it has no consumer block'
        : undefined) ??
      checkLength(operation, longestKey, 'a routing key') ??
      checkSourceName(operation, topicPatterns, { queue: nameIn(consumer, 'queue') ?? nameIn(queue, 'name') }, 'queue'),
  },
  channels: {
    server: serverOf,
    taken: (operation, { consumer, queue }) =>
      (nameIn(consumer, 'queue') ?? nameIn(queue, 'name') ?? operation) as string | undefined,
    sent: (target, { publisher }) =>
      target === undefined
        ? (publisher as { readonly routing_key?: string } | undefined)?.routing_key
        : (target ?? undefined),
    straight: { exchange: '' },
    payload: 'body',
  },
  words: { from: messageWords, ...spokenWords },
});

export type AmqpConfig = Values<(typeof amqp)['config']>;
