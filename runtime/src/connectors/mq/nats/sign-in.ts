import { resolve } from 'node:path';
import type { Authenticator } from '@nats-io/transport-node';
import { mebibyte, regularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { addressOf } from './address.ts';
import type { NatsConfig } from './spec.ts';

/** How this side signs in; undefined without anything to sign in with. Rejects with a Failure that shows no secret. */
export async function signInOf(config: NatsConfig, directory: string): Promise<Authenticator | undefined> {
  const { token, nkey, credentials } = config;
  const { username, password } = addressOf(config);
  const library = await import('@nats-io/transport-node');
  try {
    if (credentials !== undefined)
      return library.credsAuthenticator(await regularFile(resolve(directory, credentials), mebibyte));
    if (nkey !== undefined) {
      const seed = new TextEncoder().encode(nkey);
      // Refuses what is not a seed before it is asked for.
      library.nkeys.fromSeed(seed);
      return library.nkeyAuthenticator(seed);
    }
  } catch (error) {
    const what = credentials === undefined ? '"nkey" is not a seed' : `"credentials": "${credentials}" cannot be used`;
    throw new Failure('connector_failed', what, { cause: error, retriable: false });
  }
  if (token !== undefined) return library.tokenAuthenticator(token);
  if (username === undefined) return undefined;
  return password === undefined
    ? library.tokenAuthenticator(username)
    : library.usernamePasswordAuthenticator(username, password);
}
