import { availableParallelism } from 'node:os';
import { Failure } from '../../foundation/errors/failure.ts';
import { threadProgram } from '../threads/program.ts';
import { type PoolLimits, type Trouble, usualIdleTime, WorkerPool } from '../threads/worker-pool.ts';
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

/** Bounds of a pool. Times in milliseconds. */
export interface DecoderLimits extends Pick<PoolLimits, 'workers' | 'waiting' | 'waitingBytes'> {
  /** Time that one body may take. */
  readonly deadline: number;
  /**
   * Memory of one worker. Budgets keep every codec far below it: a worker that reaches it may end the process, since what
   * is written in C++, such as `JSON.parse`, cannot be interrupted.
   */
  readonly megabytes: number;
}

const program = threadProgram(import.meta.url, 'decoding-worker');

/** Worker threads that decode bodies. */
export class DecoderPool {
  readonly #threads: WorkerPool;

  constructor(limits: DecoderLimits) {
    this.#threads = new WorkerPool({
      name: 'svc decoder',
      program,
      idleTime: usualIdleTime,
      failure: (trouble, cause) => failureOf(trouble, cause, limits),
      ...limits,
    });
  }

  /**
   * Rejects with the Failure of the codec, `body_too_large` for a body that takes too long, `overloaded` when too many wait,
   * and with the reason of the signal, which frees the worker.
   */
  decode(job: DecodingJob, signal?: AbortSignal): Promise<unknown> {
    const assembly = new Assembly();
    return this.#threads.run<unknown>(
      {
        bytes: job.bytes.length,
        begin() {
          // A copy: the memory that holds a chunk of a socket holds others too.
          const bytes = new Uint8Array(job.bytes);
          return { content: { ...job, bytes } satisfies DecodingJob, transfer: [bytes.buffer] };
        },
        take(value) {
          const piece = value as Piece;
          assembly.add(piece);
          return piece.last ? { result: assembly.value } : { next: 'next' };
        },
      },
      signal,
    );
  }
}

function failureOf(trouble: Trouble, cause: Error | undefined, { deadline }: DecoderLimits): Failure {
  switch (trouble) {
    case 'overload':
      return new Failure('overloaded', 'too many large bodies wait to be decoded');
    case 'deadline':
      return new Failure('body_too_large', `decoding the body takes longer than ${deadline} ms`);
    case 'memory':
      return new Failure('body_too_large', 'decoding the body takes too much memory', { cause });
    case 'crash':
      return new Failure('internal', `the decoder failed: ${cause?.message ?? 'its thread ended'}`, { cause });
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
