import { Failure } from '../../../../errors/failure.ts';

/** What a caller asks. */
export interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Reads a decoded body. Throws `request_malformed`. */
export function requestOf(body: unknown): GraphqlRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Failure('body_undecodable', 'the body must be an object with the field "query"');
  const { query, operationName, variables } = body as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string') throw new Failure('body_undecodable', '"query" must be a text');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw new Failure('body_undecodable', '"operationName" must be a text');
  if (variables !== undefined && variables !== null && (typeof variables !== 'object' || Array.isArray(variables)))
    throw new Failure('body_undecodable', '"variables" must be an object');
  return {
    query,
    operationName: operationName === null ? undefined : (operationName as string | undefined),
    variables: (variables ?? {}) as Readonly<Record<string, unknown>>,
  };
}
