import { type GraphQLError, type GraphQLSchema, getVariableValues, type VariableDefinitionNode } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** Most errors about the variables of one request. */
const mostErrors = 20;

const none: Variables = Object.freeze(Object.create(null) as Record<string, unknown>);

/**
 * Reads the variables of a request as its document declares them: with defaults, and values of enums as flows know them.
 * Decided once for each document.
 */
export function variablesOf(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Variables) => Variables | readonly GraphQLError[] {
  if (definitions.length === 0) return () => none;
  return (sent) => {
    const { errors, coerced } = getVariableValues(schema, definitions, sent, { maxErrors: mostErrors });
    return errors ?? coerced;
  };
}
