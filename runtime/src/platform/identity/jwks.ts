import type { JWTVerifyGetKey } from 'jose';
import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { fetchDocument } from '../net/document.ts';

/** Milliseconds after an unknown key id before the set is fetched again, and for one fetch. */
const timing = { cooldownDuration: 30_000, timeoutDuration: 10_000, cacheMaxAge: 600_000 };

/** Milliseconds until a key set that could not be read is asked for again. */
const afterFailure = 1_000;

/** Fetches the document of a key set, within bounds of its own. */
export type FetchKeys = (
  url: string,
  headers: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: Buffer }>;

export interface KeySetOptions {
  /** Default: over a socket of its own, from the written host and public ones. */
  readonly fetch?: FetchKeys | undefined;
  /** A token that names no key is checked with the only key that suits it (OpenID Connect Core 1.0, 10.1). */
  readonly allowsUnnamed?: boolean | undefined;
}

/** The key for a token, by its header. */
export interface KeySet extends JWTVerifyGetKey {
  /** Fetches the set again, unless it was fetched in the last 30 s; says whether it did. */
  refresh(): Promise<boolean>;
}

/**
 * Public keys of an issuer, fetched when first needed. An unknown key id causes another fetch, at most every 30 s; headers of
 * the token that name other keys are never followed. Rejects with `store_unavailable` when the set cannot be read.
 */
export async function keySet(url: string, options: KeySetOptions = {}): Promise<KeySet> {
  const { fetch = fetchKeys, allowsUnnamed = false } = options;
  const { createRemoteJWKSet, customFetch, errors } = await import('jose');
  const respond = async (address: string, { headers, signal }: FetchOptions): Promise<Response> => {
    const { status, body } = await fetch(address, [...headers].flat(), signal);
    return new Response(new Uint8Array(body), { status });
  };
  const keys = createRemoteJWKSet(new URL(url), { ...timing, [customFetch]: respond });
  let failed: Failure | undefined;
  let failedUntil = 0;
  const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
    // Callers can have the set fetched: their tokens name the keys. One that cannot be read is not fetched again for a while.
    if (failed !== undefined && systemClock.elapsed() < failedUntil) throw failed;
    try {
      return await ask();
    } catch (cause) {
      const unusable = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
      if (unusable || cause instanceof errors.JOSENotSupported) throw cause;
      failedUntil = systemClock.elapsed() + afterFailure;
      failed = new Failure('store_unavailable', `the key set ${url} cannot be read`, {
        cause,
        retryAfter: afterFailure,
      });
      throw failed;
    }
  };
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    if (!allowsUnnamed && typeof header?.kid !== 'string') throw new errors.JWKSNoMatchingKey('the token names no key');
    return asked(() => keys(header, token));
  };
  const refresh = async () => {
    if (keys.coolingDown) return false;
    await asked(() => keys.reload());
    return true;
  };
  return Object.assign(keyOf, { refresh });
}

interface FetchOptions {
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

/** Fetches a set with the client of the product, which bounds size, redirects and time. */
const fetchKeys: FetchKeys = (url, headers, signal) =>
  fetchDocument(url, { headers, deadline: timing.timeoutDuration, signal });
