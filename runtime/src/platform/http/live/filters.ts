import type { Auth } from '../../../foundation/contracts/message.ts';
import type { DeferredExpression } from '../../../foundation/contracts/words.ts';
import type { Log } from '../../../foundation/observe/log.ts';

/** Shortest time between two lines of the log about filters that fail, in milliseconds. */
const betweenLines = 10_000;

/** A client, as filters see it. */
export interface FilteredClient {
  readonly auth: Auth;
  /** Parameters of the query string of its connection. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The filters of the destinations that send to the clients of one connector, by their text: equal texts mean the same,
 * also in another process that read the same configuration.
 */
export class Filters {
  readonly #log: Log;
  readonly #elapsed: () => number;
  readonly #known = new Map<string, DeferredExpression>();
  #saidAt = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  /** `elapsed`: milliseconds of a clock that only moves forward. */
  constructor(log: Log, elapsed: () => number) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /** Notes a filter of the configuration in use. */
  add(filter: DeferredExpression): void {
    this.#known.set(filter.source, filter);
  }

  /** Whether a client receives `input`. Anything but `true` is no, and so is a filter that fails or that is not known here. */
  passes(source: string, input: unknown, { auth, params }: FilteredClient): boolean {
    const filter = this.#known.get(source);
    if (filter === undefined) {
      this.#say(source, 'it is in no flow of the configuration in use');
      return false;
    }
    try {
      return filter.evaluate({ input, context: { connection_params: params, params, auth } }) === true;
    } catch (error) {
      this.#say(source, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #say(filter: string, error: string): void {
    const now = this.#elapsed();
    if (now - this.#saidAt < betweenLines) {
      this.#unsaid++;
      return;
    }
    const more = this.#unsaid === 0 ? {} : { more: this.#unsaid };
    this.#saidAt = now;
    this.#unsaid = 0;
    this.#log.warn('a filter failed, and its client did not receive what was sent', { filter, error, ...more });
  }
}
