import { Failure } from '../../../foundation/errors/failure.ts';
import { cancelled } from '../../../platform/net/answered.ts';
import type { Exchange } from '../store.ts';
import type { S3Client } from './client/client.ts';

/**
 * Asks for one key of the bucket. Resolves with why the bucket is used with less than it should: credentials that may write
 * and not list are usual. Rejects when it cannot be reached, does not exist, or does not know the credentials.
 */
export async function healthOf(
  client: S3Client,
  prefix: string | undefined,
  exchange: Exchange,
): Promise<string | undefined> {
  const query = { 'list-type': '2', 'max-keys': '1', ...(prefix !== undefined && { prefix }) };
  try {
    await client.send({ method: 'GET', key: undefined, path: '', query, isSafe: true }, exchange);
    return undefined;
  } catch (error) {
    if (exchange.signal.aborted) throw endOf(exchange.signal, client.bucket);
    if (!(error instanceof Failure) || error.upstream === undefined) throw error;
    if (error.upstream.body.startsWith('AccessDenied'))
      return `the bucket "${client.bucket}" cannot be checked: the credentials may not list it`;
    throw new Failure('connector_refused', `the bucket "${client.bucket}": ${error.message}`, { cause: error });
  }
}

/** The failure of a check that ended before its answer came. */
function endOf({ reason }: AbortSignal, bucket: string): Failure {
  if (reason instanceof Failure) return reason;
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') return cancelled();
  return new Failure('connector_timeout', `the bucket "${bucket}" did not answer in time`, { cause: reason });
}
