import { block, connector, duration, flag, int, list, oneOf, text } from '@svc/protocol/schema';
import { tlsBlock } from '../../../net/tls-spec.ts';
import { everyConnector } from '../../spec.ts';
import { operation, target } from '../target/spec.ts';

/** A node without a scheme, a user or a password. */
const nodeText = (doc: string) =>
  text(doc, {
    pattern: { source: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:/@\\[\\]]+)(:[0-9]{1,5})?$', says: 'must be host:port' },
  });

const cluster = block({
  doc: 'The nodes of a cluster. Entries are spread over its masters by their keys.',
  attributes: {
    nodes: list('Nodes that are asked for the others; port 6379 when absent.', nodeText('`host:port`.'), {
      required: true,
      example: '["cache-1:6379", "cache-2:6379"]',
    }),
    password: text('Password of the nodes.', { secret: true }),
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
    master_name: text('What the sentinels call the master.', { required: true, example: '"main"' }),
    nodes: list('The sentinels, asked one after another; port 26379 when absent.', nodeText('`host:port`.'), {
      required: true,
      example: '["sentinel-1:26379", "sentinel-2:26379"]',
    }),
    password: text('Password of the sentinels.', { secret: true }),
    master_password: text('Password of the master and its replicas.', { secret: true }),
    db: int('Number of the database.', { default: 0, min: 0 }),
    replica_only: flag('Send every command to a replica. Whatever writes is refused by it.', { default: false }),
  },
  // The client has one connection, which is to one server.
  unavailable: ['route_by_latency', 'route_randomly'],
});

/** Attributes that say where one server is; the blocks of the other modes have their own. */
const ofOneServer = ['url', 'host', 'port', 'password', 'db'] as const;

/** The cache in Redis servers. */
export const kvCache = connector({
  type: 'cache',
  driver: 'redis',
  driverAliases: ['kv_store'],
  canonical: 'kv_store',
  kind: 'cache',
  config: block({
    doc: 'Keeps entries in a Redis server, in a cluster of them, or in the one that sentinels name as master; shared by every process that uses it.',
    attributes: {
      mode: oneOf(
        'How the servers are arranged: one server, a cluster, or a master and replicas that sentinels watch.',
        ['standalone', 'cluster', 'sentinel'],
        { default: 'standalone' },
      ),
      url: text('Address of the server; `rediss://` speaks TLS, as every connection does with a `tls` block.', {
        secret: true,
        example: '"redis://cache:6379/0"',
        pattern: { source: '^rediss?://', says: 'must begin with redis:// or rediss://' },
      }),
      host: text('Host of the server, when there is no `url`.', { default: 'localhost' }),
      port: int('Port of the server.', { default: 6379, min: 1, max: 65_535 }),
      username: text('User name, on servers that have users, in every mode.'),
      password: text('Password of the server.', { secret: true }),
      db: int('Number of the database.', { min: 0 }),
      prefix: text('Put before every key, with a colon.', { example: '"shop"' }),
      default_ttl: duration('How long entries live that do not say it; for ever when absent.', { min: 0 }),
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
          ttl: duration('Longest time for which an entry is answered from memory.', { default: 5000, min: 1 }),
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
    rules: [
      { rule: 'atMostOneOf', names: ['url', 'host'] },
      { rule: 'atMostOneOf', names: ['url', 'port'] },
      ...ofOneServer.map((name) => ({ rule: 'onlyWhen', name, when: 'mode', is: ['standalone'] }) as const),
      { rule: 'onlyWhen', name: 'cluster', when: 'mode', is: ['cluster'] },
      { rule: 'onlyWhen', name: 'sentinel', when: 'mode', is: ['sentinel'] },
      { rule: 'requiredWhen', name: 'cluster', when: 'mode', is: ['cluster'] },
      { rule: 'requiredWhen', name: 'sentinel', when: 'mode', is: ['sentinel'] },
    ],
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
