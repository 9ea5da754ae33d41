import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a client proves itself; `default` writes no `client_auth`. */
export type Method = 'default' | 'basic' | 'post' | 'private_key_jwt' | 'tls' | 'none';

/** A client that the provider knows by one method. */
export interface Client {
  readonly id: string;
  /** As parts of the configuration are called. */
  readonly label: string;
  readonly method: Method;
  readonly secret?: string;
  /** The signature of its assertions. */
  readonly signature?: keyof typeof keys;
}

const keys = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

const plain = 'plain-secret-of-24-characters';

/** Names and secrets that one of form and header would change where the other is meant. */
const unusual = ['q+Zt/8w4eR1+Kc0=', '100%25sure-of-it', '%41%41%41%41', 'p@ss:w+rd %/=&~x é'];

export const clients: readonly Client[] = [
  { id: 'default', label: 'by_default', method: 'default', secret: plain },
  { id: 'basic', label: 'basic', method: 'basic', secret: plain },
  { id: 'post', label: 'post', method: 'post', secret: plain },
  { id: 'signed-rsa', label: 'signed_rsa', method: 'private_key_jwt', signature: 'RS256' },
  { id: 'signed-ec', label: 'signed_ec', method: 'private_key_jwt', signature: 'ES256' },
  { id: 'signed-ed', label: 'signed_ed', method: 'private_key_jwt', signature: 'EdDSA' },
  { id: 'tls', label: 'tls', method: 'tls' },
  { id: 'public', label: 'public', method: 'none' },
  ...unusual.map((secret, at) => ({ id: `odd+name x ${at}`, label: `odd_${at}`, method: 'basic' as const, secret })),
];

export const secrets: readonly string[] = [plain, ...unusual];

/** Writes the private key of each client that signs into the folder; gives the public ones. */
export function writeKeys(folder: string): ReadonlyMap<string, object> {
  const found = new Map<string, object>();
  for (const { id, label, signature } of clients) {
    if (signature === undefined) continue;
    const { privateKey, publicKey } = keys[signature]();
    writeFileSync(join(folder, `${label}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    found.set(id, { ...publicKey.export({ format: 'jwk' }), kid: label, use: 'sig', alg: signature });
  }
  return found;
}

/** The lines of a block that say who the client is and how it proves itself. */
export function written({ id, label, method, secret }: Client): string {
  const lines = [`client_id = ${JSON.stringify(id)}`];
  if (secret !== undefined) lines.push(`client_secret = ${JSON.stringify(secret)}`);
  if (method !== 'default') lines.push(`client_auth = "${method}"`);
  if (method === 'private_key_jwt') lines.push(`client_key = "${label}.pem"`);
  return lines.join('\n');
}
