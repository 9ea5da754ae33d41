import { int, list, oneOf, text } from '@svc/protocol/schema';

/** A node without a scheme, a user or a password. */
const nodeText = (doc: string) =>
  text(doc, {
    pattern: { source: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:/@\\[\\]]+)(:[0-9]{1,5})?$', says: 'must be host:port' },
  });

/** What every connector says of where its Redis servers are; `serversOf` reads it. `example` is a `url`. */
export const redisAttributes = (example: string) => ({
  mode: oneOf(
    'How the servers are arranged: one server, a cluster, or a master and replicas that sentinels watch.',
    ['standalone', 'cluster', 'sentinel'],
    { default: 'standalone' },
  ),
  url: text('Address of the server; `rediss://` speaks TLS, as every connection does with a `tls` block.', {
    secret: true,
    example: `"${example}"`,
    pattern: { source: '^rediss?://', says: 'must begin with redis:// or rediss://' },
  }),
  host: text('Host of the server, when there is no `url`.', { default: 'localhost' }),
  port: int('Port of the server.', { default: 6379, min: 1, max: 65_535 }),
  username: text('User name, on servers that have users, in every mode.'),
  password: text('Password of the server.', { secret: true }),
  db: int('Number of the database.', { min: 0 }),
});

/** What every `cluster` block says. */
export const clusterAttributes = {
  nodes: list('Nodes that are asked for the others; port 6379 when absent.', nodeText('`host:port`.'), {
    required: true,
    example: '["cache-1:6379", "cache-2:6379"]',
  }),
  password: text('Password of the nodes.', { secret: true }),
};

/** What every `sentinel` block says. */
export const sentinelAttributes = {
  master_name: text('What the sentinels call the master.', { required: true, example: '"main"' }),
  nodes: list('The sentinels, asked one after another; port 26379 when absent.', nodeText('`host:port`.'), {
    required: true,
    example: '["sentinel-1:26379", "sentinel-2:26379"]',
  }),
  password: text('Password of the sentinels.', { secret: true }),
  master_password: text('Password of the master and its replicas.', { secret: true }),
  db: int('Number of the database.', { default: 0, min: 0 }),
};

/** What is written of one server only; clusters and sentinels have their own. */
const ofOneServer = ['url', 'host', 'port', 'password', 'db'] as const;

/** Which of these are written together. */
export const redisRules = [
  { rule: 'atMostOneOf', names: ['url', 'host'] },
  { rule: 'atMostOneOf', names: ['url', 'port'] },
  ...ofOneServer.map((name) => ({ rule: 'onlyWhen', name, when: 'mode', is: ['standalone'] }) as const),
  { rule: 'onlyWhen', name: 'cluster', when: 'mode', is: ['cluster'] },
  { rule: 'onlyWhen', name: 'sentinel', when: 'mode', is: ['sentinel'] },
  { rule: 'requiredWhen', name: 'cluster', when: 'mode', is: ['cluster'] },
  { rule: 'requiredWhen', name: 'sentinel', when: 'mode', is: ['sentinel'] },
] as const;
