import { fetchingClient } from './oauth-proofs.ts';
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

const folder = 'runtime/src/connectors/graphql/client';
const calls = `${folder}/connector.test.ts`;
const events = `${folder}/subscription/subscription.test.ts`;
const credentials: Proof = [calls, '%s goes with every request'];
const tokens: Proof = [calls, 'an access token is fetched once, and again when an answer refuses it'];
const tried: Proof = [calls, 'retry_count is how often a query is tried, retry_delay how long it waits before that'];
const handled: Proof = [events, 'is handled by as many workers as are written, and holds at most prefetch events'];
const granted: Proof = ['runtime/src/connectors/http/settings.test.ts', 'is how access tokens are fetched'];

const named: Proof = [`${folder}/rules.test.ts`, 'a named operation is its document, or the field of a root type'];
const perCall: Proof = [calls, 'are data where the connector or the request says so'];

/** What is written in the block of a GraphQL client. */
export const graphqlClient: Readonly<Record<string, Proof>> = {
  endpoint: [
    calls,
    'goes with the variables that it declares, and nothing else of the message; a call answers the data',
  ],
  timeout: [calls, 'none within the timeout'],
  retry_count: tried,
  retry_delay: tried,
  errors: perCall,
  persisted: [calls, 'sends the hash alone, and the document when the server does not know it'],
  max_response: [calls, 'more bytes than max_response'],
  'operation.document': named,
  'operation.operation_type': named,
  'operation.field': named,
  'to.errors': perCall,
  'step.errors': perCall,
  'enrich.errors': perCall,
  ...fetchingClient,
  'auth.type': credentials,
  'auth.token': credentials,
  'auth.username': credentials,
  'auth.password': credentials,
  'auth.api_key': credentials,
  'auth.api_key_header': credentials,
  'auth.api_key_query': [calls, 'a key may travel in the query string'],
  'auth.token_url': tokens,
  'auth.client_id': tokens,
  'auth.client_secret': tokens,
  'auth.scopes': [
    'runtime/src/connectors/http/connector.test.ts',
    'access tokens are fetched once, shared, and renewed once after a 401',
  ],
  'auth.refresh_token': ['runtime/src/connectors/http/connector.test.ts', 'a peer that keeps refusing is asked twice'],
  'auth.grant_type': granted,
  'subscriptions.enabled': [
    `${folder}/rules.test.ts`,
    'a flow takes no events of a client whose subscriptions are switched off',
  ],
  'subscriptions.path': [events, 'goes to the path that is written'],
  'subscriptions.credentials': [
    events,
    'says credentials and headers with its request, in its first message, or in both',
  ],
  'subscriptions.keep_alive_interval': [
    events,
    'is made again when the server does not answer within keep_alive_interval',
  ],
  'subscriptions.connect_timeout': [events, 'that %s is a typed failure'],
  'subscriptions.max_reconnect_interval': [events, 'a subscription that the server ends is begun again'],
  'subscriptions.max_message': [events, 'is made again when a message is larger than max_message'],
  'subscriptions.prefetch': handled,
  'subscriptions.workers': handled,
};
