import { systemClock } from '../../foundation/observe/clock.ts';
import type { HttpRequest } from './client/http-request.ts';
import { type HttpAnswer, HttpFailure } from './exchange.ts';

const redirects = new Set([301, 302, 303, 307, 308]);
const bodyHeaders = new Set(['content-type', 'content-encoding', 'content-language', 'content-location']);

const maxRedirects = 3;

/**
 * Follows an answer that redirects, at most three times and within the origin, in the time of the request that is left.
 * Resolves with the last answer, which says that it was redirected. Rejects as `send` does.
 */
export async function follow(
  request: HttpRequest,
  first: HttpAnswer,
  send: (request: HttpRequest) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const end = systemClock.elapsed() + request.deadline;
  let answer = first;
  let current = request;
  for (let hops = 0; ; hops++) {
    const next = redirected(current, answer);
    if (next === undefined) return hops === 0 ? answer : { ...answer, isRedirected: true };
    if (hops === maxRedirects) {
      throw new HttpFailure('connector_failed', `${request.origin} redirects more than ${maxRedirects} times`, true);
    }
    current = { ...next, deadline: Math.max(end - systemClock.elapsed(), 1) };
    answer = await send(current);
  }
}

/**
 * The request that a redirecting answer asks for (RFC 9110, 15.4); undefined when the answer is not a redirect. Throws
 * when it leads to another origin: such an answer is never followed.
 */
function redirected(request: HttpRequest, answer: HttpAnswer): HttpRequest | undefined {
  const location = answer.headers['location'];
  if (!redirects.has(answer.status) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, request.origin + request.path);
  if (target === null || target.origin !== new URL(request.origin).origin) {
    const where = target === null ? 'nowhere' : target.origin === 'null' ? target.protocol : target.origin;
    throw new HttpFailure(
      'upstream_error',
      `HTTP ${answer.status}: ${request.origin} redirects to ${where}, and redirects to another origin are not followed`,
      true,
      { upstream: { status: answer.status, body: '' }, retriable: false },
    );
  }
  const path = target.pathname + target.search;
  if (!becomesGet(request.method, answer.status)) return { ...request, path };
  const headers = request.headers.filter(
    (_, at) => !bodyHeaders.has((request.headers[at - (at % 2)] ?? '').toLowerCase()),
  );
  return { ...request, path, headers, body: undefined, method: request.method === 'HEAD' ? 'HEAD' : 'GET' };
}

/** 303 always; 301 and 302 after a POST, as every client does. */
function becomesGet(method: string, status: number): boolean {
  return status === 303 || ((status === 301 || status === 302) && method === 'POST');
}
