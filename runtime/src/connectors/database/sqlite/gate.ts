import { Failure } from '../../../foundation/errors/failure.ts';
import { endedFailure } from '../ended.ts';
import { PausableTimeout } from './pausable-timeout.ts';
import { type Waiter, WaitingLine } from './waiting-line.ts';

interface GateWaiter extends Waiter {
  readonly start: () => void;
  /** Takes the gate for longer than the call of `start`. */
  readonly holds: boolean;
}

/**
 * Orders what happens on one connection. While it is free, statements run at once; a transaction holds it until it
 * ends, and everything else waits in the order it came, each for a limited time.
 */
export class Gate {
  private held = false;
  private readonly waiting = new WaitingLine<GateWaiter>();
  private whenIdleDo: (() => void)[] = [];
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

  get isIdle(): boolean {
    return !this.held && this.waiting.isEmpty;
  }

  /** Runs `work` when the gate is free. */
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

  /** Resolves when the gate is free and no one waits for it. */
  whenIdle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.whenIdleDo.push(resolve));
  }

  /** Refuses those that wait. */
  refuse(failure: Failure): void {
    this.waiting.refuse(failure);
  }

  /** Stops the limits of those that wait; the returned function continues them with what was left. */
  pause(): () => void {
    return this.waiting.pause();
  }

  private enter<T>(holds: boolean, work: () => T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal?.removeEventListener('abort', abort);
        this.waiting.remove(waiter);
      };
      const abort = () => {
        leave();
        reject(endedFailure(signal, 'asked'));
      };
      const limit = new PausableTimeout(this.limit, () => {
        leave();
        const text = `database "${this.connector}" was busy with a transaction for longer than ${this.limit / 1000} seconds`;
        reject(new Failure('connector_busy', text, { at: { connector: this.connector } }));
      });
      const waiter: GateWaiter = {
        holds,
        limit,
        refuse: (failure) => {
          leave();
          reject(failure);
        },
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
      this.waiting.add(waiter);
    });
  }

  /** Lets waiters through up to the first that holds the gate. */
  private advance(): void {
    while (!this.held) {
      const next = this.waiting.first;
      if (next === undefined) {
        for (const resolve of this.whenIdleDo.splice(0)) resolve();
        return;
      }
      this.held = next.holds;
      next.start();
    }
  }
}
