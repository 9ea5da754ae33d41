import { createHash, randomBytes } from 'node:crypto';
import type { Challenge } from './challenge.ts';

/** Who asks. */
export interface DigestUser {
  readonly username: string;
  readonly password: string;
}

/** Hashes by the names of algorithms in challenges, the stronger one first. */
const hashes = { 'SHA-256': 'sha256', MD5: 'md5' } as const;
export type DigestAlgorithm = keyof typeof hashes;

/** A challenge of Digest that can be answered. */
export interface DigestChallenge {
  readonly algorithm: DigestAlgorithm;
  /** The algorithm is a `-sess` one: the secret is hashed with the nonces. */
  readonly isSession: boolean;
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** The name is sent as a hash of it. */
  readonly userhash: boolean;
  /** Only the nonce was too old. */
  readonly stale: boolean;
}

/** The strongest challenge that can be answered: SHA-256 before MD5, with `qop=auth`. */
export function strongestOf(challenges: readonly Challenge[]): DigestChallenge | undefined {
  const all = challenges.map(readable).filter((each) => each !== undefined);
  return all.find(({ algorithm }) => algorithm === 'SHA-256') ?? all[0];
}

function readable({ scheme, parameters }: Challenge): DigestChallenge | undefined {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')];
  const qop = (parameters.get('qop') ?? '').toLowerCase().split(/[\s,]+/);
  const [, name = '', session] = /^(sha-256|md5)(-sess)?$/i.exec(parameters.get('algorithm') ?? 'MD5') ?? [];
  if (scheme !== 'digest' || realm === undefined || !nonce || name === '' || !qop.includes('auth')) return undefined;
  return {
    algorithm: name.toUpperCase() as DigestAlgorithm,
    isSession: session !== undefined,
    realm,
    nonce,
    opaque: parameters.get('opaque'),
    userhash: parameters.get('userhash')?.toLowerCase() === 'true',
    stale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}

/** Answers one challenge for any number of requests, each of which has its own count (RFC 7616, 3.4). */
export class DigestSession {
  readonly challenge: DigestChallenge;
  readonly #user: DigestUser;
  readonly #cnonce: string;
  readonly #secret: string;
  #count = 0;

  constructor(challenge: DigestChallenge, user: DigestUser, cnonce = randomBytes(16).toString('hex')) {
    const { realm, nonce, isSession } = challenge;
    this.challenge = challenge;
    this.#user = { username: user.username.normalize('NFC'), password: user.password.normalize('NFC') };
    this.#cnonce = cnonce;
    const secret = this.#hash(this.#user.username, realm, this.#user.password);
    this.#secret = isSession ? this.#hash(secret, nonce, cnonce) : secret;
  }

  /** The value of the Authorization header of one request; `path` is that of its request line. */
  authorization(method: string, path: string): string {
    const { algorithm, isSession, realm, nonce, opaque, userhash } = this.challenge;
    const count = (++this.#count).toString(16).padStart(8, '0');
    const asked = this.#hash(method, path);
    const response = this.#hash(this.#secret, nonce, count, this.#cnonce, 'auth', asked);
    const parts = [
      this.#named(userhash, realm),
      `realm=${quoted(realm)}`,
      `uri=${quoted(path)}`,
      `algorithm=${algorithm}${isSession ? '-sess' : ''}`,
      `nonce=${quoted(nonce)}`,
      `nc=${count}`,
      `cnonce=${quoted(this.#cnonce)}`,
      'qop=auth',
      `response=${quoted(response)}`,
    ];
    if (opaque !== undefined) parts.push(`opaque=${quoted(opaque)}`);
    if (userhash) parts.push('userhash=true');
    return `Digest ${parts.join(', ')}`;
  }

  #named(userhash: boolean, realm: string): string {
    const { username } = this.#user;
    if (userhash) return `username=${quoted(this.#hash(username, realm))}`;
    return /^[\x20-\x7e]*$/.test(username)
      ? `username=${quoted(username)}`
      : `username*=UTF-8''${encodeURIComponent(username).replace(/['()*]/g, percent)}`;
  }

  #hash(...parts: readonly string[]): string {
    return createHash(hashes[this.challenge.algorithm]).update(parts.join(':')).digest('hex');
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
