import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Algorithm } from './signature-spec.ts';

const digests: Readonly<Record<Algorithm, string>> = { 'hmac-sha256': 'sha256', 'hmac-sha1': 'sha1' };

/** A secret, which is made ready once where much is signed with it. */
export type Secret = string | KeyObject;

export function keyOf(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

/**
 * The signature of a body in lower-case hexadecimal digits (docs/specification/webhooks.md#signatures): over
 * `<timestamp>.<body>`, or over the body alone without a timestamp.
 */
export function signatureOf(
  algorithm: Algorithm,
  secret: Secret,
  timestamp: string | undefined,
  body: Uint8Array | string,
): string {
  return hmac(algorithm, secret, timestamp, body).toString('hex');
}

function hmac(algorithm: Algorithm, secret: Secret, timestamp: string | undefined, body: Uint8Array | string): Buffer {
  const made = createHmac(digests[algorithm], secret);
  if (timestamp === undefined) return made.update(body).digest();
  // Each update costs more than a text of this size.
  if (typeof body === 'string') return made.update(`${timestamp}.${body}`).digest();
  return made.update(`${timestamp}.`).update(body).digest();
}

/** What a request says of its signature. */
export interface Signed {
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** As it was sent. */
  readonly body: Uint8Array;
}

/** By what signatures are checked. */
export interface SignatureRules {
  readonly algorithm: Algorithm;
  readonly secret: Secret;
  /** Milliseconds that the clock of the sender may differ by, the way of the request included. */
  readonly tolerance: number;
}

/** Characters of a header with signatures; signatures in one. */
const longestHeader = 4_096;
const mostSignatures = 8;

/**
 * Why a request is not taken for one of the holder of the secret, for logs; undefined: it is. Two spellings are read: the
 * digits alone, with or without the algorithm before them (`sha256=`), and `t=<timestamp>,v1=<digits>`, where several `v1` are
 * those of several secrets.
 */
export function signatureProblem({ signature, timestamp, body }: Signed, rules: SignatureRules, now: number) {
  if (signature === undefined || signature === '') return 'it has no signature';
  if (signature.length > longestHeader) return 'its signature is malformed';
  const isCombined = signature.includes('v1=') && /(?:^|,)\s*v1=/.test(signature);
  const combined = isCombined ? combinedOf(signature) : undefined;
  const at = combined?.timestamp ?? timestamp;
  const given = combined?.signatures ?? [plainOf(signature, rules.algorithm)];
  const digits = given.flatMap((text) => (text !== undefined && /^(?:[\da-f]{2})+$/i.test(text) ? [text] : []));
  if (digits.length === 0) return 'its signature is malformed';
  if (at !== undefined) {
    const moment = momentOf(at);
    if (moment === undefined) return 'its timestamp is malformed';
    if (Math.abs(now - moment) > rules.tolerance) return 'its timestamp is too far from now';
    if (matches(digits, hmac(rules.algorithm, rules.secret, at, body))) return undefined;
  }
  // The timestamp of the combined spelling is always signed.
  if (combined?.timestamp === undefined && matches(digits, hmac(rules.algorithm, rules.secret, undefined, body)))
    return undefined;
  return 'its signature is that of another secret or another body';
}

function matches(digits: readonly string[], wanted: Buffer): boolean {
  let isFound = false;
  for (const text of digits) {
    const given = Buffer.from(text, 'hex');
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) isFound = true;
  }
  return isFound;
}

/** The digits of a signature that names its algorithm or does not; undefined where it names another one. */
function plainOf(signature: string, algorithm: Algorithm): string | undefined {
  const [, named, digits] = /^\s*(?:(\w+)=)?([^\s=]*)\s*$/.exec(signature) ?? [];
  return named === undefined || named.toLowerCase() === digests[algorithm] ? digits : undefined;
}

function combinedOf(signature: string) {
  let timestamp: string | undefined;
  const signatures: string[] = [];
  for (const part of signature.split(',')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === 't') timestamp ??= value;
    else if (name === 'v1' && signatures.length < mostSignatures) signatures.push(value ?? '');
  }
  return { timestamp, signatures };
}

/** Milliseconds of seconds since 1970, or of a date as RFC 3339 writes it. */
function momentOf(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}
