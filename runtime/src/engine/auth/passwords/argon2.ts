import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashThreads } from './hash-threads.ts';

/** What a hash costs. `memory` is KiB. */
export interface Argon2Cost {
  readonly memory: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/** An argon2id hash as it is kept. */
export interface Argon2Hash extends Argon2Cost {
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const saltLength = 16;
const tagLength = 32;

/**
 * Bounds of a hash that was made elsewhere: what the configuration may ask for, and of memory (KiB) times passes as much
 * as takes some seconds. A hash beyond them is never computed.
 */
const bounds = { memory: 1_048_576, iterations: 100, parallelism: 16, work: 4 * 1_048_576 } as const;

const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,4})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

/** Reads `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; undefined for anything else, and for what exceeds the bounds. */
export function readArgon2(stored: string): Argon2Hash | undefined {
  const [, m, t, p, salt, tag] = form.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) return undefined;
  const [memory, iterations, parallelism] = [Number(m), Number(t), Number(p)];
  const bounded =
    memory <= bounds.memory &&
    memory >= 8 * parallelism &&
    iterations <= bounds.iterations &&
    parallelism <= bounds.parallelism &&
    memory * iterations <= bounds.work;
  if (!bounded) return undefined;
  return { memory, iterations, parallelism, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** A new hash in PHC form, with a salt of its own unless one is given. */
export async function hashArgon2(
  password: string,
  cost: Argon2Cost,
  salt: Buffer = randomBytes(saltLength),
): Promise<string> {
  return writtenArgon2({ ...cost, salt, tag: await tagOf(password, { ...cost, salt }, tagLength) });
}

/** In PHC form. */
export function writtenArgon2({ memory, iterations, parallelism, salt, tag }: Argon2Hash): string {
  return `$argon2id$v=19$m=${memory},t=${iterations},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Whether the password is the one of the hash, compared in constant time. */
export async function matchesArgon2(password: string, hash: Argon2Hash): Promise<boolean> {
  return timingSafeEqual(await tagOf(password, hash, hash.tag.length), hash.tag);
}

/** A hash of no password: of random bytes, so that verifying it takes as long as any other of this cost. */
export function unmatchable(cost: Argon2Cost): Argon2Hash {
  return { ...cost, salt: randomBytes(saltLength), tag: randomBytes(tagLength) };
}

/** Whether a hash is weaker than what is asked for now. */
export function isWeaker(hash: Argon2Hash, cost: Argon2Cost): boolean {
  return (
    hash.memory < cost.memory ||
    hash.iterations < cost.iterations ||
    hash.parallelism < cost.parallelism ||
    hash.salt.length < saltLength ||
    hash.tag.length < tagLength
  );
}

async function tagOf(
  password: string,
  { memory, iterations, parallelism, salt }: Argon2Cost & { salt: Buffer },
  length: number,
): Promise<Buffer> {
  const work = { kind: 'argon2', salt, memory, iterations, parallelism, length } as const;
  return Buffer.from((await hashThreads.compute(password, work)) as Uint8Array);
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
