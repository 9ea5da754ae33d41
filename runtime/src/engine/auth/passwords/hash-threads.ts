import { Failure } from '../../../foundation/errors/failure.ts';
import { threadProgram } from '../../../platform/threads/program.ts';
import { usualIdleTime, WorkerPool } from '../../../platform/threads/worker-pool.ts';
import type { HashAnswer, HashQuestion } from './hash-worker.ts';

/** What is asked about a password. */
export type HashWork = HashQuestion extends infer Question
  ? Question extends HashQuestion
    ? Omit<Question, 'password'>
    : never
  : never;

const usualProgram = threadProgram(import.meta.url, 'hash-worker');

/**
 * Computes hashes of passwords, each in a thread of its own. These threads have a lower priority than the event loop where
 * the system has one for each thread, so that a request does not wait for a slice of time of a hash. Their number is bounded
 * by the callers.
 */
export class HashThreads {
  readonly #threads: WorkerPool;

  constructor({ idleTime = usualIdleTime, program = usualProgram } = {}) {
    this.#threads = new WorkerPool({
      name: 'svc hash',
      program,
      workers: Number.POSITIVE_INFINITY,
      waiting: 0,
      waitingBytes: 0,
      deadline: Number.POSITIVE_INFINITY,
      idleTime,
      megabytes: 64,
      failure: (_, cause) => new Failure('internal', 'a thread that computes hashes ended', { cause }),
    });
  }

  /** Threads that have not ended. */
  get size(): number {
    return this.#threads.size;
  }

  /** Rejects with `internal` when it could not be computed, or its thread ended. The bytes of the password are overwritten. */
  compute(password: string, work: HashWork): Promise<HashAnswer> {
    return this.#threads.run<HashAnswer>({
      begin() {
        // Memory of its own, which the thread gets and overwrites: a copy would stay here.
        const bytes = new TextEncoder().encode(password);
        // A copy: a buffer is sent with all of the memory that it shares with others.
        const own = 'salt' in work ? { ...work, salt: new Uint8Array(work.salt) } : work;
        return { content: { ...own, password: bytes }, transfer: [bytes.buffer] };
      },
    });
  }
}

/** Those of the process. */
export const hashThreads = new HashThreads();
