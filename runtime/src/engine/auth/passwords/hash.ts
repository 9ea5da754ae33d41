import { availableParallelism } from 'node:os';
import { systemClock } from '../../../foundation/observe/clock.ts';
import {
  type Argon2Cost,
  type Argon2Hash,
  hashArgon2,
  isWeaker,
  matchesArgon2,
  readArgon2,
  unmatchable,
  writtenArgon2,
} from './argon2.ts';
import { type LegacyHash, readLegacy } from './legacy.ts';
import { HashQueue } from './queue.ts';

export interface HashSettings extends Argon2Cost {
  /** Default: half as many as there are processors, so that sign-ins leave room for everything else. */
  readonly max_concurrent?: number | undefined;
  readonly max_waiting: number;
}

function usualConcurrency(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2));
}

export interface Verdict {
  readonly matches: boolean;
  /** Milliseconds that it was computed, without the wait for its turn: other kinds of hashes take other times. */
  readonly took: number;
  /** Whether the hash is to be replaced, now that the password is known: it is weaker than what is configured, or of another kind. */
  readonly outdated: boolean;
}

type Stored = { readonly argon2: Argon2Hash } | { readonly legacy: LegacyHash };

/**
 * UTF-16 units that a password may have to be compared at all. The configuration allows 1024 code points, of which NFKC
 * can make more.
 */
const longest = 4_096;

/**
 * Hashes passwords with argon2id, and verifies these and the hashes of `legacy.ts`, off the event loop. A new hash is of
 * the password in Unicode form NFKC, so that another keyboard makes the same one; nothing else of it is changed, and
 * nothing is cut off.
 */
export class PasswordHashes {
  readonly #cost: Argon2Cost;
  readonly #queue: HashQueue;
  readonly #unmatchable: Argon2Hash;
  /** In PHC form, so that it is read as a stored one is. */
  readonly #writtenUnmatchable: string;

  constructor({ memory, iterations, parallelism, max_concurrent, max_waiting }: HashSettings) {
    this.#cost = { memory, iterations, parallelism };
    this.#queue = new HashQueue({ max_concurrent: max_concurrent ?? usualConcurrency(), max_waiting });
    this.#unmatchable = unmatchable(this.#cost);
    this.#writtenUnmatchable = writtenArgon2(this.#unmatchable);
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** A new hash in PHC form, with a salt of its own. Rejects with 503 `overloaded`. */
  hash(password: string, signal?: AbortSignal): Promise<string> {
    return this.#queue.run(() => hashArgon2(password.normalize('NFKC'), this.#cost), signal);
  }

  /**
   * A hash with this salt and cost, so that equal texts have equal hashes: of codes that the service made itself. Rejects
   * with 503 `overloaded`.
   */
  hashWith(
    code: string,
    { salt, ...cost }: Argon2Cost & { readonly salt: Buffer },
    signal?: AbortSignal,
  ): Promise<string> {
    return this.#queue.run(() => hashArgon2(code, cost, salt), signal);
  }

  /**
   * Compares a password with a stored hash. Without one, and with one that is not read, the same work is done with a hash
   * that nothing matches. A hash that was made elsewhere may be of the password as it was typed, so that this is tried too
   * where NFKC changes it. Rejects with 503 `overloaded`, and with `internal` when it could not be computed.
   */
  verify(password: string, stored: string | undefined, signal?: AbortSignal): Promise<Verdict> {
    const usable = password.length <= longest;
    const hash = (usable && readStored(stored ?? this.#writtenUnmatchable)) || { argon2: this.#unmatchable };
    const forms = usable ? new Set([password.normalize('NFKC'), password]) : new Set(['']);
    return this.#queue.run(async () => {
      const began = systemClock.reading();
      const took = () => systemClock.since(began);
      for (const form of forms) {
        const matches = 'argon2' in hash ? await matchesArgon2(form, hash.argon2) : await hash.legacy.matches(form);
        if (!matches || !usable) continue;
        return { matches, outdated: !('argon2' in hash) || isWeaker(hash.argon2, this.#cost), took: took() };
      }
      return { matches: false, outdated: false, took: took() };
    }, signal);
  }

  /**
   * Whether one of these hashes is of the password, at most `most` of them, one after another: each waits for its turn, so
   * that a long history does not hold up those who sign in. Rejects as `verify` does.
   */
  async reused(password: string, hashes: readonly string[], most: number, signal?: AbortSignal): Promise<boolean> {
    for (const hash of hashes.slice(0, Math.max(0, most)))
      if ((await this.verify(password, hash, signal)).matches) return true;
    return false;
  }
}

/** Whether a hash can be verified: of a known form, and not dearer than what is computed. */
export function isReadableHash(stored: string): boolean {
  return readStored(stored) !== undefined;
}

function readStored(stored: string): Stored | undefined {
  const argon2 = readArgon2(stored);
  if (argon2 !== undefined) return { argon2 };
  const legacy = readLegacy(stored);
  return legacy && { legacy };
}
