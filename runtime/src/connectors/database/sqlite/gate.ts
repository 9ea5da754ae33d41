import { Failure } from '../../../errors/failure.ts';

interface Waiter {
  readonly start: () => void;
  /** Takes the gate for longer than the call of `start`. */
  readonly holds: boolean;
  readonly patience: Patience;
}

/**
 * Orders what happens on one connection. While nobody holds it, statements run at once; a transaction holds it until it
 * ends, and everything else waits in the order it came, each for a limited time.
 */
export class Gate {
  private held = false;
  private paused = false;
  private readonly waiting: Waiter[] = [];
  private readonly patience: number;
  private readonly connector: string;

  /** `patience`: milliseconds that one waiter waits. */
  constructor(connector: string, patience: number) {
    this.connector = connector;
    this.patience = patience;
  }

  get free(): boolean {
    return !this.held;
  }

  /** Runs `work` when nobody holds the gate. */
  async pass<T>(work: () => T, signal: AbortSignal | undefined): Promise<T> {
    if (this.held || signal?.aborted) return this.enter(false, work, signal);
    return work();
  }

  /** Runs `work` alone, until its promise settles. */
  async hold<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.held) await this.enter(true, () => undefined, signal);
    else this.held = true;
    try {
      return await work();
    } finally {
      this.held = false;
      this.advance();
    }
  }

  /** Stops the patience of those who wait; the returned function lets it go on with what was left of it. */
  pause(): () => void {
    this.paused = true;
    for (const { patience } of this.waiting) patience.stop();
    return () => {
      this.paused = false;
      for (const { patience } of this.waiting) patience.run();
    };
  }

  private enter<T>(holds: boolean, work: () => T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        patience.stop();
        signal?.removeEventListener('abort', abort);
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
      };
      const abort = () => {
        leave();
        reject(cancelled(signal));
      };
      const patience = new Patience(this.patience, () => {
        leave();
        const text = `database "${this.connector}" was busy with a transaction for longer than ${this.patience / 1000} seconds`;
        reject(new Failure('connector_timeout', text, { at: { connector: this.connector } }));
      });
      const waiter: Waiter = {
        holds,
        patience,
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
      if (!this.paused) patience.run();
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

/** A time limit that can stand still. */
class Patience {
  private readonly over: () => void;
  private left: number;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, over: () => void) {
    this.left = milliseconds;
    this.over = over;
  }

  run(): void {
    this.since = performance.now();
    this.timer = setTimeout(this.over, this.left);
  }

  stop(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.left -= performance.now() - this.since;
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
