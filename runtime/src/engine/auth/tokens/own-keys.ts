import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { AccountStore, SigningKey } from '../store/accounts.ts';
import { keyId, publicJwk } from './configured-keys.ts';
import type { CheckingKeys, SigningKeys, TokenKeys } from './keys.ts';
import { refreshKeyOf } from './refresh-key.ts';

export interface OwnKeysOptions {
  readonly store: Pick<AccountStore, 'signingKeys' | 'addSigningKey' | 'deleteSigningKey'>;
  readonly clock: Clock;
  /** Encrypts the keys where they are kept; undefined: they are kept as they are. */
  readonly passphrase: string | undefined;
  /** Passphrases that keys may have been encrypted with before. */
  readonly formerPassphrases?: readonly string[] | undefined;
  /** Age at which a key is replaced, in milliseconds; undefined: never by itself. */
  readonly rotation: number | undefined;
  /** Longest life of a token, in milliseconds: so long a key that was replaced is still published. */
  readonly lifetime: number;
}

interface LoadedKey extends SigningKeys {
  readonly id: string;
  readonly public: KeyObject;
  readonly createdAt: number;
}

/** Milliseconds after which another process may have replaced the key. */
const staleAfter = 60_000;
/** Milliseconds between two readings because of a token with an unknown key: anybody can send one. */
const cooldown = 5_000;

/**
 * RSA keys that the service makes, keeps with its accounts and replaces. Every process that uses the store signs with the
 * same one: of two that make one at the same time, one wins.
 */
export class OwnKeys implements TokenKeys {
  readonly #options: OwnKeysOptions;
  #keys: readonly LoadedKey[] = [];
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(options: OwnKeysOptions) {
    this.#options = options;
  }

  async signing(): Promise<SigningKeys> {
    await this.#fresh(staleAfter);
    const [latest] = this.#keys;
    if (latest !== undefined && !this.#isOld(latest)) return latest;
    await this.rotate();
    const [made] = this.#keys;
    if (made === undefined) throw new Failure('store_unavailable', 'the key of the tokens cannot be kept');
    return made;
  }

  async checking(id: string | undefined): Promise<readonly CheckingKeys[]> {
    const known = () => this.#keys.find((key) => key.id === id);
    await this.#fresh(staleAfter);
    if (known() === undefined) await this.#fresh(cooldown);
    const key = known();
    return key === undefined ? [] : [{ access: key.public, refresh: key.refresh }];
  }

  async published(): Promise<readonly JWK[]> {
    await this.#fresh(staleAfter);
    return Promise.all(this.#keys.map((each) => publicJwk({ id: each.id, key: each.public })));
  }

  /** Makes a key and signs with it from now on, unless another process has done so meanwhile. */
  async rotate(): Promise<void> {
    const { store, clock, passphrase } = this.#options;
    const latest = this.#keys[0]?.id;
    const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const pem = { type: 'pkcs8', format: 'pem' } as const;
    const privatePem = privateKey.export(
      passphrase === undefined ? pem : { ...pem, cipher: 'aes-256-cbc', passphrase },
    ) as string;
    const id = await keyId(publicKey);
    await store.addSigningKey({ id, privateKey: privatePem, createdAt: clock.now() }, latest);
    await this.#load();
  }

  #isOld({ createdAt }: LoadedKey): boolean {
    const { rotation, clock } = this.#options;
    return rotation !== undefined && clock.now() - createdAt > rotation;
  }

  async #fresh(age: number): Promise<void> {
    if (this.#options.clock.elapsed() - this.#loadedAt >= age) await (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    const { store, clock, lifetime } = this.#options;
    try {
      const kept = await store.signingKeys();
      const known = new Map(this.#keys.map((key) => [key.id, key]));
      const loaded: LoadedKey[] = [];
      for (const [at, key] of kept.entries()) {
        const replacedAt = kept[at - 1]?.createdAt;
        // The last token of a key that was replaced has ended.
        if (replacedAt !== undefined && clock.now() - replacedAt > lifetime) await store.deleteSigningKey(key.id);
        else loaded.push(known.get(key.id) ?? this.#read(key));
      }
      this.#keys = loaded;
      this.#loadedAt = clock.elapsed();
    } finally {
      this.#loading = undefined;
    }
  }

  #read({ id, privateKey, createdAt }: SigningKey): LoadedKey {
    const { passphrase, formerPassphrases = [] } = this.#options;
    let cause: unknown;
    for (const each of [passphrase, ...formerPassphrases])
      try {
        const key = createPrivateKey({
          key: privateKey,
          format: 'pem',
          ...(each !== undefined && { passphrase: each }),
        });
        return { id, key, public: createPublicKey(key), refresh: refreshKeyOf(key), createdAt };
      } catch (error) {
        cause ??= error;
      }
    const message = 'auth: the key of the tokens cannot be read: `secret` is not the one that it was kept with';
    throw new Failure('connector_failed', message, { cause, retriable: false });
  }
}
