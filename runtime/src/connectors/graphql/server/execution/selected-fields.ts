import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The fields that selections ask of an object type, by key of the answer. Conditions of variables are not looked at. */
export function fieldsOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): ReadonlyMap<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visit = ({ selections }: SelectionSetNode) => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        const known = fields.get(key);
        if (known === undefined) fields.set(key, [node]);
        else known.push(node);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const condition = node.typeCondition && schema.getType(node.typeCondition.name.value);
        const applies =
          condition === undefined ||
          condition === type ||
          (isAbstractType(condition) && schema.isSubType(condition, type));
        if (applies) visit(node.selectionSet);
      }
    }
  };
  for (const set of sets) visit(set);
  return fields;
}

/** The object types that the value of a field, or an element of it, may have. */
export function possibleTypes(schema: GraphQLSchema, { type }: Pick<GraphQLField<unknown, unknown>, 'type'>) {
  const named = getNamedType(type);
  if (isObjectType(named)) return [named];
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [];
}
