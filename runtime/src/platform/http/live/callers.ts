import type { Auth } from '../../../foundation/contracts/message.ts';
import { callerOf } from '../../identity/caller.ts';
import { rounding } from '../../net/token-buckets.ts';

/** How much a caller may send in a second; sizes in bytes. It may save as much as it may send in one second. */
export interface CallerRate {
  readonly messages: number;
  readonly bytes: number;
}

/** One caller, over all of its connections. */
export class Caller {
  readonly key: string;
  connections = 0;
  readonly #rate: CallerRate | undefined;
  readonly #elapsed: () => number;
  /** When it may send as much as it ever may again, in milliseconds. */
  #messagesAt = 0;
  #bytesAt = 0;

  constructor(key: string, rate: CallerRate | undefined, elapsed: () => number) {
    this.key = key;
    this.#rate = rate;
    this.#elapsed = elapsed;
  }

  /** Whether it may send a message of so many bytes now; counts it. */
  maySend(bytes: number): boolean {
    if (this.#rate === undefined) return true;
    const now = this.#elapsed();
    this.#messagesAt = Math.max(this.#messagesAt, now) + 1000 / this.#rate.messages;
    this.#bytesAt = Math.max(this.#bytesAt, now) + (1000 * bytes) / this.#rate.bytes;
    return Math.max(this.#messagesAt, this.#bytesAt) - now <= 1000 + rounding;
  }
}

/**
 * Who is connected: how many connections each caller has, and how much it sends over all of them. Callers without
 * credentials cannot be recognised: each of their connections is a caller of its own.
 */
export class Callers {
  readonly #most: number;
  readonly #rate: CallerRate | undefined;
  readonly #elapsed: () => number;
  readonly #known = new Map<string, Caller>();
  /** Every caller without credentials, where nothing is counted of one. */
  readonly #unknown: Caller | undefined;

  /** `most` connections of one caller. `elapsed`: milliseconds of a clock that only moves forward. */
  constructor(most: number, rate: CallerRate | undefined, elapsed: () => number) {
    this.#most = most;
    this.#rate = rate;
    this.#elapsed = elapsed;
    this.#unknown = rate === undefined ? new Caller('', rate, elapsed) : undefined;
  }

  /** Whether the caller may have one more connection. */
  mayConnect(auth: Auth): boolean {
    return (this.#known.get(callerOf(auth))?.connections ?? 0) < this.#most;
  }

  connected(auth: Auth): Caller {
    const key = callerOf(auth);
    const known = key === '' ? this.#unknown : this.#known.get(key);
    const caller = known ?? new Caller(key, this.#rate, this.#elapsed);
    caller.connections++;
    if (key !== '') this.#known.set(key, caller);
    return caller;
  }

  disconnected(caller: Caller): void {
    caller.connections--;
    if (caller.connections === 0 && this.#known.get(caller.key) === caller) this.#known.delete(caller.key);
  }
}
