import type { Proof } from './proof.ts';

const server = 'runtime/src/connectors/graphql/server';
const limits = `${server}/limits/limits.test.ts`;
const written: Proof = [limits, '%s is what is written: %s'];
const playground = `${server}/http/playground/playground.test.ts`;
const uploads = `${server}/http/uploads.test.ts`;
const persisted = `${server}/http/persisted.test.ts`;

/** What a GraphQL server says of the requests that it takes. */
export const graphqlRequests: Readonly<Record<string, Proof>> = {
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
