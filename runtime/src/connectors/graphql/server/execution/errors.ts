import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { asFailure } from '../../../../errors/classify.ts';
import { disclosed } from '../../../../errors/disclose.ts';
import { Failure } from '../../../../errors/failure.ts';

/** An error as its caller reads it: those of its document in full, those of flows as far as it may read them. */
export function formatError(error: GraphQLError, production: boolean): GraphQLFormattedError {
  const { originalError, locations, path } = error;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  if (originalError === undefined || originalError === null || originalError instanceof GraphQLError)
    return { message: error.message, ...place, ...(hasExtensions(error) && { extensions: error.extensions }) };
  const failure = asFailure(originalError);
  const text = disclosed(failure, production);
  if (text === undefined) return { message: 'Internal Server Error', ...place, extensions: { code: 'internal' } };
  const { code, fields } = failure;
  return { message: text, ...place, extensions: { code, ...(fields && { fields }) } };
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
