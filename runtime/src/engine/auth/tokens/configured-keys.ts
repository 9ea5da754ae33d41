import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { CheckingKeys, NamedKey, TokenKeys } from './keys.ts';
import { refreshKeyOf } from './refresh-key.ts';

/** The secret that signs and checks, and those that signed before and only check now. Throws a Failure where one is empty. */
export function secretKeys(secret: string, former: readonly string[] = []): TokenKeys {
  if (former.includes('')) throw unusable('a secret of `previous_secrets` is empty');
  const key = createSecretKey(secret, 'utf8');
  const refresh = refreshKeyOf(key);
  const all = [{ access: key, refresh }, ...former.map((each) => checkedBy(createSecretKey(each, 'utf8')))];
  return {
    signing: async () => ({ id: undefined, key, refresh }),
    checking: async () => all,
    published: async () => [],
  };
}

function checkedBy(access: KeyObject): CheckingKeys {
  return { access, refresh: refreshKeyOf(access) };
}

/**
 * The key pair that the configuration has, in PEM. Throws a Failure when it cannot be used: no RSA key, too short, or two
 * halves of different pairs.
 */
export function keyPair(privatePem: string, publicPem: string | undefined): TokenKeys {
  const privateKey = rsaKey('private_key', () => createPrivateKey(privatePem));
  const publicKey = rsaKey('public_key', () => createPublicKey(publicPem ?? privatePem));
  if (!createPublicKey(privateKey).equals(publicKey)) throw unusable('`public_key` is not that of `private_key`');
  const refresh = refreshKeyOf(privateKey);
  const named = lazily(async () => ({ id: await keyId(publicKey), key: privateKey, refresh }));
  return {
    signing: named,
    checking: async (id) => ((await named()).id === id ? [{ access: publicKey, refresh }] : []),
    published: async () => [await publicJwk({ id: (await named()).id, key: publicKey })],
  };
}

/** The name of a key: its thumbprint (RFC 7638). */
export async function keyId(key: KeyObject): Promise<string> {
  const { calculateJwkThumbprint, exportJWK } = await import('jose');
  return calculateJwkThumbprint(await exportJWK(key));
}

/** A public key as it is published. */
export async function publicJwk({ id, key }: NamedKey): Promise<JWK> {
  const { exportJWK } = await import('jose');
  return {
    ...(await exportJWK(key)),
    use: 'sig',
    ...(id !== undefined && { kid: id }),
  };
}

/** Reads an RSA key of an attribute. Throws a Failure where it is of another kind, or too short. */
export function rsaKey(word: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw unusable(`\`${word}\` is not a key in PEM`, cause);
  }
  if (key.asymmetricKeyType !== 'rsa') throw unusable(`\`${word}\` is not an RSA key`);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < 2048) throw unusable(`the RSA key of \`${word}\` has ${bits} bits, fewer than 2048`);
  return key;
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure('connector_failed', `auth: ${message}`, { cause, retriable: false });
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
