import { Failure } from '../../../errors/failure.ts';
import { PausableTimeout } from './pausable-timeout.ts';

interface Waiter {
  readonly start: () => void;
  /** Takes the gate for longer than the call of `start`. */
  readonly holds: boolean;
  readonly limit: PausableTimeout;
}

/**
 * Orders what happens on one connection. While nobody holds it, statements run at once; a transaction holds it until it
 * ends, and everything else waits in the order it came, each for a limited time.
 */
export class Gate {
  private held = false;
  private paused = false;
  private readonly waiting: Waiter[] = [];
  private readonly limit: number;
  private readonly connector: string;

  /** `limit`: milliseconds that one waiter waits. */
  constructor(connector: string, limit: number) {
    this.connector = connector;
    this.limit = limit;
  }

  get free(): boolean {
    return !this.held;
  }

  /** Runs `work` when nobody holds the gate. */
  async pass<T>(work: () => T, signal: AbortSignal | undefined): Promise<T> {
    if (this.held || signal?.aborted) return this.enter(false, work, signal);
    return work();
  }

  /** Takes the gate; the returned function frees it. */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    if (this.held) await this.enter(true, () => undefined, signal);
    else this.held = true;
    return () => {
      this.held = false;
      this.advance();
    };
  }

  /** Runs `work` alone, until its promise settles. */
  async hold<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const free = await this.take(signal);
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Stops the limits of those who wait; the returned function lets them go on with what was left of them. */
  pause(): () => void {
    this.paused = true;
    for (const { limit } of this.waiting) limit.stop();
    return () => {
      this.paused = false;
      for (const { limit } of this.waiting) limit.run();
    };
  }

  private enter<T>(holds: boolean, work: () => T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        limit.stop();
        signal?.removeEventListener('abort', abort);
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
      };
      const abort = () => {
        leave();
        reject(cancelled(signal));
      };
      const limit = new PausableTimeout(this.limit, () => {
        leave();
        const text = `database "${this.connector}" was busy with a transaction for longer than ${this.limit / 1000} seconds`;
        reject(new Failure('connector_busy', text, { at: { connector: this.connector } }));
      });
      const waiter: Waiter = {
        holds,
        limit,
        start: () => {
          leave();
          // At once, so that nothing comes between: the next waiter may hold the gate.
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        },
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(waiter);
      if (!this.paused) limit.run();
    });
  }

  /** Lets waiters through up to the first that holds the gate. */
  private advance(): void {
    while (!this.held) {
      const next = this.waiting[0];
      if (next === undefined) return;
      this.held = next.holds;
      next.start();
    }
  }
}

export function cancelled(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return new Failure(timedOut ? 'connector_timeout' : 'cancelled', 'the request ended before the database was asked', {
    cause: reason,
  });
}
