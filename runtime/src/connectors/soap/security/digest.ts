import { createHash } from 'node:crypto';

/** The digest of a password: Base64 of SHA-1 over nonce, time of creation and password (user name token profile, 3.1). */
export function passwordDigestOf(nonce: Uint8Array, created: string, password: string): string {
  return createHash('sha1').update(nonce).update(created, 'utf8').update(password, 'utf8').digest('base64');
}
