import { block, connector, duration, int, text } from '@svc/protocol/schema';
import { everyConnector } from '../../spec.ts';
import { cacheOperation } from '../operation.ts';

/** The cache in a Redis server. */
export const kvCache = connector({
  type: 'cache',
  driver: 'redis',
  driverAliases: ['kv_store'],
  canonical: 'kv_store',
  kind: 'cache',
  config: block({
    doc: 'Keeps entries in a Redis server, shared by every process that uses it.',
    attributes: {
      mode: text('How the servers are arranged.', {
        default: 'standalone',
        pattern: {
          source: '^[Ss]tandalone$',
          says: 'must be "standalone"; the modes "cluster" and "sentinel" are not available',
        },
      }),
      url: text('Address of the server; `rediss://` speaks TLS.', {
        secret: true,
        example: '"redis://cache:6379/0"',
        pattern: { source: '^rediss?://', says: 'must begin with redis:// or rediss://' },
      }),
      host: text('Host of the server, when there is no `url`.', { default: 'localhost' }),
      port: int('Port of the server.', { default: 6379, min: 1, max: 65_535 }),
      username: text('User name, on servers that have users.'),
      password: text('Password of the server.', { secret: true }),
      db: int('Number of the database.', { min: 0 }),
      prefix: text('Put before every key, with a colon.', { example: '"shop"' }),
      default_ttl: duration('How long entries live that do not say it; for ever when absent.', { min: 0 }),
      timeout: duration('Longest wait for one answer of the server.', { default: 2000, min: 1 }),
      ...everyConnector.attributes,
    },
    blocks: {
      pool: block({
        doc: 'One connection carries all commands side by side, so only its making is adjustable.',
        attributes: {
          connect_timeout: duration('Longest wait for a connection.', { default: 5000, min: 1 }),
        },
        unavailable: ['max_connections', 'min_idle', 'max_idle_time'],
      }),
    },
    rules: [
      { rule: 'atMostOneOf', names: ['url', 'host'] },
      { rule: 'atMostOneOf', names: ['url', 'port'] },
    ],
    unavailable: ['cluster', 'sentinel'],
    example: `connector "shared" {
  type        = "cache"
  driver      = "redis"
  url         = env("REDIS_URL")
  prefix      = "shop"
  default_ttl = "5m"
}`,
  }),
  operation: cacheOperation,
  storage: true,
});
