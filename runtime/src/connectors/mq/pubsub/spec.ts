import { block, connector, duration, list, text, type Values } from '@svc/protocol/schema';
import {
  clusterAttributes,
  redisAttributes,
  redisRules,
  sentinelAttributes,
} from '../../../platform/net/redis/server-spec.ts';
import { redisForm } from '../../../platform/net/redis/spoken.ts';
import { maxMessage, reconnectAttributes } from '../../../platform/net/server-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { messageWords, prefetch, workers } from '../../intake/broker/consumer-spec.ts';
import { checkChannel, checkOperation } from './channels.ts';
import { checkCall, checkWord, parametersOf } from './publishing.ts';

/** `type = "mq"`, `driver = "redis"` (docs/specification/queues.md#redis-channels). */
export const pubsub = connector({
  type: 'mq',
  driver: 'redis',
  driverAliases: ['kv_pubsub'],
  canonical: 'kv_pubsub',
  speaks: redisForm,
  kind: 'queue',
  config: block({
    doc: 'Takes messages from channels of a Redis server, of a cluster, or of the server that sentinels name as master, and publishes to them. The server keeps no message: one that is published while this service is not connected, or whose flow fails, is lost. A message that matches a channel and a pattern comes once for each. With several workers one of them subscribes.',
    attributes: {
      ...redisAttributes('redis://bus:6379'),
      channels: list(
        'Channels that are subscribed to. Without these and without `patterns`, channels and patterns are those that the flows name in `operation`; a flow without one takes every channel.',
        text('Name of a channel.', { pattern: { source: '^[\\s\\S]+$', says: 'must name a channel' } }),
        { example: '["orders", "invoices"]' },
      ),
      patterns: list(
        'Globs over channels that are subscribed to: `*` is any text, `?` one character, `[ab]` one of these.',
        text('A glob.', { pattern: { source: '^[\\s\\S]+$', says: 'must be a pattern' } }),
        { example: '["orders.*"]' },
      ),
      prefetch: prefetch(
        1000,
        'Most messages that wait for their turn. The server sends on whatever this service holds: further ones are dropped and counted.',
      ),
      workers: workers(1),
      max_message: maxMessage(
        'Largest message; a larger one is passed over as it comes, and dropped with its size in the log.',
        16_777_216,
        536_870_912,
      ),
      timeout: duration('Longest wait for one answer of the server.', { default: 5000, min: 1 }),
      heartbeat: duration(
        'How often the server is asked over the connection that is subscribed; one without an answer within `timeout` is made again. 0 switches it off.',
        { default: 10_000, min: 0, max: 3_600_000 },
      ),
      connect_timeout: duration('Longest wait for a connection.', { default: 5000, min: 1 }),
      ...reconnectAttributes,
      ...everyConnector.attributes,
    },
    blocks: {
      cluster: block({
        doc: 'The nodes of a cluster. What is published at one of them comes to all.',
        attributes: clusterAttributes,
      }),
      sentinel: block({ doc: 'The sentinels that say which server is the master.', attributes: sentinelAttributes }),
      tls: tlsBlock,
    },
    rules: redisRules,
    example: `connector "bus" {
  type     = "mq"
  driver   = "redis"
  url      = env("REDIS_URL")
  patterns = ["orders.*"]
}`,
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    placement: 'one-worker',
    coexists: false,
    input: {
      _channel: 'The channel.',
      _pattern: 'The pattern that it came by; absent where the channel itself is subscribed to.',
      raw: 'The message when it is not a JSON object: text, or bytes where it is not UTF-8; decoded as `from.format` says when it is written.',
    },
    checkOperation,
  },
  target: {
    offers: ['PUBLISH'],
    abilities: ['write', 'call'],
    needsOneOf: ['target', 'params'],
    checkOperation: checkWord,
    checkTarget: checkChannel,
    checkCall,
    parameters: parametersOf,
  },
  channels: {
    protocol: 'redis',
    taken: (operation, { channels }) => operation ?? (channels as readonly string[] | undefined)?.join(','),
  },
  words: { from: messageWords },
});

export type PubsubConfig = Values<typeof pubsub.config>;
