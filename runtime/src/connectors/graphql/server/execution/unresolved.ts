import { GraphQLError, type GraphQLSchema } from 'graphql';

/** Fields of queries and mutations that no flow resolves answer an error that names them. */
export function refuseUnresolved(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.resolve !== undefined) continue;
      const message = `no flow resolves the field ${type?.name}.${field.name}`;
      // A type without fields has this one, which is nothing.
      field.resolve = field.name === '_empty' ? () => null : () => new GraphQLError(message);
    }
}
