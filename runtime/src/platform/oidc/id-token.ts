import { createHash } from 'node:crypto';
import type { JWTPayload, JWTVerifyResult } from 'jose';
import { Failure } from '../../foundation/errors/failure.ts';
import { decodeJson } from '../formats/json.ts';
import type { KeySet } from '../identity/jwks.ts';
import { isSame } from './authorization-answer.ts';
import type { ProviderFailures } from './failure.ts';
import type { IdTokenMetadata } from './metadata.ts';

/** Claims of an id_token that passed every check. Integers beyond 2^53-1 are bigint. */
export interface IdTokenClaims {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** What an id_token has to say. */
export interface IdTokenExpectation {
  readonly clientId: string;
  /** Undefined where a token was refreshed, which says no nonce. */
  readonly nonce: string | undefined;
  /** Undefined where it is not known yet. */
  readonly subject: string | undefined;
  /** What it was answered with. */
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Seconds that the clocks of provider and service may differ. */
const leeway = 30;
const required = ['iss', 'sub', 'aud', 'exp', 'iat'];

/**
 * Checks an id_token (OpenID Connect Core 1.0, 3.1.3.7 and 3.1.3.8): signature by a key of the issuer, with an algorithm
 * that it offers, issuer, audience, times, nonce, and the access token that it belongs to. Rejects with an OpenIdFailure
 * that names the check, and nothing of the token.
 */
export async function checkIdToken(
  token: string,
  keys: KeySet,
  { issuer, algorithms }: IdTokenMetadata,
  expected: IdTokenExpectation,
  failures: ProviderFailures,
): Promise<IdTokenClaims> {
  const { errors, jwtVerify } = await import('jose');
  const { clientId, now } = expected;
  const verify = () =>
    jwtVerify(token, keys, {
      algorithms: [...algorithms],
      issuer,
      audience: clientId,
      requiredClaims: required,
      clockTolerance: leeway,
      currentDate: new Date(now),
    });
  const refuse = (check: string) =>
    failures.unacceptable(check, `an id_token that does not pass the check of: ${check}`);
  let verified: JWTVerifyResult;
  try {
    verified = await verify().catch(async (error: unknown) => {
      // A key without a name may have been replaced by another one without a name.
      if (!(error instanceof errors.JWSSignatureVerificationFailed) || isNamed(token)) throw error;
      if (!(await keys.refresh())) throw error;
      return verify();
    });
  } catch (error) {
    if (error instanceof Failure)
      throw failures.unavailable('its keys cannot be read', { cause: error, retryAfter: error.retryAfter });
    throw refuse(checkOf(error, errors));
  }
  const { payload, protectedHeader } = verified;
  const failed = claimsProblem(payload, protectedHeader.alg, expected);
  if (failed !== undefined) throw refuse(failed);
  try {
    return decodePart(token, 1) as IdTokenClaims;
  } catch {
    // More than a message may hold.
    throw refuse('form');
  }
}

/** A part of a token, as exact as the provider wrote it, which the parser of the library does not keep. */
function decodePart(token: string, part: 0 | 1): unknown {
  return decodeJson(Buffer.from(token.split('.')[part]!, 'base64url').toString('utf8'));
}

/** Which check of a verified token fails that the library does not make; undefined when all pass. */
function claimsProblem(
  { sub, aud, azp, iat, nonce, at_hash: hash }: JWTPayload,
  algorithm: string,
  { clientId, nonce: asked, subject, accessToken, now }: IdTokenExpectation,
): string | undefined {
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'sub';
  if (subject !== undefined && sub !== subject) return 'sub';
  if (typeof iat !== 'number' || !(iat <= now / 1000 + leeway)) return 'iat';
  const isForOthers = Array.isArray(aud) && aud.length > 1;
  if ((azp !== undefined || isForOthers) && azp !== clientId) return 'azp';
  if (asked !== undefined && (typeof nonce !== 'string' || !isSame(nonce, asked))) return 'nonce';
  if (hash !== undefined && (typeof hash !== 'string' || !isSame(hash, hashOf(accessToken, algorithm))))
    return 'at_hash';
  return undefined;
}

/** The left half of a digest as long as that of the signature (OpenID Connect Core 1.0, 3.1.3.6). */
function hashOf(accessToken: string, algorithm: string): string {
  const bits = /^Ed/.test(algorithm) ? '512' : algorithm.slice(2);
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** What of a token the library refused. Its errors hold the claims, and are not passed on. */
function checkOf(error: unknown, errors: typeof import('jose').errors): string {
  if (error instanceof errors.JWTExpired) return 'exp';
  if (error instanceof errors.JWTClaimValidationFailed) return error.claim;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'alg';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return 'key';
  return 'form';
}

function isNamed(token: string): boolean {
  try {
    return (decodePart(token, 0) as { readonly kid?: unknown }).kid !== undefined;
  } catch {
    return true;
  }
}
