import { createHash } from 'node:crypto';

/** Keys whose tries are remembered; beyond them the oldest are forgotten. */
const most = 10_000;
/** Milliseconds after the last try. */
const remembered = 600_000;

/** Longer keys are remembered by their digest. */
const longestKey = 100;

/** Counts how often the same message came back, in the memory of this process. */
export class Tries {
  readonly #counts = new Map<string, { readonly count: number; readonly at: number }>();
  readonly #now: () => number;

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** One more try of this message; gives how many there were, this one included. */
  next(written: string): number {
    const key = short(written);
    const now = this.#now();
    const before = this.#counts.get(key);
    const count = before === undefined || now - before.at > remembered ? 1 : before.count + 1;
    this.#counts.delete(key);
    this.#counts.set(key, { count, at: now });
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= most) break;
      this.#counts.delete(oldest);
    }
    return count;
  }

  /** `key` is asked only when anything is remembered. */
  forget(key: () => string): void {
    if (this.#counts.size > 0) this.#counts.delete(short(key()));
  }
}

function short(key: string): string {
  return key.length <= longestKey ? key : createHash('sha1').update(key).digest('base64');
}
