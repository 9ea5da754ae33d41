import type { GraphQLAbstractType, GraphQLObjectType, GraphQLSchema } from 'graphql';

/**
 * Which type a value of an interface or a union has: the one that it names in `__typename`; else the one that has most
 * of its fields, of several the one with the fewest others, and of these the first by name.
 */
export function typeResolver(schema: GraphQLSchema, type: GraphQLAbstractType): (value: unknown) => string | undefined {
  let possible: readonly (readonly [name: string, fields: ReadonlySet<string>])[] | undefined;
  const candidates = () => {
    possible ??= [...schema.getPossibleTypes(type)]
      .map((each) => [each.name, namesOf(each)] as const)
      .sort(([a, own], [b, others]) => own.size - others.size || (a < b ? -1 : 1));
    return possible;
  };
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { __typename: named } = value as { readonly __typename?: unknown };
    if (typeof named === 'string') return named;
    const own = Object.keys(value);
    let best: string | undefined;
    let most = 0;
    for (const [name, fields] of candidates()) {
      const shared = own.filter((field) => fields.has(field)).length;
      if (shared > most) [best, most] = [name, shared];
    }
    return best;
  };
}

function namesOf(type: GraphQLObjectType): ReadonlySet<string> {
  return new Set(Object.keys(type.getFields()));
}
