import { block, duration, flag, int, text } from '@svc/protocol/schema';

/** What holds without the block; times in milliseconds. */
export const subscriptionDefaults = {
  enabled: true,
  path: '/subscriptions',
  keep_alive_interval: 30_000,
  connection_timeout: 60_000,
  max_clients: 10_000,
  max_subscriptions: 100,
} as const;

/** The `subscriptions` block of a server (docs/graphql-subscriptions.md). */
export const subscriptions = block({
  doc: 'How callers subscribe to events. Without the block: as with its defaults.',
  attributes: {
    enabled: flag('Whether callers may subscribe, over WebSocket and by server-sent events.', {
      default: subscriptionDefaults.enabled,
    }),
    path: text('Path of the WebSocket (sub-protocol `graphql-transport-ws`).', {
      default: subscriptionDefaults.path,
      pattern: { source: '^/[A-Za-z0-9._~/-]*$', says: 'must be a path of plain text, such as `/subscriptions`' },
    }),
    keep_alive_interval: duration('How often a connection is sent a ping, and a stream of events a comment.', {
      default: subscriptionDefaults.keep_alive_interval,
      min: 1,
    }),
    connection_timeout: duration(
      'How long nothing may come from a client before its connection is ended; twice `keep_alive_interval` when it is less.',
      { default: subscriptionDefaults.connection_timeout, min: 1 },
    ),
    max_clients: int('Most connections and streams of subscribers at a time; further ones get 503.', {
      default: subscriptionDefaults.max_clients,
      min: 1,
      max: 1_000_000,
    }),
    max_subscriptions: int(
      'Most operations of one connection at a time, subscriptions and others; further ones are refused.',
      { default: subscriptionDefaults.max_subscriptions, min: 1, max: 10_000 },
    ),
  },
  example: 'subscriptions {\n  path                = "/live"\n  keep_alive_interval = "10s"\n}',
});
