import { constants, createPrivateKey, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto';
import { resolve } from 'node:path';
import { FileProblem, regularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** Bytes of a file with a key. */
const largest = 65_536;

/** A text that is written, or that of the file whose path is. `name` is that of the attribute; no message shows the text. */
export async function writtenText(written: string, name: string, isText: boolean, directory: string): Promise<string> {
  if (isText) return written;
  if (written === '') throw refused(`${name} is empty`);
  try {
    return (await regularFile(resolve(directory, written), largest)).toString('utf8');
  } catch (error) {
    if (error instanceof FileProblem) throw refused(`${name} names no file of at most ${largest} bytes`);
    throw refused(`the file of ${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** A private key of PEM (PKCS#8, PKCS#1 or SEC 1) of one kind. */
export function privateKey(pem: string, name: string, kind: 'rsa' | 'ec'): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw refused(`${name} is not a private key of PEM`);
  }
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== kind || (kind === 'ec' && curve !== 'prime256v1'))
    throw refused(`${name} is not ${kind === 'rsa' ? 'an RSA key' : 'a key of the curve P-256'}`);
  return key;
}

/** What a signature is made with, by the algorithm of a JSON Web Token (RFC 7518, 3.1; RFC 8037). */
const signatures: Readonly<Record<string, { readonly hash: string | null } & Omit<SignKeyObjectInput, 'key'>>> = {
  RS256: { hash: 'sha256' },
  PS256: { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  ES256: { hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  ES384: { hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  ES512: { hash: 'sha512', dsaEncoding: 'ieee-p1363' },
  EdDSA: { hash: null },
};

/** What a key signs by, the usual algorithm first; none for a key of another kind. */
export function algorithmsOf(key: KeyObject): readonly string[] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ['RS256', 'PS256'];
    case 'rsa-pss':
      return ['PS256'];
    case 'ed25519':
      return ['EdDSA'];
    default:
      return byCurve[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? [];
  }
}

const byCurve: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

/** A JSON Web Token, signed by `alg` of its header, else by the usual algorithm of the key. */
export function signedToken(key: KeyObject, header: Readonly<Record<string, string>>, claims: object): string {
  const alg = header['alg'] ?? algorithmsOf(key)[0] ?? '';
  const { hash, ...how } = signatures[alg] as (typeof signatures)[string];
  const text = [{ ...header, alg }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign(hash, Buffer.from(text), { key, ...how }).toString('base64url')}`;
}

export function refused(message: string): Failure {
  return new Failure('connector_refused', message, { retriable: false });
}
