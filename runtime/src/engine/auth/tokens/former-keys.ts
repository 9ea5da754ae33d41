import { createPrivateKey, createPublicKey } from 'node:crypto';
import { keyId, publicJwk, rsaKey } from './configured-keys.ts';
import type { CheckingKeys, TokenKeys } from './keys.ts';
import { refreshKeyOf } from './refresh-key.ts';

interface FormerKey extends CheckingKeys {
  readonly id: string;
}

/**
 * The keys of a service, and RSA keys in PEM that signed before and only check now. A private key checks its refresh tokens
 * too. Throws a Failure when a key cannot be used.
 */
export function withFormerKeys(keys: TokenKeys, pems: readonly string[]): TokenKeys {
  if (pems.length === 0) return keys;
  const read = pems.map(formerKey);
  let named: Promise<readonly FormerKey[]> | undefined;
  const former = () => (named ??= Promise.all(read.map(async (each) => ({ ...each, id: await keyId(each.access) }))));
  return {
    signing: () => keys.signing(),
    checking: async (id) => {
      const known = (await former()).filter((each) => each.id === id);
      return known.length > 0 ? known : keys.checking(id);
    },
    published: async () => {
      const present = await keys.published();
      const others = (await former()).filter(({ id }) => !present.some(({ kid }) => kid === id));
      return [...present, ...(await Promise.all(others.map(({ id, access: key }) => publicJwk({ id, key }))))];
    },
    ...(keys.rotate !== undefined && { rotate: keys.rotate.bind(keys) }),
  };
}

function formerKey(pem: string): CheckingKeys {
  const isPrivate = pem.includes('PRIVATE KEY-----');
  const access = rsaKey('previous_public_keys', () => createPublicKey(pem));
  return { access, refresh: isPrivate ? refreshKeyOf(createPrivateKey(pem)) : undefined };
}
