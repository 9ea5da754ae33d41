import { type ExecutionResult, GraphQLError } from 'graphql';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Asker } from '../execution/field-message.ts';
import type { Prepared } from '../execution/prepared.ts';
import type { GraphqlRequest } from '../http/request.ts';

/**
 * The result of a query or mutation that came over a connection: within its time, in milliseconds, and while its caller
 * wants it. Never rejects.
 */
export async function runOperation(
  prepared: Prepared,
  { variables }: GraphqlRequest,
  askerOf: (signal: () => AbortSignal) => Asker,
  wanted: AbortSignal,
  timeout: number | undefined,
): Promise<ExecutionResult> {
  const over = new AbortController();
  const signal = AbortSignal.any([wanted, over.signal]);
  const { promise: ended, resolve } = Promise.withResolvers<ExecutionResult>();
  const end = (failure: Failure) => {
    resolve(failed(failure));
    over.abort(failure);
  };
  const late = () => end(new Failure('request_timeout', 'the operation took longer than the service allows'));
  const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
  const unwanted = () => end(new Failure('cancelled', 'the caller wants no answer any longer'));
  wanted.addEventListener('abort', unwanted, { once: true });
  try {
    return await Promise.race([
      prepared.execute(
        askerOf(() => signal),
        variables,
      ),
      ended,
    ]);
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(timer);
    wanted.removeEventListener('abort', unwanted);
  }
}

function failed(error: unknown): ExecutionResult {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return { errors: [new GraphQLError(message, { originalError: error instanceof Error ? error : undefined })] };
}
