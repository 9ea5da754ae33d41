/**
 * The place of something that was sent among all others: milliseconds since 1970, a dash, and a number among those of one
 * millisecond, as a stream of Redis has it (its entry ID). They grow in one process, from one process to its successor,
 * and over all that share a stream.
 */
const form = /^(\d{1,16})-(\d{1,16})$/;

export const firstId = '0-0';

export function isEventId(text: string): boolean {
  return form.test(text);
}

/** Negative when `a` is before `b`, 0 when they are the same. Both have the form. */
export function compareIds(a: string, b: string): number {
  const [aTime = '', aNumber] = a.split('-');
  const [bTime = '', bNumber] = b.split('-');
  return Number(aTime) - Number(bTime) || Number(aNumber) - Number(bNumber);
}

/** Gives identifiers that grow, also when the clock is set back. */
export class EventIds {
  readonly #now: () => number;
  #time: number;
  #number = 0;

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
    this.#time = now();
  }

  /** One that is before all that follow. */
  get last(): string {
    return `${this.#time}-${this.#number}`;
  }

  next(): string {
    const now = this.#now();
    if (now > this.#time) {
      this.#time = now;
      this.#number = 0;
    } else this.#number++;
    return this.last;
  }
}
