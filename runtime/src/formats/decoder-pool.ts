import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Failure } from '../errors/failure.ts';
import type { FailureCode } from '../errors/failures.ts';
import type { DecodingBudget } from './budget.ts';
import { Assembly, type Piece } from './pieces.ts';
import type { FormatName } from './registry.ts';

/** A body to be decoded by a worker thread. */
export interface DecodingJob {
  readonly format: FormatName;
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
  readonly budget: DecodingBudget;
  /** See `BodyForm`. */
  readonly doubles?: boolean | undefined;
  /** Of a spreadsheet: the rows of a sheet as they are written (`SheetRow`) in place of its value. */
  readonly sheet?: { readonly name: string | undefined } | undefined;
}

/** What a worker thread answers: a piece of the value, or why there is no value. */
export type DecodingAnswer = { readonly piece: Piece } | { readonly code: FailureCode; readonly text: string };

/** Bounds of a pool. Times in milliseconds. */
export interface DecoderLimits {
  readonly workers: number;
  /** Bodies that wait for a worker, and their bytes; further ones are refused. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Time that one body may take. */
  readonly deadline: number;
  /**
   * Memory of one worker. Budgets keep every codec far below it: a worker that reaches it may end the process, since what
   * is written in C++, such as `JSON.parse`, cannot be interrupted.
   */
  readonly megabytes: number;
}

interface Waiting {
  readonly job: DecodingJob;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Where esbuild puts the program of the workers, and where the source has it. */
const program = import.meta.url.endsWith('.ts')
  ? new URL('./decoding-worker.ts', import.meta.url)
  : new URL('decoding-worker.js', new URL(/\/parts\/[^/]*$/.test(import.meta.url) ? '..' : '.', import.meta.url));

/** Worker threads that decode bodies, started when there are bodies for them. Idle ones do not keep the process running. */
export class DecoderPool {
  readonly #limits: DecoderLimits;
  readonly #idle: Worker[] = [];
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #busy = 0;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
  }

  /**
   * Rejects with the Failure of the codec, `body_too_large` for a body that takes too long, `overloaded` when too many wait,
   * and with the reason of the signal, which frees the worker at once.
   */
  decode(job: DecodingJob, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const { workers, waiting, waitingBytes } = this.#limits;
      const entry = { job, signal, resolve, reject };
      if (this.#busy < workers) return this.#run(entry);
      const bytes = this.#waitingBytes + job.bytes.length;
      if (this.#waiting.length >= waiting || (this.#waiting.length > 0 && bytes > waitingBytes))
        return reject(new Failure('overloaded', 'too many large bodies wait to be decoded'));
      this.#waitingBytes = bytes;
      this.#waiting.push(entry);
      signal?.addEventListener('abort', () => this.#forsake(entry), { once: true });
    });
  }

  /** Ends the wait of a body that no one wants any more. */
  #forsake(entry: Waiting): void {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#waitingBytes -= entry.job.bytes.length;
    entry.reject(entry.signal?.reason);
  }

  #run({ job, signal, resolve, reject }: Waiting): void {
    this.#busy++;
    const worker = this.#idle.pop() ?? this.#start();
    const assembly = new Assembly();
    const abort = () => end(() => reject(signal?.reason), false);
    signal?.addEventListener('abort', abort, { once: true });
    const end = (settle: () => void, reusable: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
      if (reusable) {
        worker.unref();
        // What happens to an idle worker is noticed with the next body, which then gets another one.
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
    const fail = (code: FailureCode, text: string, reusable: boolean) =>
      end(() => reject(new Failure(code, text)), reusable);
    const timer = setTimeout(
      () => fail('body_too_large', `decoding the body takes longer than ${this.#limits.deadline} ms`, false),
      this.#limits.deadline,
    );
    worker.removeAllListeners('error').removeAllListeners('exit');
    worker.on('message', (answer: DecodingAnswer) => {
      if ('code' in answer) return fail(answer.code, answer.text, true);
      assembly.add(answer.piece);
      if (answer.piece.last) end(() => resolve(assembly.value), true);
      // Other work on the event loop runs before the next piece is taken over.
      else setImmediate(() => worker.postMessage('next'));
    });
    worker.on('error', (error: Error & { readonly code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? fail('body_too_large', 'decoding the body takes too much memory', false)
        : fail('internal', `the decoder failed: ${error.message}`, false),
    );
    worker.on('exit', () => fail('internal', 'the decoder ended', false));
    worker.ref();
    // A copy: the memory that holds a chunk of a socket holds others too.
    const bytes = new Uint8Array(job.bytes);
    worker.postMessage({ ...job, bytes } satisfies DecodingJob, [bytes.buffer]);
  }

  #runNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#waitingBytes -= next.job.bytes.length;
    this.#run(next);
  }

  #forget(worker: Worker): void {
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #start(): Worker {
    return new Worker(program, {
      name: 'svc decoder',
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.megabytes },
    });
  }
}

/** The pool of the process. */
export const decoders = new DecoderPool({
  workers: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 1_000,
  waitingBytes: 64 * 1024 * 1024,
  deadline: 5_000,
  megabytes: 2_048,
});
