import type { JWTVerifyGetKey } from 'jose';
import { Failure } from '../errors/failure.ts';
import { fetchDocument } from '../net/document.ts';

/** Milliseconds after an unknown key id before the set is fetched again, and for one fetch. */
const timing = { cooldownDuration: 30_000, timeoutDuration: 10_000, cacheMaxAge: 600_000 };

/** Milliseconds until a key set that could not be read is asked for again. */
const afterFailure = 1_000;

/**
 * Public keys of an issuer, fetched when first needed. An unknown key id causes another fetch, at most every 30 s; headers of
 * the token that name other keys are never followed. Rejects with `store_unavailable` when the set cannot be read.
 */
export async function keySet(url: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, customFetch, errors } = await import('jose');
  const keys = createRemoteJWKSet(new URL(url), { ...timing, [customFetch]: fetchKeys });
  let failed: Failure | undefined;
  let failedUntil = 0;
  return async (header, token) => {
    if (typeof header?.kid !== 'string') throw new errors.JWKSNoMatchingKey('the token names no key');
    // Callers can have the set fetched: their tokens name the keys. One that cannot be read is not fetched again for a while.
    if (failed !== undefined && performance.now() < failedUntil) throw failed;
    try {
      return await keys(header, token);
    } catch (cause) {
      const unusable = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
      if (unusable || cause instanceof errors.JOSENotSupported) throw cause;
      failedUntil = performance.now() + afterFailure;
      failed = new Failure('store_unavailable', `the key set ${url} cannot be read`, {
        cause,
        retryAfter: afterFailure,
      });
      throw failed;
    }
  };
}

interface FetchOptions {
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

/** Fetches a set with the client of the product, which bounds size, redirects and time. */
async function fetchKeys(url: string, { headers, signal }: FetchOptions): Promise<Response> {
  const { status, body } = await fetchDocument(url, {
    headers: [...headers].flat(),
    deadline: timing.timeoutDuration,
    signal,
  });
  return new Response(new Uint8Array(body), { status });
}
