import { type ASTNode, BREAK, type DocumentNode, GraphQLError, Kind, visit } from 'graphql';

/** Directives that ask for an answer in parts. */
const inParts: ReadonlySet<string> = new Set(['defer', 'stream']);

/** What compiled code cannot have as a name of its own. */
const nameOfPrototype = '__proto__';

/** Why a document is refused for what it names, before it is validated; undefined: it is not. */
export function refusedFor(document: DocumentNode, introspection: boolean): GraphQLError | undefined {
  let refusal: GraphQLError | undefined;
  const refuse = (message: string, nodes?: ASTNode) => {
    refusal = new GraphQLError(message, { nodes });
    return BREAK;
  };
  visit(document, {
    [Kind.FIELD]: (field) => {
      const { name, alias } = field;
      if (alias?.value === nameOfPrototype) return refuse(`"${nameOfPrototype}" cannot be an alias`, field);
      const asksForSchema = name.value === '__schema' || name.value === '__type';
      return asksForSchema && !introspection ? refuse('introspection is disabled') : undefined;
    },
    [Kind.VARIABLE_DEFINITION]: ({ variable }) =>
      variable.name.value === nameOfPrototype
        ? refuse(`"${nameOfPrototype}" cannot be a variable`, variable)
        : undefined,
    [Kind.OBJECT_FIELD]: (field) =>
      field.name.value === nameOfPrototype
        ? refuse(`"${nameOfPrototype}" cannot be written in a document; a variable may have it`, field)
        : undefined,
    [Kind.DIRECTIVE]: (directive) =>
      inParts.has(directive.name.value)
        ? refuse(`@${directive.name.value} is not available: every answer is sent as a whole`, directive)
        : undefined,
  });
  return refusal;
}
