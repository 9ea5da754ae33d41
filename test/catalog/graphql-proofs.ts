import type { Proof } from './proof.ts';

const batched: Proof = [
  'runtime/src/connectors/graphql/server/execution/batches.test.ts',
  'a flow that takes keys runs once for all objects of a level, and its rows are distributed',
];

/** Attributes of a GraphQL server that a test of its own shows. */
export const graphqlServer: Readonly<Record<string, Proof>> = {
  'schema.path': [
    'runtime/src/connectors/graphql/schema/file.test.ts',
    'a schema file says what fields there are, and flows resolve them',
  ],
  'schema.auto_generate': [
    'runtime/src/connectors/graphql/schema/rules.test.ts',
    'a schema is in a file or generated, and nothing else',
  ],
};

/** Words of flows that name a GraphQL server. */
export const graphqlWords: Readonly<Record<string, Proof>> = { 'from.batch': batched, 'from.match': batched };
