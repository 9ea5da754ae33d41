import { Failure } from '../../../foundation/errors/failure.ts';
import type { Exchange } from '../store.ts';
import type { S3Client } from './client/client.ts';
import type { Headers } from './object-headers.ts';

/** One version of an object. */
export interface Version {
  readonly key: string;
  /** As flows call it, for messages. */
  readonly path: string;
  readonly etag: string | undefined;
}

/** Whether a store refused a request since a version is not there any more. */
export function isReplaced(error: unknown): boolean {
  return error instanceof Failure && error.code === 'connector_failed' && error.upstream?.status === 412;
}

/**
 * Whether the version is there all the same. OpenStack Swift says an ETag of an object that was uploaded in parts, and
 * refuses it in the condition of a copy and of a removal.
 */
export async function isThere(client: S3Client, { key, path, etag }: Version, exchange: Exchange): Promise<boolean> {
  const headers: Headers = etag === undefined ? {} : { 'if-match': etag };
  try {
    await client.send({ method: 'HEAD', key, path, headers, isSafe: true }, exchange);
    return true;
  } catch (error) {
    if (isReplaced(error) || (error instanceof Failure && error.code === 'not_found')) return false;
    throw error;
  }
}
