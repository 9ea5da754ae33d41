import type { Failure } from '../../../foundation/errors/failure.ts';
import type { PausableTimeout } from './pausable-timeout.ts';

/** A statement or transaction that waits for a limited time. It removes itself from its line when it is refused. */
export interface Waiter {
  readonly refuse: (failure: Failure) => void;
  readonly limit: PausableTimeout;
}

/** What waits, in the order it came. The limits of all can be stopped together. */
export class WaitingLine<W extends Waiter> {
  private readonly waiters: W[] = [];
  private isPaused = false;

  get first(): W | undefined {
    return this.waiters[0];
  }

  get isEmpty(): boolean {
    return this.waiters.length === 0;
  }

  add(waiter: W): void {
    this.waiters.push(waiter);
    this.run(waiter);
  }

  remove(waiter: W): void {
    waiter.limit.stop();
    const index = this.waiters.indexOf(waiter);
    if (index >= 0) this.waiters.splice(index, 1);
  }

  /** Starts or continues the limit of a waiter, unless the limits are stopped. */
  run({ limit }: W): void {
    if (!this.isPaused) limit.run();
  }

  /** Refuses all that wait. */
  refuse(failure: Failure): void {
    for (const waiter of [...this.waiters]) waiter.refuse(failure);
  }

  /** Stops the limits of all that wait; the returned function continues them with what was left. */
  pause(): () => void {
    this.isPaused = true;
    for (const { limit } of this.waiters) limit.stop();
    return () => {
      this.isPaused = false;
      for (const { limit } of this.waiters) limit.run();
    };
  }
}
