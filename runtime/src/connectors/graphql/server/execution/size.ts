import {
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { fieldsOf, possibleTypes } from './selected-fields.ts';

/** Most fields of an operation, counted for each type of its interfaces and unions. */
const mostFields = 20_000;

/** Throws a GraphQLError for an operation whose compiled form would be larger than a request is worth. */
export function refuseLarge(schema: GraphQLSchema, root: GraphQLObjectType, selections: SelectionSetNode): void {
  let counted = 0;
  const visit = (types: readonly GraphQLObjectType[], sets: readonly SelectionSetNode[]): void => {
    for (const type of types)
      for (const [, nodes] of fieldsOf(schema, type, sets)) {
        const node = nodes[0] as FieldNode;
        if (++counted > mostFields)
          throw new GraphQLError(`The operation reads more than ${mostFields} fields of the types it may meet.`, {
            nodes: node,
          });
        const field = type.getFields()[node.name.value];
        const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
        if (field !== undefined && below.length > 0) visit(possibleTypes(schema, field), below);
      }
  };
  visit([root], [selections]);
}
