import { block, cel, connector, flag, int, oneOf, text, type Values } from '@svc/protocol/schema';
import { cors } from '../../../platform/http/admission/cors-spec.ts';
import { requestAttributes } from '../../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../../core/spec.ts';
import { checkField, parseField, rootTypes, verbOfField } from '../operation.ts';
import { limits } from './limits/spec.ts';
import { subscriptions } from './subscriptions/spec.ts';

const path = { source: '^/[A-Za-z0-9._~/-]*$', says: 'must be a path of plain text, such as `/graphql`' };

const schema = block({
  doc: 'Where the schema comes from. Without the block it is generated from the `type` blocks and the flows.',
  attributes: {
    path: text('File with the schema (SDL), below the directory of the configuration.', {
      namesFile: 'read',
      pattern: { source: '\\.(graphqls?|gql)$', says: 'must end in .graphql, .graphqls or .gql' },
      example: '"schema.graphql"',
    }),
    auto_generate: flag('Generates the schema from types and flows; the same as naming no file.'),
  },
  example: 'schema {\n  path = "schema.graphql"\n}',
});

const federation = block({
  doc: 'The part that the service has in a federation of GraphQL services. What it is asked about itself (`_service`) is answered without the block too.',
  attributes: {
    enabled: flag('Whether other services may refer to objects of its types.', { default: true }),
    version: int('Version of the specification of federations.', { default: 2, min: 1, max: 2 }),
  },
  example: 'federation {\n  version = 2\n}',
});

/** The federation of a server; undefined when it takes part in none. */
export function federationOf(written: Values<typeof federation> | undefined): 1 | 2 | undefined {
  if (written?.enabled === false) return undefined;
  return written?.version === 1 ? 1 : 2;
}

/** What may be written in a `from` that names the server. */
const fromWords = block({
  doc: 'How a flow is asked for many objects at once.',
  attributes: {
    batch: text(
      'Field of the object around the field, or of a reference, whose values the flow takes at once as `input.keys`: it runs once for all objects of a level and answers a list of rows.',
      { example: '"id"' },
    ),
    match: text('Field of the rows that equals the key of the object they are for. Default: the name in `batch`.', {
      example: '"customer_id"',
    }),
  },
  rules: [{ rule: 'together', name: 'match', needs: ['batch'] }],
  example: 'batch = "id"\nmatch = "customer_id"',
});

const persisted = block({
  doc: 'Documents that callers name instead of sending their text: those of a file, and, unless `only` is set, those that callers sent once with the SHA-256 of their text.',
  attributes: {
    path: text(
      'File with the documents, an object of names and texts in JSON, below the directory of the configuration.',
      {
        namesFile: 'read',
        example: '"documents.json"',
      },
    ),
    only: flag('Runs the documents of the file alone.', { default: false }),
  },
  rules: [{ rule: 'requiredWhen', name: 'path', when: 'only', is: [true] }],
  example: 'persisted {\n  path = "documents.json"\n  only = true\n}',
});

/** What may be written in a `to` that names the server. */
const toWords = block({
  doc: 'What a flow says of the events that it publishes.',
  attributes: {
    filter: cel(
      'Which subscribers receive the event: evaluated for each of them, with the event as `input` and what is known of the subscriber as `context`. A subscriber that it does not say `true` of gets nothing.',
      { reads: ['input', 'context'], gives: 'bool', deferred: true },
    ),
  },
});

/** Methods and paths that a server claims at its address. */
function servedPaths(config: Readonly<Record<string, unknown>>): readonly string[] {
  const { endpoint = '/graphql', playground, playground_path = '/playground' } = config;
  const page = playground === false ? [] : [`GET ${playground_path}`];
  const { enabled = true, path = '/subscriptions' } = (config['subscriptions'] ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const sockets = enabled === false ? [] : [`UPGRADE ${path}`];
  return [`GET ${endpoint}`, `POST ${endpoint}`, ...page, ...sockets];
}

/** A GraphQL server (docs/graphql.md). */
export const graphqlServer = connector({
  type: 'graphql',
  driver: 'server',
  defaultDriver: true,
  canonical: 'graphql',
  kind: 'api',
  config: block({
    doc: 'Serves flows as the fields of a GraphQL schema.',
    attributes: {
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 4000, min: 0, max: 65_535 }),
      endpoint: text('Path of the endpoint.', { default: '/graphql', pattern: path }),
      introspection: flag(
        'Whether callers may ask for the schema by introspection. Default: outside production. `{ _service { sdl } }` is answered always, with introspection off too.',
      ),
      playground: flag(
        'Whether a page (GraphiQL) is served in which documents are written and run. It is open to everyone; what it asks for is not. Default: outside production.',
      ),
      playground_path: text('Path of that page; its files are below it.', { default: '/playground', pattern: path }),
      uploads: flag(
        'Whether requests may be forms with files, by the GraphQL multipart request specification, sent with the header GraphQL-Require-Preflight.',
        { default: false },
      ),
      ...requestAttributes,
      ...everyConnector.attributes,
    },
    blocks: { schema, federation, subscriptions, limits, persisted, cors, auth: connectorAuth },
    example: 'connector "api" {\n  type = "graphql"\n  port = 4000\n}',
  }),
  operation: block({
    doc: 'A field of the schema under a name that flows can write.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...operationAttributes,
      operation_type: oneOf('Root type of the field.', rootTypes, { default: 'Query' }),
      field: text('The field.', { required: true, example: '"order"' }),
    },
    blocks: { param },
  }),
  source: {
    operation: 'required',
    style: 'request',
    placement: 'every-worker',
    listens: 'http',
    typed: true,
    checksFiles: true,
    serves: (config, operation) => (operation === undefined ? servedPaths(config) : []),
    names: 'arguments',
    input: {},
    offers: rootTypes.map((type) => `${type}.`),
    checkOperation: checkField,
    verb: verbOfField,
  },
  target: {
    abilities: ['write'],
    needsOneOf: ['operation'],
    offers: ['Subscription.'],
    checkOperation: (operation) =>
      parseField(operation)?.type === 'Subscription' || operation === 'publish'
        ? undefined
        : 'must name a field of Subscription, such as "Subscription.order_changed"',
  },
  words: { from: fromWords, to: toWords },
});
