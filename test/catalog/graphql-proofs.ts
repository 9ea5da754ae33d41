import type { Proof } from './proof.ts';

const subscribers = 'runtime/src/connectors/graphql/server/subscriptions/socket.test.ts';

/** What is written of GraphQL servers, beside what all servers of requests read. */
export const graphqlServer: Readonly<Record<string, Proof>> = {
  'subscriptions.enabled': [
    subscribers,
    'pages of other origins do not connect, and no client does where subscriptions are not served',
  ],
  'subscriptions.path': [subscribers, 'connections are taken at `path`, and nowhere else'],
  'subscriptions.keep_alive_interval': [
    'runtime/src/connectors/graphql/server/subscriptions/event-stream.test.ts',
    'carries a comment while nothing happens, and does not count as a request under way',
  ],
  'subscriptions.connection_timeout': [
    subscribers,
    'no longer answers pings is cut off and counted; one that answers stays, and so do its pings',
  ],
  'subscriptions.max_clients': [
    subscribers,
    'a connection has so many operations at a time, and there are so many connections',
  ],
  'subscriptions.max_subscriptions': [
    subscribers,
    'a connection has so many operations at a time, and there are so many connections',
  ],
};
