import { Failure } from '../../../foundation/errors/failure.ts';
import { endedFailure } from '../ended.ts';
import { PausableTimeout } from './pausable-timeout.ts';
import { type Waiter, WaitingLine } from './waiting-line.ts';

/** Milliseconds between two attempts: short at first, since most writers hold the lock for a moment. */
const pauses = { first: 2, longest: 50 };

interface LockWaiter extends Waiter {
  /** Settles what the caller waits for; throws when the lock is still held. */
  readonly attempt: () => Promise<void>;
}

/**
 * Statements that wait for a lock which another process holds. SQLite gives no notice of its release, so it has
 * to be asked for: only the first in line does so, with attempts that do not wait inside SQLite, where nothing else could
 * run.
 */
export class LockQueue {
  private readonly waiting = new WaitingLine<LockWaiter>();
  private whenEmptyDo: (() => void)[] = [];
  private readonly limit: number;
  private timer: NodeJS.Timeout | undefined;
  private wait = pauses.first;
  private isAsking = false;

  /** `limit`: milliseconds that one statement waits. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get isEmpty(): boolean {
    return this.waiting.isEmpty;
  }

  /**
   * Runs `work` as soon as the lock is free; work that found it held has done nothing. Rejects with the last such
   * failure after the limit, and at once with every other one.
   */
  async run<T>(work: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal?.aborted) throw endedFailure(signal, 'asked');
    let busy: unknown;
    if (this.isEmpty) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        busy = error;
      }
    }
    return this.enter(work, signal, busy);
  }

  /** Resolves when the queue is empty. */
  whenEmpty(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.whenEmptyDo.push(resolve));
  }

  /** Refuses those that wait. */
  refuse(failure: Failure): void {
    this.waiting.refuse(failure);
  }

  /** Stops the limits of those that wait; the returned function continues them. */
  pause(): () => void {
    return this.waiting.pause();
  }

  private enter<T>(work: () => T | Promise<T>, signal: AbortSignal | undefined, refusal: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      let busy = refusal;
      let isOver = false;
      const leave = () => {
        isOver = true;
        signal?.removeEventListener('abort', abort);
        this.waiting.remove(waiter);
        if (this.isEmpty) for (const resolve of this.whenEmptyDo.splice(0)) resolve();
      };
      const abort = () => {
        leave();
        reject(endedFailure(signal, 'asked'));
      };
      const limit = new PausableTimeout(this.limit, () => {
        leave();
        reject(busy ?? new Failure('connector_busy', 'the database was locked by another process'));
      });
      const waiter: LockWaiter = {
        limit,
        refuse: (failure) => {
          leave();
          reject(failure);
        },
        attempt: async () => {
          // What is under way is not given up: it may be waiting inside this process, or write already.
          limit.stop();
          signal?.removeEventListener('abort', abort);
          try {
            const result = await work();
            leave();
            resolve(result);
          } catch (error) {
            if (!isBusy(error)) {
              leave();
              reject(error);
              return;
            }
            busy = error;
            if (signal?.aborted) return abort();
            if (isOver) return;
            signal?.addEventListener('abort', abort, { once: true });
            this.waiting.run(waiter);
            throw error;
          }
        },
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.add(waiter);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.timer !== undefined || this.isAsking || this.isEmpty) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.ask();
    }, this.wait);
    this.wait = Math.min(this.wait * 2, pauses.longest);
  }

  /** Lets one after another through until the lock is found held again. */
  private async ask(): Promise<void> {
    this.isAsking = true;
    try {
      for (let next = this.waiting.first; next !== undefined; next = this.waiting.first) {
        await next.attempt();
        this.wait = pauses.first;
      }
    } catch {
      // Held: the same one asks again later.
    } finally {
      this.isAsking = false;
      this.schedule();
    }
  }
}

const busy = 5;

/** Whether another process held the database, so that nothing of the statement was done. */
export function isBusy(error: unknown): boolean {
  const cause: unknown = error instanceof Failure ? error.cause : error;
  return cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === busy;
}
