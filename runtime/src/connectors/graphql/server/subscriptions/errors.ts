import { GraphQLError } from 'graphql';
import { asFailure } from '../../../../foundation/errors/classify.ts';

/** What is said of a failure, as GraphQL has it. */
export function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorsOf);
  if (error instanceof GraphQLError) return [error];
  const failure = asFailure(error);
  return [new GraphQLError(failure.message, { originalError: failure })];
}
