import { type ASTNode, BREAK, type DocumentNode, GraphQLError, Kind, visit } from 'graphql';

/** Directives that ask for an answer in parts. */
const inParts: ReadonlySet<string> = new Set(['defer', 'stream']);

/** Why a document is refused for what it names, before it is validated; undefined: it is not. */
export function refusedFor(document: DocumentNode, introspection: boolean): GraphQLError | undefined {
  let refusal: GraphQLError | undefined;
  const refuse = (message: string, nodes?: ASTNode) => {
    refusal = new GraphQLError(message, { nodes });
    return BREAK;
  };
  visit(document, {
    [Kind.FIELD]: ({ name: { value } }) =>
      !introspection && (value === '__schema' || value === '__type') ? refuse('introspection is disabled') : undefined,
    [Kind.DIRECTIVE]: (directive) =>
      inParts.has(directive.name.value)
        ? refuse(`@${directive.name.value} is not available: every answer is sent as a whole`, directive)
        : undefined,
  });
  return refusal;
}
