import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { Failure } from '../../errors/failure.ts';
import type { NamedKey, TokenKeys } from './keys.ts';

/** One secret, which signs and checks. */
export function secretKeys(secret: string): TokenKeys {
  const key = createSecretKey(secret, 'utf8');
  return {
    signing: async () => ({ id: undefined, key }),
    checking: async () => key,
    published: async () => [],
  };
}

/**
 * The key pair that the configuration has, in PEM. Throws a Failure when it cannot be used: no RSA key, too short, or two
 * halves of different pairs.
 */
export function keyPair(privatePem: string, publicPem: string | undefined): TokenKeys {
  const privateKey = readKey('private_key', () => createPrivateKey(privatePem));
  const publicKey = readKey('public_key', () => createPublicKey(publicPem ?? privatePem));
  const own = createPublicKey(privateKey);
  if (!own.equals(publicKey)) throw unusable('`public_key` is not that of `private_key`');
  const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < 2048) throw unusable(`the RSA key has ${bits} bits, fewer than 2048`);
  const named = lazily(async () => ({ id: await keyId(publicKey), key: privateKey }));
  return {
    signing: named,
    checking: async (id) => ((await named()).id === id ? publicKey : undefined),
    published: async () => [await publicJwk({ ...(await named()), key: publicKey })],
  };
}

/** The name of a key: its thumbprint (RFC 7638). */
export async function keyId(key: KeyObject): Promise<string> {
  const { calculateJwkThumbprint, exportJWK } = await import('jose');
  return calculateJwkThumbprint(await exportJWK(key));
}

/** A public key as it is published. */
export async function publicJwk({ id, key }: NamedKey, algorithm?: string): Promise<JWK> {
  const { exportJWK } = await import('jose');
  return {
    ...(await exportJWK(key)),
    use: 'sig',
    ...(id !== undefined && { kid: id }),
    ...(algorithm !== undefined && { alg: algorithm }),
  };
}

function readKey(word: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw unusable(`\`${word}\` is not a key in PEM`, cause);
  }
  if (key.asymmetricKeyType !== 'rsa') throw unusable(`\`${word}\` is not an RSA key`);
  return key;
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure('connector_failed', `auth: ${message}`, { cause, retriable: false });
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
