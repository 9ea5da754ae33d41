import type { GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

/** The type that flows name so: root types by what they are, whatever a schema calls them. */
export function typeNamed(schema: GraphQLSchema, name: string): GraphQLNamedType | undefined {
  const roots: Readonly<Record<string, GraphQLObjectType | undefined | null>> = {
    Query: schema.getQueryType(),
    Mutation: schema.getMutationType(),
    Subscription: schema.getSubscriptionType(),
  };
  return (Object.hasOwn(roots, name) ? roots[name] : undefined) ?? schema.getType(name);
}
