import { Content } from '../../../foundation/contracts/content.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type HttpAnswer, HttpFailure } from '../request.ts';
import type { Access } from './access.ts';
import type { HttpRequest } from './http-request.ts';
import { retryAfter } from './retry.ts';
import type { SentHeaders } from './sent-headers.ts';
import type { TokenSource } from './token.ts';

/** One request as it is tried; headers are those of its message, without an access token. */
export interface Tried<T>
  extends Pick<HttpRequest, 'method' | 'path' | 'body' | 'signal' | 'keep' | 'pass' | 'redirects'> {
  readonly headers: SentHeaders;
  /** Further headers, made for each attempt: names and values in turn. */
  readonly fresh?: (() => readonly string[]) | undefined;
  /** Milliseconds for all attempts; undefined: as long as they take. */
  readonly timeout: number | undefined;
  /** Repeating it changes nothing twice. */
  readonly isSafe: boolean;
  /** Reads an answer, whatever its status. Throws or rejects with an HttpFailure for one that is a failure. */
  readonly read: (answer: HttpAnswer) => T | Promise<T>;
}

/**
 * Sends a request, again where that may help and changes nothing twice, and with another access token where one
 * was refused. Rejects with the failure of the last attempt, and with `cancelled`.
 */
export async function sendTried<T>(access: Access, tried: Tried<T>): Promise<T> {
  const { client, origin, retry, timeout, tokens, services } = access;
  const { clock } = services;
  const { method, path, body, signal, keep, pass, redirects, fresh, headers: own } = tried;
  const end = clock.elapsed() + (tried.timeout ?? Number.POSITIVE_INFINITY);
  let failure: HttpFailure | undefined;
  for (let attempts = 1, isRenewed = false; ; attempts++) {
    const got = tokenOf(access, own, end, signal);
    const token = got instanceof Promise ? await got : got;
    const given = fresh === undefined ? own.flat : [...own.flat, ...fresh()];
    const headers = token === undefined ? given : [...given, 'authorization', `Bearer ${token}`];
    try {
      const deadline = Math.min(timeout, Math.max(end - clock.elapsed(), 1));
      const request = { method, origin, path, headers, body, deadline, signal, keep, pass, redirects };
      return await tried.read(await client.send(request));
    } catch (error) {
      // What a circuit breaker holds back says nothing about the attempts before it, which may have taken effect.
      if (!(error instanceof HttpFailure)) throw isHeldBack(error) ? (failure ?? error) : error;
      failure = error;
    }
    const isRefused = failure.upstream?.status === 401 && token !== undefined && !isRenewed;
    const mayRenew = isRefused && tokens?.refused(token) === true;
    // What is forwarded as it came cannot be sent a second time.
    if (body instanceof Content && body.bytes.once) throw failure;
    if (mayRenew) {
      isRenewed = true;
      attempts--;
      continue;
    }
    const { ended } = client;
    const wait = ended.aborted ? undefined : retryAfter(failure, attempts, retry, tried.isSafe || own.keyed);
    if (wait === undefined || clock.elapsed() + wait >= end) throw failure;
    await clock.sleep(wait, signal === undefined ? ended : AbortSignal.any([signal, ended])).catch(() => {
      if (signal?.aborted !== true) throw failure;
      throw new Failure('cancelled', 'the request was cancelled', { cause: failure });
    });
  }
}

function isHeldBack(error: unknown): boolean {
  return error instanceof Failure && error.code === 'peer_unavailable';
}

/** The access token of one attempt; undefined when none is needed. */
function tokenOf(
  { tokens, services }: Access,
  headers: SentHeaders,
  end: number,
  signal: AbortSignal | undefined,
): string | undefined | Promise<string> {
  if (tokens === undefined || headers.authorized) return undefined;
  return tokenWithin(tokens, end, signal, services.clock);
}

/** The access token for a call that ends at `end`, without a promise when there is one. Rejects with a Failure. */
export function tokenWithin(
  tokens: TokenSource,
  end: number,
  signal: AbortSignal | undefined,
  clock: Access['services']['clock'],
): string | Promise<string> {
  const got = tokens.get();
  return typeof got === 'string' ? got : awaited(got, end, signal, clock);
}

/** Many calls share one fetch of a token, so each waits with its own deadline and signal. */
async function awaited(
  fetch: Promise<string>,
  end: number,
  signal: AbortSignal | undefined,
  clock: Access['services']['clock'],
): Promise<string> {
  const remaining = end - clock.elapsed();
  if (remaining === Number.POSITIVE_INFINITY && signal === undefined) return fetch;
  const stop = new AbortController();
  const until = AbortSignal.any(signal ? [signal, stop.signal] : [stop.signal]);
  const late = clock.sleep(remaining, until).then(
    () => Promise.reject(new Failure('connector_timeout', 'no access token in time')),
    () => Promise.reject(new Failure('cancelled', 'the request was cancelled')),
  );
  try {
    return await Promise.race([fetch, late]);
  } finally {
    late.catch(() => {});
    stop.abort();
  }
}
