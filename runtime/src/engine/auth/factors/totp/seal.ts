import { seal, sealingKey, unseal } from '../../../../platform/identity/sealing.ts';

/** Tells the key of secrets from whatever else is made of the same secret. */
const purpose = 'svc auth totp secrets 1';

/**
 * Seals what accounts share with authenticator apps where it is kept, with a key made of the secret of the `auth` block, bound
 * to the account, so that what is sealed for one account opens for no other. Without a secret it is kept as it is.
 */
export class Seal {
  readonly #key: Buffer | undefined;
  readonly #former: readonly Buffer[];

  /**
   * `secret`: that of the `auth` block; undefined where it is not written. `former`: those that it had before, which only
   * open.
   */
  constructor(secret: string | undefined, former: readonly string[] = []) {
    if (secret !== undefined && secret !== '') this.#key = sealingKey(secret, purpose);
    this.#former = former.map((each) => sealingKey(each, purpose));
  }

  /** `v1.` and what is sealed; `v0.` and the text where there is no key. */
  close(text: string, accountId: string): string {
    return this.#key === undefined ? `v0.${text}` : `v1.${seal(this.#key, text, accountId)}`;
  }

  /** Undefined where it was sealed with another secret or for another account, or was changed. */
  open(sealed: string, accountId: string): string | undefined {
    if (sealed.startsWith('v0.')) return sealed.slice(3);
    if (!sealed.startsWith('v1.')) return undefined;
    for (const key of this.#key === undefined ? this.#former : [this.#key, ...this.#former]) {
      const text = unseal(key, sealed.slice(3), accountId);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}
