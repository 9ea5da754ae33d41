import { type Clock, type Reading, readingAt, systemClock, timeOf } from '../../foundation/observe/clock.ts';

/** Turns of the event loop without work before the time advances. */
const quietTurns = 3;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** The time of a test: it does not advance while something happens, and jumps to the next wake-up when all only wait. */
export class TestClock implements Clock {
  readonly #start: number;
  readonly #sleepers = new Set<Sleeper>();
  #passed = 0;
  #turns = 0;
  #ended = false;
  /** How many hold the time. */
  #holds = 0;

  /** `start` in milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start;
  }

  now(): number {
    return this.#start + Math.floor(this.#passed);
  }

  elapsed(): number {
    return Math.floor(this.#passed);
  }

  reading(): Reading {
    return readingAt(this.#passed);
  }

  since(reading: Reading): number {
    return this.#passed - timeOf(reading);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        until: this.#passed + Math.max(0, milliseconds),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#sleepers.add(sleeper);
      if (this.#sleepers.size === 1) this.#wait();
    });
  }

  /** The time does not advance until the returned function is called, such as while a debugger holds the flow. */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      if (this.#holds === 0 && this.#sleepers.size > 0) this.#wait();
    };
  }

  /** No sleep ends any more. */
  end(): void {
    this.#ended = true;
    this.#sleepers.clear();
  }

  #wait(): void {
    this.#turns = 0;
    const turn = () => {
      if (this.#ended || this.#sleepers.size === 0 || this.#holds > 0) return;
      if (++this.#turns < quietTurns) {
        setImmediate(turn);
        return;
      }
      const next = [...this.#sleepers].reduce((a, b) => (b.until < a.until ? b : a));
      this.#passed = Math.max(this.#passed, next.until);
      next.wake();
      if (this.#sleepers.size > 0) this.#wait();
    };
    setImmediate(turn);
  }
}

/** The time of a test that talks to real servers: it begins where the test says, and passes as it does. */
export function passingClock(start: number): Clock {
  const began = systemClock.elapsed();
  return {
    ...systemClock,
    now: () => start + systemClock.elapsed() - began,
    elapsed: () => systemClock.elapsed() - began,
  };
}
