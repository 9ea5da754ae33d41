import { block, connector, duration, flag, int, text } from '@svc/protocol/schema';
import { tlsBlock } from '../../../net/tls-spec.ts';
import { everyConnector } from '../../spec.ts';
import { checkPattern, checkQueueName, namesQueue } from './rules.ts';

const deadLetters = block({
  doc: 'What becomes of messages that keep failing. With it a failed message goes to the end of its queue with a count in a header, and after its last try it is rejected, which sends it to the dead-letter exchange of the queue. Exchange and queue are declared together with a queue that `create_if_missing` declares; a queue that exists is left as it is.',
  attributes: {
    enabled: flag('Whether this block has an effect.', { default: true }),
    exchange: text('Exchange for rejected messages; `<queue>.dlx` when absent.'),
    queue: text('Queue for rejected messages; `<queue>.dlq` when absent.'),
    routing_key: text('Routing key of rejected messages; their own when absent.'),
    max_retries: int('Tries after the first one.', { default: 3, min: 0, max: 1_000_000 }),
    retry_delay: duration(
      'How long a failed message waits before each further try, in a queue of the broker; when absent it pauses from 1 to 30 seconds in this service.',
      { min: 1 },
    ),
    retry_header: text('Header that counts the tries.', { default: 'x-retry-count' }),
    external: flag('Dead letters of the queue are arranged at the broker: nothing is declared, nothing is warned of.', {
      default: false,
    }),
  },
});

const consumer = block({
  doc: 'The queue that messages are taken from. It must exist unless `create_if_missing` is written.',
  required: true,
  attributes: {
    queue: text('Name of the queue; when absent, the queues are those that the flows name in `operation`.', {
      example: '"orders.in"',
    }),
    prefetch: int('Most messages that this service holds of each queue without having settled them.', {
      default: 10,
      min: 1,
      max: 65_535,
    }),
    workers: int('Messages that are handled at the same time; with 1 they are handled in order.', {
      default: 1,
      min: 1,
      max: 1000,
      aliases: ['concurrency'],
    }),
    create_if_missing: flag('Declares a durable queue where there is none.', { default: false }),
    retry_count: int('Short for a `dlq` block with this many `max_retries`.', { min: 0, max: 1_000_000 }),
  },
  blocks: { dlq: deadLetters },
  rules: [{ rule: 'atMostOneOf', names: ['retry_count', 'dlq'] }],
  unavailable: ['tag', 'auto_ack', 'exclusive', 'no_local', 'no_wait', 'args'],
});

/** `type = "mq"`, `driver = "rabbitmq"` (document 1, Connectors; supplement 9.1). */
export const amqp = connector({
  type: 'mq',
  driver: 'rabbitmq',
  driverAliases: ['amqp_broker'],
  canonical: 'amqp_broker',
  kind: 'queue',
  config: block({
    doc: 'Takes messages from a queue of a RabbitMQ broker (AMQP 0-9-1). A message is acknowledged after its flow is done. One whose flow failed is tried again after a pause that grows from 1 to 30 seconds while others pass; after five tries in a row it goes to the end of its queue, and with a `dlq` block it is given up after `max_retries`. One that another try cannot mend is rejected where a `dlq` block says that this keeps it, else acknowledged with a warning.',
    attributes: {
      url: text('Address of the broker; its parts win over the attributes beside it. `amqps://` speaks TLS.', {
        secret: true,
        pattern: { source: '^amqps?://', says: 'must begin with amqp:// or amqps://' },
        example: '"amqp://app:secret@broker:5672/shop"',
      }),
      host: text('Host of the broker; `localhost` when absent.'),
      port: int('Port of the broker; 5672, with TLS 5671, when absent.', { min: 1, max: 65_535 }),
      username: text('Who connects; `guest` when absent.', { aliases: ['user'] }),
      password: text('Password of the user; `guest` when absent.', { secret: true }),
      vhost: text('Virtual host; `/` when absent.'),
      heartbeat: duration('How often both sides show that they are there; 0 switches it off.', {
        default: 10_000,
        min: 0,
        max: 65_535_000,
      }),
      connection_name: text('What the broker calls the connection; the name of the connector when absent.'),
      reconnect_delay: duration('Wait before each attempt to connect again, give or take a fifth.', {
        default: 5000,
        min: 1,
      }),
      max_reconnects: int('Failed attempts in a row after which it stays away, and the connector is unhealthy.', {
        default: 10,
        min: 0,
      }),
      ...everyConnector.attributes,
    },
    blocks: { consumer, tls: tlsBlock },
    unavailable: ['queue', 'exchange', 'publisher'],
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
  source: {
    operation: { requiredUnless: ['consumer', 'queue'] },
    style: 'stream',
    placement: 'every-worker',
    input: {
      body: 'The body: decoded JSON, else the text, else bytes where it is not UTF-8; decoded as `from.format` says when it is written.',
      headers: 'Headers by name.',
      properties:
        'message_id, correlation_id, content_type, content_encoding, delivery_mode, priority, reply_to, expiration, type, user_id, app_id, timestamp (Unix seconds), delivery_tag, redelivered.',
      routing_key: 'The routing key.',
      exchange: 'The exchange; empty for the default one.',
    },
    checkOperation: (operation, { consumer }) =>
      checkPattern(operation) ?? (namesQueue(consumer) ? undefined : checkQueueName(operation)),
  },
});
