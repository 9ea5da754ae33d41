import { timingSafeEqual } from 'node:crypto';
import { digestOf } from './constant-time.ts';
import type { AuthSettings, CredentialCheck } from './credential-check.ts';
import { unauthorized } from './credential-check.ts';
import { subject } from './subject.ts';

/** Checks `Authorization: Basic` (RFC 7617) against the users of the block. */
export function basicCheck({ users, realm }: Pick<AuthSettings, 'users' | 'realm'>): CredentialCheck {
  const digests = new Map(Object.entries(users ?? {}).map(([name, password]) => [name, digestOf(password)]));
  const unknownUser = digestOf('');
  const refusal = () => unauthorized(`Basic realm="${realm.replace(/["\\\x00-\x1f\x7f]/g, '')}", charset="UTF-8"`);
  const check: CredentialCheck['check'] = ({ request: { headers } }) => {
    const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(headers.authorization ?? '')?.[1];
    if (encoded === undefined) return refusal();
    const decoded = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    const name = decoded.slice(0, Math.max(0, colon));
    const expected = digests.get(name);
    const same = timingSafeEqual(digestOf(decoded.slice(colon + 1)), expected ?? unknownUser);
    return same && expected !== undefined && colon >= 0 ? subject(name, {}) : refusal();
  };
  return { check };
}
