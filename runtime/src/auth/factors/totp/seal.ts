import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;
/** Tells the key of secrets from whatever else is made of the same secret. */
const purpose = 'svc auth totp secrets 1';

/**
 * Seals what accounts share with authenticator apps where it is kept: AES-256-GCM with a key made of the secret of the `auth`
 * block (HKDF, RFC 5869), bound to the account, so that what is sealed for one account opens for no other. Without a secret it
 * is kept as it is.
 */
export class Seal {
  readonly #key: Buffer | undefined;

  /** `secret`: that of the `auth` block; undefined where it is not written. */
  constructor(secret: string | undefined) {
    if (secret !== undefined && secret !== '') this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  }

  /** `v1.` and base64url of initialisation vector, text and tag; `v0.` and the text where there is no key. */
  close(text: string, accountId: string): string {
    if (this.#key === undefined) return `v0.${text}`;
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv(algorithm, this.#key, iv, { authTagLength: tagLength }).setAAD(
      Buffer.from(accountId),
    );
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${sealed.toString('base64url')}`;
  }

  /** Undefined where it was sealed with another secret or for another account, or was changed. */
  open(sealed: string, accountId: string): string | undefined {
    if (sealed.startsWith('v0.')) return sealed.slice(3);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    if (!sealed.startsWith('v1.') || this.#key === undefined || bytes.length < ivLength + tagLength) return undefined;
    const iv = bytes.subarray(0, ivLength);
    const decipher = createDecipheriv(algorithm, this.#key, iv, { authTagLength: tagLength })
      .setAAD(Buffer.from(accountId))
      .setAuthTag(bytes.subarray(-tagLength));
    try {
      return decipher.update(bytes.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
