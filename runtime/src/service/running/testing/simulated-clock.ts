import { type Clock, type Reading, readingAt, timeOf } from '../../../foundation/observe/clock.ts';

interface Sleeper {
  readonly until: number;
  /** Undefined when it was stopped. */
  wake: (() => void) | undefined;
}

export interface SimulatedStart {
  /** Milliseconds that have elapsed when it begins, with any fraction. */
  readonly elapsed?: number;
  /** The time of the day when nothing had elapsed, in milliseconds since 1970, with any fraction. */
  readonly wall?: number;
  /** By how much sleeps end too early, in milliseconds: a timer may fire up to one before its time. */
  readonly early?: number;
}

/** A clock whose time passes from one wake-up to the next, as long as a test lets it run. */
export class SimulatedClock implements Clock {
  #elapsed: number;
  #ahead: number;
  readonly #early: number;
  /** A heap: no sleeper ends before the one at half its place. Those that were stopped stay until their time. */
  readonly #sleepers: Sleeper[] = [];

  constructor({ elapsed = 0, wall = Date.UTC(2026, 0, 1), early = 0 }: SimulatedStart = {}) {
    this.#elapsed = elapsed;
    this.#ahead = wall;
    this.#early = early;
  }

  now(): number {
    return Math.floor(this.#ahead + this.#elapsed);
  }

  elapsed(): number {
    return Math.floor(this.#elapsed);
  }

  reading(): Reading {
    return readingAt(this.#elapsed);
  }

  since(reading: Reading): number {
    return this.#elapsed - timeOf(reading);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        sleeper.wake = undefined;
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const until = this.#elapsed + Math.max(0, milliseconds - this.#early);
      const sleeper: Sleeper = { until, wake };
      signal?.addEventListener('abort', stop, { once: true });
      this.#add(sleeper);
    });
  }

  /** Sets the time of the day, forward or back; no time passes. */
  set(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Lets so much time pass, or less when it is over; what wakes up has done its immediate work before more of it passes. */
  async run(milliseconds: number, isOver: () => boolean = () => false): Promise<void> {
    const end = this.#elapsed + milliseconds;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) return;
      while (this.#sleepers.length > 0 && this.#sleepers[0]?.wake === undefined) this.#take();
      const next = this.#sleepers[0];
      if (next === undefined || next.until > end) break;
      this.#elapsed = next.until;
      while (this.#sleepers[0]?.until === next.until) this.#take().wake?.();
    }
    this.#elapsed = end;
  }

  #add(sleeper: Sleeper): void {
    const heap = this.#sleepers;
    let at = heap.push(sleeper) - 1;
    for (let above = (at - 1) >> 1; at > 0 && (heap[above] as Sleeper).until > sleeper.until; above = (at - 1) >> 1) {
      heap[at] = heap[above] as Sleeper;
      at = above;
    }
    heap[at] = sleeper;
  }

  /** Takes the first sleeper. */
  #take(): Sleeper {
    const heap = this.#sleepers;
    const [first, last] = [heap[0] as Sleeper, heap.pop() as Sleeper];
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < heap.length && (heap[below + 1] as Sleeper).until < (heap[below] as Sleeper).until) below++;
      if (below >= heap.length || (heap[below] as Sleeper).until >= last.until) break;
      heap[at] = heap[below] as Sleeper;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
