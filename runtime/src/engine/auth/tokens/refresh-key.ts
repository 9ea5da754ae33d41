import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Tells the key of refresh tokens from whatever else is made of the same key. */
const purpose = 'svc auth refresh tokens 1';

/**
 * The secret that refresh tokens are signed with, made of the secret or private key that signs access tokens (HKDF, RFC
 * 5869). Who has the published keys, or knows how the secret signs access tokens only, can check no refresh token.
 */
export function refreshKeyOf(key: KeyObject): KeyObject {
  const material = key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' });
  return createSecretKey(Buffer.from(hkdfSync('sha256', material, '', purpose, 32)));
}
