import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';

export interface SignedSecretOptions {
  /** EC key of the curve P-256, in PEM. */
  readonly privateKey: string;
  /** The name of the key at the provider, `kid` of the header. */
  readonly keyId: string;
  /** Who signs, `iss`: the account of the developer at the provider. */
  readonly issuer: string;
  /** `sub`. */
  readonly clientId: string;
  /** The provider, `aud`. */
  readonly audience: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Seconds for which a secret is good. */
const lifetime = 300;

/**
 * Makes client secrets for providers whose secrets are tokens that the client signs (ES256): a new one for each request.
 * Throws a Failure, which shows nothing of the key, where the key cannot be used.
 */
export function signedSecret(options: SignedSecretOptions): () => Promise<string> {
  const { keyId, issuer, clientId, audience, clock } = options;
  const key = readKey(options.privateKey);
  return async () => {
    const { SignJWT } = await import('jose');
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(issuer)
      .setSubject(clientId)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .sign(key);
  };
}

function readKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The error may show a part of the text.
  }
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  const what = key === undefined ? 'a private key in PEM' : 'an EC key of the curve P-256';
  throw new Failure('connector_failed', `the key that client secrets are signed with is not ${what}`, {
    retriable: false,
  });
}
