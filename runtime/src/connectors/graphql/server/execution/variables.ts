import { type GraphQLError, type GraphQLSchema, getVariableValues, type VariableDefinitionNode } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** Most errors that one request is told about its variables. */
const mostErrors = 20;

const none: Variables = Object.freeze(Object.create(null) as Record<string, unknown>);

/**
 * Reads the variables of a request as its document declares them: with defaults, and enum values as what they stand for.
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
