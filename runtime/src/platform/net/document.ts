import { AddressPolicy } from './addresses/address-policy.ts';
import { documentLimit, HttpClient } from './request.ts';

export interface DocumentOptions {
  /** Names and values in turn. */
  readonly headers?: readonly string[] | undefined;
  /** Milliseconds until the last byte. */
  readonly deadline: number;
  /** Bytes. Default: 1 MiB. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: the host of the address, since the configuration writes it, and public ones. */
  readonly addresses?: AddressPolicy | undefined;
}

/**
 * Fetches a document that the service needs for itself, over a socket that is not kept: such documents are rare. Resolves
 * with any status. Rejects with HttpFailure.
 */
export async function fetchDocument(url: string, options: DocumentOptions): Promise<{ status: number; body: Buffer }> {
  const { headers = [], deadline, limit = documentLimit, signal, addresses = AddressPolicy.forWritten(url) } = options;
  const { origin, pathname, search } = new URL(url);
  const client = new HttpClient({ maxResponse: limit, connections: 1, addresses });
  try {
    const path = pathname + search;
    const { status, body } = await client.send({ method: 'GET', origin, path, headers, deadline, signal });
    return { status, body };
  } finally {
    void client.close();
  }
}
