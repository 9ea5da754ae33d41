import { randomBytes } from 'node:crypto';
import { passwordDigestOf } from './digest.ts';
import { base64Encoding, ofSecurity, ofUtility, passwordDigest, passwordText } from './namespaces.ts';

/** What a client says of itself. */
export interface TokenCredentials {
  readonly username: string;
  readonly password: string;
  readonly passwords: 'digest' | 'text';
}

/** A block of a header with a user name token that is made now (milliseconds since 1970), with a nonce of its own. */
export function securityBlock(
  { username, password, passwords }: TokenCredentials,
  now: number,
): Readonly<Record<string, unknown>> {
  const nonce = randomBytes(16);
  const created = new Date(now).toISOString();
  const isDigest = passwords === 'digest';
  return {
    'wsse:Security': {
      '@xmlns:wsse': ofSecurity,
      '@xmlns:wsu': ofUtility,
      '@soap:mustUnderstand': '1',
      'wsse:UsernameToken': {
        'wsse:Username': username,
        'wsse:Password': {
          '@Type': isDigest ? passwordDigest : passwordText,
          '#text': isDigest ? passwordDigestOf(nonce, created, password) : password,
        },
        'wsse:Nonce': { '@EncodingType': base64Encoding, '#text': nonce.toString('base64') },
        'wsu:Created': created,
      },
    },
  };
}
