import { type DocumentNode, type ExecutionArgs, GraphQLSchema, parse } from 'graphql';

/** The library asks the document for nothing but its kind: what is executed has been compiled before. */
const documents: Readonly<Record<'query' | 'mutation' | 'subscription', DocumentNode>> = {
  query: parse('query { __typename }'),
  mutation: parse('mutation { __typename }'),
  subscription: parse('subscription { __typename }'),
};
const schema = new GraphQLSchema({});

/** What the library passes to what executes an operation. */
export function argumentsFor(kind: keyof typeof documents, contextValue: unknown): ExecutionArgs {
  return { schema, document: documents[kind], contextValue };
}
