import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { algorithmsOf, refused, signedToken, writtenText } from './signed-token.ts';

/** Seconds for which an assertion is good. */
const lifetime = 60;

/** Bits of an RSA key (RFC 7518, 3.3). */
const leastRsa = 2048;

export interface AssertionOptions {
  readonly clientId: string;
  /** The token endpoint that it is made for. */
  readonly audience: string;
  /** Algorithms that the provider names; absent: it says nothing. */
  readonly accepted: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The private key that a client proves itself with (RFC 7523; OpenID Connect Core 1.0, 9). */
export class ClientKey {
  readonly #key: KeyObject;
  readonly #algorithms: readonly string[];

  private constructor(key: KeyObject, algorithms: readonly string[]) {
    this.#key = key;
    this.#algorithms = algorithms;
  }

  /**
   * Reads what `client_key` says: a text of PEM, or the path of its file. Rejects with a Failure that shows nothing of
   * the key.
   */
  static async read(written: string, directory: string): Promise<ClientKey> {
    const pem = await writtenText(written, 'client_key', written.includes('-----BEGIN '), directory);
    let key: KeyObject;
    try {
      key = createPrivateKey(pem);
    } catch {
      throw refused('client_key is not a private key of PEM without a passphrase');
    }
    const algorithms = algorithmsOf(key);
    if (algorithms.length === 0)
      throw refused('client_key is not an RSA key, a key of the curve P-256, P-384 or P-521, or one of Ed25519');
    if ((key.asymmetricKeyDetails?.modulusLength ?? leastRsa) < leastRsa)
      throw refused(`client_key is an RSA key of fewer than ${leastRsa} bits`);
    return new ClientKey(key, algorithms);
  }

  /** Signs an assertion of the client, another one for each request. */
  assertion({ clientId, audience, accepted, now }: AssertionOptions): string {
    const alg = this.#algorithms.find((each) => accepted?.includes(each) !== false);
    if (alg === undefined)
      throw refused(`the provider takes signatures by ${accepted?.join(', ')}, which client_key does not make`);
    const iat = Math.floor(now / 1000);
    const claims = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat, exp: iat + lifetime };
    return signedToken(this.#key, { alg }, claims);
  }
}
