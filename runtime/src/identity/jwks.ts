import type { JWTVerifyGetKey } from 'jose';
import { Failure } from '../errors/failure.ts';

/** How long an unknown key id keeps us from asking again (S-13), and one fetch may take; milliseconds. */
const timing = { cooldownDuration: 30_000, timeoutDuration: 10_000, cacheMaxAge: 600_000 };

/**
 * Public keys of an issuer, fetched when first needed. An unknown key id asks once more, at most every 30 s; headers of
 * the token that name other keys are never followed. Rejects with `store_unavailable` when the set cannot be read.
 */
export async function keySet(url: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, errors } = await import('jose');
  const keys = createRemoteJWKSet(new URL(url), timing);
  return async (header, token) => {
    if (typeof header?.kid !== 'string') throw new errors.JWKSNoMatchingKey('the token names no key');
    try {
      return await keys(header, token);
    } catch (cause) {
      const unusable = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
      if (unusable || cause instanceof errors.JOSENotSupported) throw cause;
      throw new Failure('store_unavailable', `the key set ${url} cannot be read`, { cause, retryAfter: 1000 });
    }
  };
}
