import { type IncomingHttpHeaders, METHODS, maxHeaderSize } from 'node:http';
import { headersTooLarge, type MalformedAnswer, malformed, unmetExpectation } from '../sockets/malformed.ts';

/** The head of a request, as a request of HTTP/1.1 has it: without pseudo headers. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: string[];
  /** Bytes of all of it, decoded. */
  readonly size: number;
  /** Why it cannot be served. */
  readonly refused: MalformedAnswer | undefined;
}

/** What any method may be in HTTP/2; those that are not registered would each be a series of the metrics. */
const known: ReadonlySet<string> = new Set(METHODS);

/** Headers of which requests of HTTP/1.1 keep the first (`message.headers` of Node). */
const firstCounts: ReadonlySet<string> = new Set(
  [
    ['age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since'],
    ['if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer'],
    ['retry-after', 'server', 'user-agent'],
  ].flat(),
);

/** Characters at the ends of a value that no value has. */
const [space, tab] = [0x20, 0x09];

/** Of two, this server and the one in front of it could use different ones. */
const single: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization']);

/** Of other schemes, paths may be anything (RFC 9113, 8.3.1), such as an address with a host of its own. */
const isScheme = /^https?$/i;

/** What the parser of HTTP/1.1 takes: bytes beyond ASCII are percent-encoded. */
const isPath = /^[\x21-\x7e]+$/;

/** As Node reads it of a request of HTTP/1.1. */
const isExpected = /(?:^|\W)100-continue(?:$|\W)/i;

/** Reads the headers of a stream, names and values in turn (RFC 9113, 8.3). */
export function requestHead(fields: readonly string[]): RequestHead {
  const pseudo = new Map<string, string>();
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  const rawHeaders: string[] = [];
  let size = 0;
  let text: string | undefined;
  let cookieAt = -1;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] as string;
    const value = fields[index + 1] as string;
    size += name.length + value.length + 4;
    if (name.startsWith(':')) {
      pseudo.set(name, value);
      continue;
    }
    if (hasOuterBlank(value)) text = `the value of the header ${name} begins or ends with a blank`;
    const before = headers[name];
    if (name === 'cookie' && cookieAt >= 0) {
      // Callers may send each cookie by itself (RFC 9113, 8.2.3).
      headers[name] = rawHeaders[cookieAt] = `${rawHeaders[cookieAt]}; ${value}`;
      continue;
    }
    if (name === 'cookie') cookieAt = rawHeaders.length + 1;
    rawHeaders.push(name, value);
    if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value;
    else if (single.has(name)) text = `a request has one ${name} header at most`;
    else if (Array.isArray(before)) before.push(value);
    else if (!firstCounts.has(name)) headers[name] = `${before}, ${value}`;
  }
  const authority = pseudo.get(':authority');
  if (authority !== undefined) {
    const { host } = headers;
    if (host === undefined) {
      headers['host'] = authority;
      rawHeaders.push('host', authority);
    } else if (host !== authority) text = 'the host header names another host than the request';
  } else if (headers['host'] === undefined) text = 'a request names exactly one host';
  const method = pseudo.get(':method') ?? '';
  const url = pseudo.get(':path') ?? '';
  if (method === 'CONNECT')
    text = 'CONNECT is not served; a connection of another protocol, such as WebSocket, is opened over HTTP/1.1';
  else if (!known.has(method) || !isScheme.test(pseudo.get(':scheme') ?? '') || !isPath.test(url))
    text = malformed.text;
  return {
    method,
    url,
    headers,
    rawHeaders,
    size,
    refused: refusalOf(size, text, headers['expect'] as string | undefined),
  };
}

/** `text`: why it is malformed. */
function refusalOf(size: number, text: string | undefined, expect: string | undefined): MalformedAnswer | undefined {
  if (size > maxHeaderSize) return headersTooLarge;
  if (text !== undefined) return { ...malformed, text };
  return expect === undefined || isExpected.test(expect) ? undefined : unmetExpectation;
}

/** Such a value is malformed (RFC 9113, 8.2.1). */
function hasOuterBlank(value: string): boolean {
  const first = value.charCodeAt(0);
  const last = value.charCodeAt(value.length - 1);
  return first === space || first === tab || last === space || last === tab;
}
