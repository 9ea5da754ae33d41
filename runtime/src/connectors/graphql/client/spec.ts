import { block, connector, duration, flag, int, oneOf, size, text, type Values } from '@svc/protocol/schema';
import { authBlock, headersBlock } from '../../../platform/net/client/access-spec.ts';
import { maxMessage } from '../../../platform/net/server-spec.ts';
import { httpForm } from '../../../platform/net/spoken/form.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../../core/spec.ts';
import { carried } from '../../core/words-spec.ts';
import { rootTypes } from '../operation.ts';
import { checkCall, checkSubscription, checkTargetDocument, effectOf, parametersOf } from './documents.ts';
import { describedServer } from './event-server.ts';

const errors = (doc: string) => oneOf(doc, ['fail', 'data']);

/** How events come (docs/specification/graphql-client.md#events). */
export const subscriptionsBlock = block({
  doc: 'How events of subscriptions come: over one WebSocket that speaks `graphql-transport-ws`, which is made again when it is lost. The server keeps no event: one that it sends meanwhile, or whose flow fails, is lost.',
  attributes: {
    enabled: flag('Whether flows may take events.', { default: true }),
    path: text('Path at the host of `endpoint`.', {
      default: '/subscriptions',
      pattern: { source: '^/[^\\s?#]*$', says: 'must be a path without query' },
    }),
    credentials: oneOf(
      'Where `auth` and `headers` go: into the request that opens the connection, into the first message (`connection_init`), or into both. A key of `api_key_query` goes with the address.',
      ['both', 'upgrade', 'message'],
      { default: 'both' },
    ),
    keep_alive_interval: duration(
      'How often the server is asked; a connection without an answer by the next time is made again.',
      { default: 30_000, min: 10, max: 3_600_000 },
    ),
    connect_timeout: duration('Longest wait for a connection that the server has accepted.', {
      default: 10_000,
      min: 1,
    }),
    max_reconnect_interval: duration(
      'Longest wait before the connection is made again, or a subscription that ended is begun again; it grows from one second.',
      { default: 60_000, min: 1 },
    ),
    max_message: maxMessage(
      'Largest message of the server; a larger one ends the connection before it has come, and is lost.',
      1_048_576,
      268_435_456,
    ),
    prefetch: int('Most events that wait for their turn; further ones are dropped and counted.', {
      default: 1000,
      min: 1,
      max: 65_535,
    }),
    workers: int('Events that are handled at the same time; with 1 they are handled in order.', {
      default: 1,
      min: 1,
      max: 1000,
    }),
  },
  blocks: {
    connection_params: block({
      doc: 'What the first message (`connection_init`) says beside `auth` and `headers`; it wins over those.',
      fields: text('Value of the parameter.', { required: true, secret: true }),
      asAttribute: true,
    }),
  },
});

const { headers } = carried;
const perCall = {
  errors: errors('What becomes of errors in an answer, for this request; that of the connector when absent.'),
};

/** What reaches the client of the words of one request. */
export const spokenWords = block({ doc: 'How one request is read.', attributes: perCall });

const words = {
  to: block({ doc: 'What a destination says of a request.', attributes: perCall, blocks: { headers } }),
  step: block({ doc: 'What a step says of a request.', attributes: perCall, blocks: { headers } }),
  enrich: block({ doc: 'What an enrichment says of a request.', attributes: perCall, blocks: { headers } }),
} as const;

/** `type = "graphql"`, `driver = "client"`: calls a GraphQL server. */
export const graphqlClient = connector({
  type: 'graphql',
  driver: 'client',
  canonical: 'graphql_client',
  speaks: ({ endpoint }) => httpForm('endpoint', endpoint),
  kind: 'http',
  config: block({
    doc: 'Sends queries and mutations to a GraphQL server over HTTP, and takes the events of its subscriptions. A document has one operation; its variables are what `params` and the message give under their names, and nothing else is sent. A call answers the object `data`; a destination its first field: a list is rows, an object one row, null none. Errors in an answer fail the call, with their messages joined by `; `, even when there is data.',
    attributes: {
      endpoint: text('Address of the server.', {
        required: true,
        example: '"https://api.example.org/graphql"',
        pattern: { source: '^https?://[^\\s/?#]+(/[^\\s#]*)?$', says: 'must be an http:// or https:// address' },
      }),
      timeout: duration('Longest wait for one answer, per attempt.', { default: 30_000, min: 1 }),
      retry_count: int(
        'Attempts in all, the first included. Repeated is what reached no server, was not answered in time, or was answered with errors, 5xx, 408, 425 or 429. A mutation is repeated only when it never left, or carries an Idempotency-Key.',
        { default: 1, min: 1 },
      ),
      retry_delay: duration(
        'Wait before each further attempt; spread by 20 %. A `Retry-After` is followed, up to 30 s.',
        {
          default: 1000,
          min: 0,
        },
      ),
      errors: oneOf(
        'What becomes of errors in an answer: `fail` fails the call; with `data` its result is `{data, errors}`, whatever is in it. An HTTP status of 400 or more always fails.',
        ['fail', 'data'],
        { default: 'fail' },
      ),
      persisted: flag(
        'Sends the hash of a document in its place, and the document only when the server does not know it (automatic persisted queries).',
        { default: false },
      ),
      max_response: size('Largest answer that is read, also after decompression.', {
        default: 32 * 1024 * 1024,
        min: 1,
      }),
      ...everyConnector.attributes,
    },
    blocks: { auth: authBlock, tls: tlsBlock, headers: headersBlock, subscriptions: subscriptionsBlock },
    example: `connector "shop" {
  type     = "graphql"
  driver   = "client"
  endpoint = "https://shop.example.org/graphql"

  auth {
    type  = "bearer"
    token = env("SHOP_TOKEN")
  }
}`,
  }),
  operation: block({
    doc: 'A document under a name that flows can write.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...operationAttributes,
      document: text('The document, with one operation.', {
        example: '"query($id: ID!) { order(id: $id) { id total } }"',
      }),
      operation_type: oneOf('Root type of `field`.', rootTypes, { default: 'Query' }),
      field: text('A field without arguments and without fields of its own; others need a `document`.', {
        example: '"version"',
      }),
    },
    blocks: { param },
    rules: [
      { rule: 'exactlyOneOf', names: ['document', 'field'] },
      { rule: 'together', name: 'operation_type', needs: ['field'] },
    ],
  }),
  source: {
    operation: 'required',
    style: 'stream',
    placement: 'one-worker',
    coexists: false,
    input: {
      data: 'The value of the field when it is not an object; the fields of an object are variables themselves.',
    },
    offers: ['subscription { }', 'Subscription.'],
    checkConfig: ({ subscriptions }) =>
      (subscriptions as { readonly enabled?: boolean } | undefined)?.enabled === false
        ? 'its subscriptions are switched off (enabled = false)'
        : undefined,
    checkOperation: checkSubscription,
  },
  target: {
    abilities: ['read', 'write', 'call'],
    needsOneOf: ['operation', 'target'],
    offers: ['query { }', 'mutation { }'],
    checkOperation: checkTargetDocument,
    checkTarget: checkTargetDocument,
    checkCall,
    parameters: parametersOf,
    effect: effectOf,
  },
  channels: { protocol: 'graphql-transport-ws', server: describedServer },
  words,
});

export type ClientConfig = Values<(typeof graphqlClient)['config']>;

export type SubscriptionSettings = Values<typeof subscriptionsBlock>;
