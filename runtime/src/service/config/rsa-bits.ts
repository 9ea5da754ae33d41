import { createPublicKey } from 'node:crypto';

/** Bits of the modulus of an RSA key. Undefined for keys of another kind, and for text that is not a key, which is refused when the server is made. */
export function rsaBits(pem: string): number | undefined {
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.modulusLength;
  } catch {
    return undefined;
  }
}
