import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../../errors/failure.ts';
import type { MadeDocument } from '../paint/document.ts';
import type { ThreadAnswer, ThreadJob } from './messages.ts';

/** Bounds of the threads of a process. */
export interface ThreadLimits {
  readonly threads: number;
  /** Documents that wait for a thread; further ones are refused. */
  readonly waiting: number;
  /** Memory of one thread. */
  readonly megabytes: number;
}

interface Waiting {
  readonly job: ThreadJob;
  readonly signal: AbortSignal;
  readonly resolve: (made: MadeDocument) => void;
  readonly reject: (reason: unknown) => void;
}

/** Where esbuild puts the program of the threads, and where the source has it. */
const program = import.meta.url.endsWith('.ts')
  ? new URL('./pdf-worker.ts', import.meta.url)
  : new URL('pdf-worker.js', new URL(/\/parts\/[^/]*$/.test(import.meta.url) ? '..' : '.', import.meta.url));

/** Threads that make documents, started when there are documents to make. Idle ones do not keep the process running. */
export class DocumentThreads {
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  readonly #waiting = new Set<Waiting>();
  #busy = 0;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
  }

  /**
   * Rejects with the Failure of the document, with the reason of the signal when that fires, and with `overloaded` when too
   * many wait. A document that is given up ends its thread, whatever it does.
   */
  make(job: ThreadJob, signal: AbortSignal): Promise<MadeDocument> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const entry: Waiting = { job, signal, resolve, reject };
      if (this.#busy < this.#limits.threads) return this.#run(entry);
      if (this.#waiting.size >= this.#limits.waiting)
        return reject(new Failure('overloaded', 'too many documents wait to be made'));
      this.#waiting.add(entry);
      signal.addEventListener('abort', () => this.#waiting.delete(entry) && reject(signal.reason), { once: true });
    });
  }

  #run({ job, signal, resolve, reject }: Waiting): void {
    this.#busy++;
    const worker = this.#idle.pop() ?? this.#start();
    const end = (settle: () => void, isUsable: boolean) => {
      signal.removeEventListener('abort', abort);
      worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
      if (isUsable) {
        worker.unref();
        // What happens to an idle thread is noticed with the next document, which then gets another one.
        worker.on('error', () => this.#forget(worker)).on('exit', () => this.#forget(worker));
        this.#idle.push(worker);
      } else {
        worker.on('error', () => undefined);
        void worker.terminate();
      }
      this.#busy--;
      settle();
      this.#runNext();
    };
    const abort = () => end(() => reject(signal.reason), false);
    const fail = (failure: Failure) => end(() => reject(failure), false);
    signal.addEventListener('abort', abort, { once: true });
    worker.removeAllListeners('error').removeAllListeners('exit');
    worker.on('message', (answer: ThreadAnswer) =>
      end(() => {
        if ('made' in answer) resolve(answer.made);
        else reject(new Failure(answer.code, answer.text, { retriable: answer.retriable }));
      }, true),
    );
    worker.on('error', (error: Error & { readonly code?: string }) =>
      fail(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new Failure('body_too_large', 'the document takes too much memory')
          : new Failure('internal', `the document cannot be made: ${error.message}`, { cause: error }),
      ),
    );
    worker.on('exit', () => fail(new Failure('internal', 'the thread that makes the document ended')));
    worker.ref();
    worker.postMessage(job);
  }

  #runNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#run(next);
  }

  #forget(worker: Worker): void {
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #start(): Worker {
    return new Worker(program, {
      name: 'svc pdf',
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.megabytes },
    });
  }
}

/** The threads of the process. */
export const documentThreads = new DocumentThreads({
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 1000,
  megabytes: 1024,
});
