import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

type Values = Readonly<Record<string, unknown>>;

/** What a subscription asks for: a field, with its arguments. */
export interface AskedField {
  readonly name: string;
  readonly args: Values;
}

/** The one field of a valid subscription. Throws a GraphQLError, or several as an AggregateError, for wrong variables. */
export type AskedFieldOf = (variables: Values) => AskedField;

/** Decided once for each document. */
export function askedFieldOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
): AskedFieldOf {
  const fields = schema.getSubscriptionType()?.getFields() ?? {};
  return (inputs) => {
    const { coerced, errors } = getVariableValues(schema, variableDefinitions, inputs, { maxErrors: 10 });
    if (coerced === undefined) throw new AggregateError(errors);
    const node = selectedField(selectionSet, document, coerced);
    const field: GraphQLField<unknown, unknown> | undefined = node && fields[node.name.value];
    if (node === undefined || field === undefined)
      throw new GraphQLError('the subscription selects no field of the schema');
    return { name: field.name, args: getArgumentValues(field, node, coerced) };
  };
}

/** Validation has found one field at most, which may be in a fragment. */
function selectedField(
  { selections }: SelectionSetNode,
  document: DocumentNode,
  variables: Values,
): FieldNode | undefined {
  for (const node of selections) {
    if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) continue;
    if (getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false) continue;
    if (node.kind === Kind.FIELD) return node;
    const below =
      node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragmentOf(document, node.name.value)?.selectionSet;
    const found = below && selectedField(below, document, variables);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fragmentOf({ definitions }: DocumentNode, name: string) {
  return definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name) as
    | { readonly selectionSet: SelectionSetNode }
    | undefined;
}
