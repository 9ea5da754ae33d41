import { Worker } from 'node:worker_threads';
import { Failure } from '../../errors/failure.ts';
import type { HashAnswer, HashQuestion } from './hash-worker.ts';

/** What is asked about a password. */
export type HashWork = HashQuestion extends infer Question
  ? Question extends HashQuestion
    ? Omit<Question, 'password'>
    : never
  : never;

/** Milliseconds after which a thread without work is ended. */
const usualIdleTime = 60_000;

/** Where esbuild puts the program of the threads, and where the source has it. */
const usualProgram = import.meta.url.endsWith('.ts')
  ? new URL('./hash-worker.ts', import.meta.url)
  : new URL('hash-worker.js', new URL(/\/parts\/[^/]*$/.test(import.meta.url) ? '..' : '.', import.meta.url));

/**
 * Computes hashes of passwords, each in a thread of its own. These threads have a lower priority than the event loop where
 * the system has one for each thread, so that a request does not wait for a slice of time of a hash. Started when there is
 * work for them; their number is bounded by the callers. Idle, they do not keep the process running, and end.
 */
export class HashThreads {
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #idleTime: number;
  readonly #program: URL;
  #size = 0;

  constructor({ idleTime = usualIdleTime, program = usualProgram } = {}) {
    this.#idleTime = idleTime;
    this.#program = program;
  }

  /** Threads that have not ended. */
  get size(): number {
    return this.#size;
  }

  /** Rejects with `internal` when it could not be computed, or its thread ended. The bytes of the password are overwritten. */
  compute(password: string, work: HashWork): Promise<Exclude<HashAnswer, undefined>> {
    return new Promise((resolve, reject) => {
      const worker = this.#take();
      const answered = (answer: HashAnswer) => {
        worker.off('error', failed).off('exit', ended);
        this.#rest(worker);
        if (answer === undefined) reject(new Failure('internal', 'the hash of a password could not be computed'));
        else resolve(answer);
      };
      const failed = (cause: unknown) => ended(0, cause);
      const ended = (_status: number, cause?: unknown) => {
        worker.off('message', answered).off('error', failed).off('exit', ended);
        reject(new Failure('internal', 'a thread that computes hashes ended', { cause }));
      };
      worker.once('message', answered).on('error', failed).on('exit', ended);
      // Memory of its own, which the thread gets and overwrites: a copy would stay here.
      const bytes = new TextEncoder().encode(password);
      // A copy: a buffer is sent with all of the memory that it shares with others.
      const own = 'salt' in work ? { ...work, salt: new Uint8Array(work.salt) } : work;
      worker.postMessage({ ...own, password: bytes }, [bytes.buffer]);
    });
  }

  /** The thread that worked last, or another one. */
  #take(): Worker {
    const [worker, timer] = [...this.#idle].at(-1) ?? [];
    if (worker === undefined) return this.#start();
    clearTimeout(timer);
    this.#idle.delete(worker);
    worker.ref();
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    const end = () => {
      this.#idle.delete(worker);
      void worker.terminate();
    };
    this.#idle.set(worker, setTimeout(end, this.#idleTime).unref());
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      name: 'svc hash',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    this.#size += 1;
    // It ends after an error, which refuses what waits for its answer.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#size -= 1;
      clearTimeout(this.#idle.get(worker));
      this.#idle.delete(worker);
    });
    return worker;
  }
}

/** Those of the process. */
export const hashThreads = new HashThreads();
