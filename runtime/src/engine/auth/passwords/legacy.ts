import { timingSafeEqual } from 'node:crypto';
import { hashThreads } from './hash-threads.ts';

/** A hash that another system made. */
export interface LegacyHash {
  /** Whether the password is the one of the hash. Rejects only when it could not be computed. */
  matches(password: string): Promise<boolean>;
}

/** Bounds of what is computed: the dearest takes some seconds. */
const bounds = { bcryptCost: 16, rounds: 5_000_000 } as const;

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const djangoForm = /^pbkdf2_sha256\$([1-9]\d{0,6})\$([^$]{1,128})\$([A-Za-z0-9+/]{43}=)$/;
const phcForm =
  /^\$pbkdf2-(sha256|sha512)\$(?:i=)?([1-9]\d{0,6})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.]{2,128})\$([A-Za-z0-9+/.]{43,86})$/;

/**
 * Reads a hash of bcrypt (`$2a$`, `$2b$`, `$2y$`), of PBKDF2 as Django writes it, or of PBKDF2 in PHC form; undefined for
 * anything else, and for what costs more than the bounds.
 */
export function readLegacy(stored: string): LegacyHash | undefined {
  return readBcrypt(stored) ?? readDjango(stored) ?? readPhc(stored);
}

function readBcrypt(stored: string): LegacyHash | undefined {
  const cost = Number(bcryptForm.exec(stored)?.[1]);
  if (!(cost >= 4 && cost <= bounds.bcryptCost)) return undefined;
  return {
    matches: async (password) => (await hashThreads.compute(password, { kind: 'bcrypt', hash: stored })) === true,
  };
}

function readDjango(stored: string): LegacyHash | undefined {
  const [, rounds, salt, hash] = djangoForm.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  return pbkdf2Of('sha256', Number(rounds), Buffer.from(salt, 'utf8'), Buffer.from(hash, 'base64'));
}

function readPhc(stored: string): LegacyHash | undefined {
  const [, digest, rounds, salt, hash] = phcForm.exec(stored) ?? [];
  if (digest === undefined || salt === undefined || hash === undefined) return undefined;
  const tag = fromBase64(hash);
  if (tag.length !== (digest === 'sha256' ? 32 : 64)) return undefined;
  return pbkdf2Of(digest, Number(rounds), fromBase64(salt), tag);
}

function pbkdf2Of(digest: string, rounds: number, salt: Buffer, tag: Buffer): LegacyHash | undefined {
  if (rounds > bounds.rounds) return undefined;
  return {
    matches: async (password) => {
      const work = { kind: 'pbkdf2', digest, salt, rounds, length: tag.length } as const;
      return timingSafeEqual((await hashThreads.compute(password, work)) as Uint8Array, tag);
    },
  };
}

/** Some systems write `.` in place of `+`. */
function fromBase64(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64');
}
