import { CelError } from '../engine.ts';

/** Calls of one evaluation that are waited for. */
const mostCalls = 1_000;

type Entry = { readonly value: unknown } | { readonly error: unknown };

/** Ends an attempt to evaluate an expression: a value that it needs comes later. */
export class Suspended extends Error {
  override readonly name = 'Suspended';
}

/**
 * What an evaluation that waits was given by functions so far, in the order in which it asked. It is evaluated from its
 * beginning whenever a value has come, and is given the same then: an expression changes nothing, so that all but the last
 * attempt leave no trace. What varies by itself, such as `now()`, is written down too, or an attempt could ask for
 * something else than the one before.
 */
export class Tape {
  readonly #entries: Entry[] = [];
  #at = 0;
  #calls = 0;
  #pending: Promise<void> | undefined;

  /** Resolves when there is more on the tape; undefined when the attempt was given everything that it asked for. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  /** Goes back to the beginning for the next attempt. */
  rewind(): void {
    this.#at = 0;
    this.#pending = undefined;
  }

  /** The value of a call that is waited for. Throws Suspended until it has come. */
  later(call: () => unknown): unknown {
    if (this.#at < this.#entries.length) return this.#next();
    // What an attempt does after it was suspended does not count.
    if (this.#pending !== undefined) throw new Suspended();
    if (++this.#calls > mostCalls)
      throw new CelError('cost-limit', `the expression calls more than ${mostCalls} functions that are waited for`);
    this.#pending = Promise.resolve(call()).then(
      (value) => void this.#entries.push({ value }),
      (error: unknown) => void this.#entries.push({ error }),
    );
    throw new Suspended();
  }

  /** The value of a function that gives another one each time. */
  now(call: () => unknown): unknown {
    if (this.#at < this.#entries.length) return this.#next();
    if (this.#pending !== undefined) throw new Suspended();
    this.#entries.push({ value: call() });
    return this.#next();
  }

  #next(): unknown {
    const entry = this.#entries[this.#at++] as Entry;
    if ('error' in entry) throw entry.error;
    return entry.value;
  }
}

/** The tape of the evaluation that runs; undefined where nothing is waited for. Evaluations run one at a time. */
export const current: { tape: Tape | undefined } = { tape: undefined };
