import { Failure } from '../../../foundation/errors/failure.ts';
import { type HttpAnswer, HttpFailure } from '../../../platform/net/request.ts';
import type { Exchange } from '../store.ts';
import type { Ask, S3Client } from './client/client.ts';
import type { Headers } from './object-headers.ts';

/**
 * Sends the request that makes an object, under a condition if there is one. `outcome_unknown`: the answer to one with a
 * condition was lost, and it does not hold any more where the object was made.
 */
export async function sendUnder(
  client: S3Client,
  ask: Omit<Ask, 'isSafe' | 'isConditional'>,
  condition: Headers | undefined,
  exchange: Exchange,
): Promise<HttpAnswer> {
  const isConditional = condition !== undefined;
  const headers = { ...ask.headers, ...condition };
  try {
    return await client.send({ ...ask, headers, isSafe: !isConditional, isConditional }, exchange);
  } catch (error) {
    exchange.signal.throwIfAborted();
    if (!isConditional || !(error instanceof HttpFailure) || !error.sent) throw error;
    throw new Failure('outcome_unknown', `whether "${ask.path}" was written is not known: the answer was lost`, {
      cause: error,
    });
  }
}
