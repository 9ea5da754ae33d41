import { block, connector, duration, flag, int, lifetime, text } from '@svc/protocol/schema';
import {
  clusterAttributes,
  redisAttributes,
  redisRules,
  sentinelAttributes,
} from '../../../platform/net/redis/server-spec.ts';
import { redisForm } from '../../../platform/net/redis/spoken.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { operation, target } from '../target/spec.ts';

const cluster = block({
  doc: 'The nodes of a cluster. Entries are spread over its masters by their keys.',
  attributes: {
    ...clusterAttributes,
    max_redirects: int('How often a command follows to another node, or is repeated while the cluster is down.', {
      default: 16,
      min: 0,
      max: 100,
    }),
    read_only: flag('Ask replicas for what is only read. They may lag behind.', { default: false }),
    route_randomly: flag('Ask any node that has the entry, master or replica, for what is only read.', {
      default: false,
    }),
  },
  // The client measures no distances.
  unavailable: ['route_by_latency'],
});

const sentinel = block({
  doc: 'The sentinels that say which server is the master.',
  attributes: {
    ...sentinelAttributes,
    replica_only: flag('Send every command to a replica. Whatever writes is refused by it.', { default: false }),
  },
  // The client has one connection, which is to one server.
  unavailable: ['route_by_latency', 'route_randomly'],
});

/** The cache in Redis servers. */
export const kvCache = connector({
  type: 'cache',
  driver: 'redis',
  driverAliases: ['kv_store'],
  canonical: 'kv_store',
  speaks: redisForm,
  kind: 'cache',
  config: block({
    doc: 'Keeps entries in a Redis server, in a cluster of them, or in the one that sentinels name as master; shared by every process that uses it.',
    attributes: {
      ...redisAttributes('redis://cache:6379/0'),
      prefix: text('Put before every key, with a colon.', { example: '"shop"' }),
      default_ttl: lifetime('How long entries live that do not say it; for ever when absent.', { min: 0 }),
      timeout: duration('Longest wait for one answer of the server.', { default: 2000, min: 1 }),
      ...everyConnector.attributes,
    },
    blocks: {
      cluster,
      sentinel,
      memory: block({
        doc: 'Keeps entries that were read in the memory of the process too. Every process that changes an entry of this `prefix` must have the block, since it says so to the others; what other programs change is seen after `ttl`.',
        attributes: {
          max_items: int('Entries kept in memory; beyond it the one unused for longest goes.', {
            default: 10_000,
            min: 1,
          }),
          ttl: lifetime('Longest time for which an entry is answered from memory.', { default: 5000, min: 1 }),
        },
      }),
      tls: tlsBlock,
      pool: block({
        doc: 'One connection carries all commands side by side, so only its making is adjustable.',
        attributes: {
          connect_timeout: duration('Longest wait for a connection.', { default: 5000, min: 1 }),
        },
        unavailable: ['max_connections', 'min_idle', 'max_idle_time'],
      }),
    },
    rules: redisRules,
    example: `connector "shared" {
  type        = "cache"
  driver      = "redis"
  url         = env("REDIS_URL")
  prefix      = "shop"
  default_ttl = "5m"
}`,
  }),
  operation,
  target,
  storage: true,
});
