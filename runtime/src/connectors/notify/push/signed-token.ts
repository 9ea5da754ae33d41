import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { resolve } from 'node:path';
import { FileProblem, regularFile } from '../../../disk/regular-file.ts';
import { Failure } from '../../../errors/failure.ts';

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

/** A JSON Web Token, signed by RS256 or ES256. */
export function signedToken(key: KeyObject, header: object, claims: object): string {
  const isElliptic = key.asymmetricKeyType === 'ec';
  const all = [{ alg: isElliptic ? 'ES256' : 'RS256', ...header }, claims];
  const text = all.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), isElliptic ? { key, dsaEncoding: 'ieee-p1363' } : key);
  return `${text}.${signature.toString('base64url')}`;
}

export function refused(message: string): Failure {
  return new Failure('connector_refused', message, { retriable: false });
}
