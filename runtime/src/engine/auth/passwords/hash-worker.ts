import { argon2Sync, pbkdf2Sync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { Failure } from '../../../foundation/errors/failure.ts';
import { serveThread } from '../../../platform/threads/serve.ts';

/** What is computed of a password in UTF-8, whose bytes the thread overwrites. */
export type HashQuestion = { readonly password: Uint8Array<ArrayBuffer> } & (
  | {
      readonly kind: 'argon2';
      readonly salt: Uint8Array;
      /** KiB. */
      readonly memory: number;
      readonly iterations: number;
      readonly parallelism: number;
      readonly length: number;
    }
  | {
      readonly kind: 'pbkdf2';
      readonly digest: string;
      readonly salt: Uint8Array;
      readonly rounds: number;
      readonly length: number;
    }
  /** Whether a hash of bcrypt is of the password. */
  | { readonly kind: 'bcrypt'; readonly hash: string }
);

export type HashAnswer = Uint8Array | boolean;

/** How much less than the event loop a thread is served by a processor that both want; at most 19. */
const niceness = 10;

/**
 * The program of the threads that compute hashes. Linux keeps a priority for each thread; elsewhere it is that of the
 * process, which stays as it is.
 */
if (process.platform === 'linux') {
  try {
    setPriority(0, Math.min(19, getPriority(0) + niceness));
  } catch {
    // A sandbox may forbid it: hashes are computed all the same.
  }
}

serveThread<HashQuestion>(
  async (question) => {
    try {
      return { value: await computed(question) };
    } finally {
      question.password.fill(0);
    }
  },
  // What was thrown may have a part of the password.
  () => new Failure('internal', 'the hash of a password could not be computed'),
);

async function computed(question: HashQuestion): Promise<HashAnswer> {
  const { password } = question;
  switch (question.kind) {
    case 'argon2': {
      const { salt, memory, iterations: passes, parallelism, length: tagLength } = question;
      return argon2Sync('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength });
    }
    case 'pbkdf2':
      return pbkdf2Sync(password, question.salt, question.rounds, question.length, question.digest);
    case 'bcrypt': {
      const { compareSync } = await import('bcryptjs');
      return compareSync(Buffer.from(password.buffer).toString('utf8'), question.hash);
    }
  }
}
