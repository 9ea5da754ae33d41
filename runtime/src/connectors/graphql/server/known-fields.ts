import type { KnownTarget } from '@svc/protocol/wire';
import { type GraphQLObjectType, type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';
import { mostColumns, mostKnown } from '../../../foundation/contracts/connector.ts';

/**
 * The fields of a schema as flows name them, with the names of their arguments: those of the root types first. What a
 * federation adds is left out.
 */
export function knownFields(schema: GraphQLSchema): readonly KnownTarget[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const others = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !isIntrospectionType(type) && !roots.includes(type),
  );
  let left = mostColumns;
  const known: KnownTarget[] = [];
  for (const type of [...roots, ...others]) {
    if (type === undefined || type === null || type.name.startsWith('_')) continue;
    for (const { name, args } of Object.values(type.getFields())) {
      if (name.startsWith('_')) continue;
      if (known.length === mostKnown) return known;
      const columns = args.slice(0, left).map((argument) => argument.name);
      left -= columns.length;
      known.push({ name: `${type.name}.${name}`, kind: 'field', columns });
    }
  }
  return known;
}
