import type { Proof } from './proof.ts';

const server = 'runtime/src/connectors/graphql/server';
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
export const graphqlWords: Readonly<Record<string, Proof>> = { 'from.batch': batched, 'from.match': batched };

/** What a GraphQL server says of the requests that it takes. */
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
};
