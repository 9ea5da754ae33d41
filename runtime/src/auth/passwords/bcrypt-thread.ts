import { Worker } from 'node:worker_threads';
import { Failure } from '../../errors/failure.ts';

export interface BcryptQuestion {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

/** `matches` is undefined where it could not be computed. */
export interface BcryptAnswer {
  readonly id: number;
  readonly matches: boolean | undefined;
}

/** Where esbuild puts the program of the thread, and where the source has it. */
const program = import.meta.url.endsWith('.ts')
  ? new URL('./bcrypt-worker.ts', import.meta.url)
  : new URL('bcrypt-worker.js', new URL(/\/parts\/[^/]*$/.test(import.meta.url) ? '..' : '.', import.meta.url));

/**
 * Verifies hashes of bcrypt, one after another in a thread of its own: they are computed in JavaScript, which would stop
 * the event loop. Started with the first one; idle, it does not keep the process running.
 */
class BcryptThread {
  readonly #asked = new Map<number, PromiseWithResolvers<boolean>>();
  #worker: Worker | undefined;
  #last = 0;

  /** Rejects with `internal` when the thread failed. */
  compare(password: string, hash: string): Promise<boolean> {
    this.#worker ??= this.#start();
    const id = ++this.#last;
    const asked = Promise.withResolvers<boolean>();
    this.#asked.set(id, asked);
    this.#worker.ref();
    this.#worker.postMessage({ id, password, hash } satisfies BcryptQuestion);
    return asked.promise;
  }

  #start(): Worker {
    const worker = new Worker(program, { name: 'svc bcrypt', resourceLimits: { maxOldGenerationSizeMb: 128 } });
    worker.on('message', ({ id, matches }: BcryptAnswer) => {
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      if (this.#asked.size === 0) worker.unref();
      if (matches === undefined) asked?.reject(new Failure('internal', 'a hash of bcrypt could not be computed'));
      else asked?.resolve(matches);
    });
    worker.on('error', (error) => this.#ended(worker, error));
    worker.on('exit', () => this.#ended(worker, undefined));
    return worker;
  }

  /** What was asked fails; the next question starts another thread. */
  #ended(worker: Worker, cause: Error | undefined): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) reject(new Failure('internal', 'the thread of bcrypt ended', { cause }));
  }
}

/** The thread of the process. */
export const bcrypt = new BcryptThread();
