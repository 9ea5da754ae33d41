import { createHash, hash } from 'node:crypto';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import { headersOfVersion, preconditionOf } from '../../platform/http/content/preconditions.ts';
import { anotherVersion, headerOf } from '../../platform/http/content/send-content.ts';

/** The strong tag of a body (RFC 9110, 8.8.3): two bodies with the same one have the same bytes. */
export function tagOf(body: string | Uint8Array): string {
  return `"${hash('sha256', body, 'base64url')}"`;
}

/** The same of a body that comes piece by piece. Rejects with what the body fails with. */
export async function tagOfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of pieces) sum.update(piece);
  return `"${sum.digest('base64url')}"`;
}

/**
 * The headers of an answer with its `ETag`: that of the flow, else the tag of its body. Undefined: the conditions of the
 * request are answered instead, with 304 or 412.
 */
export function asVersion(
  exchange: HttpExchange,
  tag: () => string,
  headers: readonly string[] = [],
): readonly string[] | undefined {
  const written = headerOf('etag', headers);
  const etag = written ?? tag();
  const own = written === undefined ? [...headers, 'etag', etag] : headers;
  const date = Date.parse(headerOf('last-modified', headers) ?? '');
  // A time in the future is not one at which it was modified (RFC 9110, 8.8.2.1).
  const modified = date <= Date.now() ? Math.floor(date / 1000) : undefined;
  const precondition = preconditionOf(exchange.request.headers, { etag, modified });
  if (precondition === 'met') return own;
  if (precondition === 'failed') exchange.refuse(anotherVersion());
  else exchange.send(304, undefined, '', headersOfVersion(own));
  return undefined;
}
