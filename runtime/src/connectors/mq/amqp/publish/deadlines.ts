import { longestTimer } from '../../../../foundation/observe/clock.ts';
import { type Listed, Roster } from '../../../intake/roster.ts';

/** A time after which something is given up. */
export interface Deadline extends Listed {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly late: () => void;
}

/** Milliseconds that a deadline may be late by, so that one timer serves those that are near each other. */
const tolerance = 1;

/** Deadlines with one timer for all of them: nearly every one of them ends before it is over. */
export class Deadlines {
  readonly #now: () => number;
  readonly #open = new Roster<Deadline>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #next = Number.POSITIVE_INFINITY;

  /** `now` gives monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Calls `late` at that time, unless the deadline is taken away before. */
  add(deadline: Deadline): void {
    this.#open.add(deadline);
    if (deadline.at < this.#next) this.#wait(deadline.at);
  }

  delete(deadline: Deadline): void {
    this.#open.delete(deadline);
  }

  #wait(at: number): void {
    clearTimeout(this.#timer);
    this.#next = at;
    const pause = Math.min(Math.max(1, at - this.#now()), longestTimer);
    // What is waited for has a connection, which keeps the process.
    this.#timer = setTimeout(() => this.#look(), pause).unref();
  }

  #look(): void {
    const now = this.#now() + tolerance;
    const over = this.#open.all().filter(({ at }) => at <= now);
    for (const deadline of over) this.#open.delete(deadline);
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#open.all()) next = Math.min(next, at);
    this.#next = Number.POSITIVE_INFINITY;
    if (this.#open.size > 0) this.#wait(next);
    for (const { late } of over) late();
  }
}
