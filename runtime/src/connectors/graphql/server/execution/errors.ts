import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { asFailure } from '../../../../errors/classify.ts';
import { disclosed } from '../../../../errors/disclose.ts';
import { Failure } from '../../../../errors/failure.ts';

/**
 * An error as its caller reads it: those of its document in full, those of flows as far as it may read them. What an
 * execution says of a value without a cause of its own names nothing but fields and types of the schema.
 */
export function formatError(error: GraphQLError, production: boolean): GraphQLFormattedError {
  const { locations, path } = error;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  const cause = causeOf(error);
  if (cause === undefined)
    return { message: error.message, ...place, ...(hasExtensions(error) && { extensions: error.extensions }) };
  const failure = asFailure(cause);
  const text = disclosed(failure, production);
  if (text === undefined) return { message: 'Internal Server Error', ...place, extensions: { code: 'internal' } };
  const { code, fields } = failure;
  return { message: text, ...place, extensions: { code, ...(fields && { fields }) } };
}

/** What a resolver threw; undefined: the error is one of GraphQL itself. */
function causeOf({ originalError }: GraphQLError): unknown {
  if (originalError === undefined || originalError === null) return undefined;
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

function hasExtensions({ extensions }: GraphQLError): boolean {
  // Errors of compiled documents lack them.
  return Object.keys(extensions ?? {}).length > 0;
}

/** The failure of a request that is answered in the shape of GraphQL. */
export function requestErrors(
  error: unknown,
  production: boolean,
): { readonly errors: readonly GraphQLFormattedError[] } {
  const failure = error instanceof Failure ? error : asFailure(error);
  return { errors: [formatError(new GraphQLError(failure.message, { originalError: failure }), production)] };
}
