import type { ContentBytes } from '../../../foundation/contracts/content.ts';
import type { HttpExchange, StreamedBody } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { byteRanges, contentRange, type Divisible } from './byte-ranges.ts';
import { headersOfVersion, isRangeWanted, preconditionOf, type Validators } from './preconditions.ts';
import { slicesOf } from './ranges.ts';

/** How a content is answered. */
export interface ContentAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Names and values in turn; an `ETag` or `Last-Modified` among them wins over that of the content. */
  readonly headers: readonly string[];
}

/** The body of an answer to HEAD: nothing is read for it. */
const nothing: StreamedBody['pieces'] = { [Symbol.asyncIterator]: () => (async function* () {})() };

/**
 * Answers with the bytes of a content as fast as the caller takes them. Where they have a version, the caller may ask for
 * them if it has another one; where parts of them can be had, for ranges (RFC 9110, 13 and 14).
 */
export function sendContent(exchange: HttpExchange, bytes: ContentBytes, answer: ContentAnswer): void {
  const { method, headers: asked } = exchange.request;
  const isRead = answer.status === 200 && (method === 'GET' || method === 'HEAD');
  const validators = isRead ? validatorsOf(bytes, answer.headers) : undefined;
  if (validators === undefined) return sendWhole(exchange, bytes, answer);

  const precondition = preconditionOf(asked, validators);
  const headers = [...answer.headers, ...missing(validators, answer.headers)];
  if (precondition === 'failed') return exchange.refuse(anotherVersion());
  if (precondition === 'not_modified') return exchange.send(304, undefined, '', headersOfVersion(headers));
  if (!isDivisible(bytes)) return sendWhole(exchange, bytes, { ...answer, headers });

  headers.push('accept-ranges', 'bytes');
  const { range, 'if-range': condition } = asked;
  const isWanted = method === 'GET' && isRangeWanted(condition, validators, Math.floor(Date.now() / 1000));
  const slices = range === undefined || !isWanted ? undefined : slicesOf(range, bytes.size);
  if (slices === undefined) return sendWhole(exchange, bytes, { ...answer, headers });
  const [slice, ...others] = slices;
  if (slice === undefined) {
    const refused = new Failure('range_unsatisfiable', `the content has ${bytes.size} bytes, and none of that range`);
    return exchange.refuse(refused, ['content-range', contentRange(undefined, bytes.size)]);
  }
  if (others.length > 0) {
    const { contentType, body } = byteRanges(bytes, slices, answer.contentType);
    return exchange.stream(206, contentType, body, headers);
  }
  headers.push('content-range', contentRange(slice, bytes.size));
  const { start, end } = slice;
  const { isFreeable } = bytes;
  const body = { pieces: bytes.part(start, end), length: end - start, isFreeable };
  exchange.stream(206, answer.contentType, body, headers);
}

/** Why a request for one version is refused. */
export function anotherVersion(): Failure {
  return new Failure('precondition_failed', 'there is another version than the request asks for');
}

function sendWhole(exchange: HttpExchange, bytes: ContentBytes, { status, contentType, headers }: ContentAnswer): void {
  const { inMemory, size: length, isFreeable } = bytes;
  if (inMemory !== undefined) return exchange.send(status, contentType, inMemory, headers);
  const pieces = exchange.request.method === 'HEAD' ? nothing : bytes.stream();
  exchange.stream(status, contentType, { pieces, length, isFreeable }, headers);
}

function isDivisible(bytes: ContentBytes): bytes is Divisible {
  return bytes.part !== undefined && bytes.size !== undefined && !bytes.once;
}

/** Of the headers that the flow writes, else of the content. Undefined: nothing tells versions, and no parts can be had. */
export function validatorsOf(bytes: ContentBytes, headers: readonly string[]): Validators | undefined {
  const { etag: own, modified: changed } = bytes.version ?? {};
  const [written, date] = [headerOf('etag', headers), headerOf('last-modified', headers)];
  const modified = date === undefined ? changed : Date.parse(date);
  // A time in the future is not one at which it was modified (RFC 9110, 8.8.2.1).
  const isPast = modified !== undefined && modified <= Date.now();
  const etag = written ?? (own !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(own) ? own : undefined);
  if (etag === undefined && !isPast && !isDivisible(bytes)) return undefined;
  return { etag, modified: isPast ? Math.floor(modified / 1000) : undefined };
}

/** The headers of validators that the answer does not have. */
function missing({ etag, modified }: Validators, headers: readonly string[]): string[] {
  const added: string[] = [];
  if (etag !== undefined && headerOf('etag', headers) === undefined) added.push('etag', etag);
  if (modified !== undefined && headerOf('last-modified', headers) === undefined)
    added.push('last-modified', new Date(modified * 1000).toUTCString());
  return added;
}

/** The value of a header, its name in lower case. */
export function headerOf(name: string, headers: readonly string[]): string | undefined {
  for (let at = 0; at < headers.length; at += 2)
    if ((headers[at] as string).toLowerCase() === name) return headers[at + 1];
  return undefined;
}
