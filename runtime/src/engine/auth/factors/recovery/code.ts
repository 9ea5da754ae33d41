import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Argon2Cost, readArgon2 } from '../../passwords/argon2.ts';
import type { PasswordHashes } from '../../passwords/hash.ts';
import { bitsOf } from './strength.ts';

/** Letters and digits that are not read as one another (RFC 4648, section 6); 5 bits each. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const groupSize = 4;
/** Bits of a code above which no one can try all codes (NIST SP 800-63B-4, section 3.1.2.2). */
const untriable = 112;
/** Characters of what is compared at all. */
const longest = 128;

/** What the hash of a short code costs: ten of them are made while a person waits. */
const cost: Argon2Cost = { memory: 19_456, iterations: 2, parallelism: 1 };

/** A new code, in groups of four. */
export function newCode(length: number): string {
  const characters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]);
  return characters.join('').replaceAll(new RegExp(`.{${groupSize}}(?=.)`, 'g'), '$&-');
}

/** A code as it is compared: without case, blanks and dashes; undefined for what can be none. */
export function spelledCode(written: string): string | undefined {
  if (written.length > longest) return undefined;
  const code = written.toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[A-Z2-7]+$/.test(code) ? code : undefined;
}

/**
 * Hashes of the codes of one account. Codes that are too long to be tried are hashed once; all others as slowly as passwords
 * are, with one salt for all codes of the account: then one computation tells whether a code is one of them.
 */
export async function hashesOfCodes(
  codes: readonly string[],
  hashes: Pick<PasswordHashes, 'hashWith'>,
): Promise<readonly string[]> {
  const salt = randomBytes(16);
  const made: string[] = [];
  for (const written of codes) {
    const code = spelledCode(written) ?? '';
    made.push(bitsOf(code.length) >= untriable ? digestOf(code) : await hashes.hashWith(code, { ...cost, salt }));
  }
  return made;
}

/** The one of the kept hashes of an account that a code has; undefined where it is not among them. */
export async function hashOfCode(
  written: string,
  kept: readonly string[],
  hashes: Pick<PasswordHashes, 'hashWith'>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const code = spelledCode(written);
  const [first] = kept;
  if (code === undefined || first === undefined) return undefined;
  const model = readArgon2(first);
  const hash = model === undefined ? digestOf(code) : await hashes.hashWith(code, model, signal);
  return kept.find((each) => equal(each, hash));
}

function digestOf(code: string): string {
  return `sha256$${createHash('sha256').update(code).digest('hex')}`;
}

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
