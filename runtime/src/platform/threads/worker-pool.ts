import { Failure } from '../../foundation/errors/failure.ts';
import type { ThreadAnswer } from './answer.ts';
import type { Message } from './message.ts';
import { Thread, type ThreadSettings } from './thread.ts';

/** What a thread is to do. */
export interface Work<Result> {
  /** Its first message, made when there is a thread for it. What it throws ends the work. */
  begin(): Message;
  /** Bytes that are held while it waits for a thread. */
  readonly bytes?: number;
  /** What follows of an answer: the result, or the next message. What it throws ends the work. Absent: the answer is the result. */
  take?(value: unknown): { readonly result: Result } | { readonly next: unknown };
}

/** Why a work has no result although its thread gave no Failure. */
export type Trouble =
  /** Too many wait. */
  | 'overload'
  /** It took longer than it may. */
  | 'deadline'
  /** It took more memory than a thread has. */
  | 'memory'
  /** The thread failed or ended. */
  | 'crash';

/** Bounds of a pool. Times in milliseconds. */
export interface PoolLimits {
  /** Threads that exist at the same time, those included that are being ended. */
  readonly workers: number;
  /** Works that wait for a thread, and their bytes; further ones are refused. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Time that a thread has for one work; `Infinity` where the caller ends it. */
  readonly deadline: number;
  /** Time after which a thread without work is ended. */
  readonly idleTime: number;
}

export interface PoolSettings extends PoolLimits, ThreadSettings {
  /** The Failure for a trouble, in the words of what the threads do. */
  readonly failure: (trouble: Trouble, cause: Error | undefined) => Failure;
}

/** Usual time after which a thread without work is ended. */
export const usualIdleTime = 60_000;

interface Waiting<Result = unknown> {
  readonly work: Work<Result>;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  /** The signal fired while it waits. */
  readonly forsake: () => void;
}

/**
 * Worker threads that are started when there is work for them, one work at a time for each. Works wait in order. Idle threads do
 * not keep the process running, and end after a time.
 */
export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #threads = new Set<Thread>();
  readonly #idle = new Set<Thread>();
  readonly #waiting = new Set<Waiting>();
  #waitingBytes = 0;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /** Threads that have not ended. */
  get size(): number {
    return this.#threads.size;
  }

  /** Works that wait for a thread. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Rejects with the Failure of the thread, with that of a trouble, and with the reason of the signal when that fires. A work
   * that is given up ends its thread, whatever that does; another one takes its place when it has ended.
   */
  run<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const entry: Waiting<Result> = { work, signal, resolve, reject, forsake: () => this.#forsake(entry as Waiting) };
      // Nothing waits while a thread is free.
      const thread = this.#free(reject);
      if (thread === 'failed') return;
      if (thread !== undefined) return this.#run(entry as Waiting, thread);
      const { waiting, waitingBytes } = this.#settings;
      const bytes = this.#waitingBytes + (work.bytes ?? 0);
      if (this.#waiting.size >= waiting || (this.#waiting.size > 0 && bytes > waitingBytes))
        return reject(this.#settings.failure('overload', undefined));
      this.#waitingBytes = bytes;
      this.#waiting.add(entry as Waiting);
      signal?.addEventListener('abort', entry.forsake, { once: true });
    });
  }

  /** Ends the wait of a work that is given up. */
  #forsake(entry: Waiting): void {
    this.#leaveQueue(entry);
    entry.reject(entry.signal?.reason);
  }

  #leaveQueue(entry: Waiting): void {
    this.#waiting.delete(entry);
    this.#waitingBytes -= entry.work.bytes ?? 0;
    entry.signal?.removeEventListener('abort', entry.forsake);
  }

  /** The thread that worked last, or another one; undefined when all work. */
  #free(reject: (reason: unknown) => void): Thread | 'failed' | undefined {
    const thread = [...this.#idle].at(-1);
    if (thread !== undefined) {
      this.#idle.delete(thread);
      return thread;
    }
    if (this.#threads.size >= this.#settings.workers) return undefined;
    try {
      return this.#start();
    } catch (error) {
      reject(this.#settings.failure('crash', error as Error));
      return 'failed';
    }
  }

  #start(): Thread {
    const thread = new Thread(this.#settings, () => {
      this.#threads.delete(thread);
      this.#idle.delete(thread);
      this.#runNext();
    });
    this.#threads.add(thread);
    return thread;
  }

  #run({ work, signal, resolve, reject }: Waiting, thread: Thread): void {
    const { deadline, failure } = this.#settings;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const finish = (settle: () => void) => {
      end();
      this.#rest(thread);
      settle();
    };
    const giveUp = (reason: unknown) => {
      end();
      thread.end();
      reject(reason);
    };
    const ask = (message: () => Message) => {
      if (isOver) return;
      try {
        thread.ask(message());
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const abort = () => giveUp(signal?.reason);
    const timer =
      deadline === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => giveUp(failure('deadline', undefined)), deadline);
    signal?.addEventListener('abort', abort, { once: true });
    thread.take({
      answered: (answer) => {
        try {
          const step = stepOf(work, answer);
          if ('result' in step) finish(() => resolve(step.result));
          // Other work on the event loop runs before the next answer is taken.
          else setImmediate(ask, () => ({ content: step.next }));
        } catch (error) {
          finish(() => reject(error));
        }
      },
      failed: (error) => giveUp(failure(isOutOfMemory(error) ? 'memory' : 'crash', error)),
    });
    ask(() => work.begin());
  }

  #rest(thread: Thread): void {
    this.#idle.add(thread);
    thread.rest(this.#settings.idleTime, () => {
      this.#idle.delete(thread);
      thread.end();
    });
    this.#runNext();
  }

  #runNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const thread = this.#free(next.reject);
    if (thread === undefined) return;
    this.#leaveQueue(next);
    if (thread === 'failed') this.#runNext();
    else this.#run(next, thread);
  }
}

function stepOf(work: Work<unknown>, answer: ThreadAnswer): { readonly result: unknown } | { readonly next: unknown } {
  if ('code' in answer) throw new Failure(answer.code, answer.text, { retriable: answer.retriable });
  return work.take?.(answer.value) ?? { result: answer.value };
}

function isOutOfMemory(error: (Error & { readonly code?: string }) | undefined): boolean {
  return error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
