import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { BcryptAnswer, BcryptQuestion } from './bcrypt-thread.ts';

/** The program of the thread that verifies hashes of bcrypt. */
const port = parentPort as NonNullable<typeof parentPort>;

port.on('message', ({ id, password, hash }: BcryptQuestion) => {
  try {
    port.postMessage({ id, matches: compareSync(password, hash) } satisfies BcryptAnswer);
  } catch {
    port.postMessage({ id, matches: undefined } satisfies BcryptAnswer);
  }
});
