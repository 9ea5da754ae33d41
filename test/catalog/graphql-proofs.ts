import type { Proof } from './proof.ts';

const server = 'runtime/src/connectors/graphql/server';
const sockets = `${server}/subscriptions/socket.test.ts`;
const connections: Proof = [
  sockets,
  'a connection has so many operations at a time, and there are so many connections',
];
const limits = `${server}/limits/limits.test.ts`;
const written: Proof = [limits, '%s is what is written: %s'];
const playground = `${server}/http/playground/playground.test.ts`;
const uploads = `${server}/http/uploads.test.ts`;
const persisted = `${server}/http/persisted.test.ts`;

const batched: Proof = [
  `${server}/execution/batches.test.ts`,
  'a flow that takes keys runs once for all objects of a level, and its rows are distributed',
];

/** Words of flows that name a GraphQL server. */
export const graphqlWords: Readonly<Record<string, Proof>> = {
  'from.batch': batched,
  'from.match': batched,
  'to.filter': [
    `${server}/subscriptions/identity.test.ts`,
    'filters read parameters and arguments of the subscriber; one that fails, or is not true, delivers nothing',
  ],
};

/** What a GraphQL server says of the requests that it takes, and of subscriptions. */
export const graphqlRequests: Readonly<Record<string, Proof>> = {
  'schema.path': [
    'runtime/src/connectors/graphql/schema/file.test.ts',
    'a schema file says what fields there are, and flows resolve them',
  ],
  'schema.auto_generate': [
    'runtime/src/connectors/graphql/schema/rules.test.ts',
    'a schema is in a file or generated, and nothing else',
  ],
  introspection: [limits, 'is on in production where it is written so'],
  playground: [playground, 'it is served by environment and by what is written: %s'],
  playground_path: [playground, 'it is where the configuration says, and asks the endpoint that is written'],
  uploads: [uploads, 'is taken only where the configuration says so'],
  max_upload: [uploads, 'is bounded in bytes and in parts'],
  'limits.depth': written,
  'limits.aliases': written,
  'limits.directives': written,
  'limits.tokens': written,
  'limits.cost': written,
  'persisted.path': [persisted, 'are run by their names, by POST and GET, beside others'],
  'persisted.only': [persisted, 'with `only`, nothing else runs'],
  'subscriptions.enabled': [
    sockets,
    'pages of other origins do not connect, and no client does where subscriptions are not served',
  ],
  'subscriptions.path': [sockets, 'connections are taken at `path`, and nowhere else'],
  'subscriptions.keep_alive_interval': [
    `${server}/subscriptions/event-stream.test.ts`,
    'carries a comment while nothing happens, and does not count as a request under way',
  ],
  'subscriptions.connection_timeout': [sockets, 'does not say who it is, or nothing at all, is disconnected'],
  'subscriptions.max_clients': connections,
  'subscriptions.max_subscriptions': connections,
};
