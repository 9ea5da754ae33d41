import { block, connector, duration, int, text } from '@svc/protocol/schema';
import { tlsBlock } from '../../../net/tls-spec.ts';
import { checkPattern } from './rules.ts';

const consumer = block({
  doc: 'The queue that messages are taken from. It must exist: the service declares nothing at the broker.',
  required: true,
  attributes: {
    queue: text('Name of the queue.', { required: true, example: '"orders.in"' }),
    prefetch: int('Most messages that this service holds without having settled them.', {
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
  },
  unavailable: [
    'tag',
    'auto_ack',
    'exclusive',
    'no_local',
    'no_wait',
    'args',
    'create_if_missing',
    'retry_count',
    'dlq',
  ],
});

/** `type = "mq"`, `driver = "rabbitmq"` (document 1, Connectors; supplement 9.1). */
export const amqp = connector({
  type: 'mq',
  driver: 'rabbitmq',
  driverAliases: ['amqp_broker'],
  canonical: 'amqp_broker',
  kind: 'queue',
  config: block({
    doc: 'Takes messages from a queue of a RabbitMQ broker (AMQP 0-9-1). A message is acknowledged after its flow is done; one whose flow failed goes back to the queue after a pause that grows from 1 to 30 seconds, and one that no other try could mend is acknowledged with a warning.',
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
    operation: 'optional',
    style: 'stream',
    consume: 'pull',
    placement: 'every-worker',
    input: {
      body: 'The body: decoded JSON, else the text; decoded as `from.format` says when it is written.',
      headers: 'Headers by name.',
      properties:
        'message_id, correlation_id, content_type, content_encoding, delivery_mode, priority, reply_to, expiration, type, user_id, app_id, timestamp (Unix seconds), delivery_tag, redelivered.',
      routing_key: 'The routing key.',
      exchange: 'The exchange; empty for the default one.',
    },
    checkOperation: checkPattern,
  },
});
