import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { CredentialSource, Credentials } from './credentials.ts';

/** Others are fetched this many milliseconds before the present ones end. */
const margin = 5 * 60_000;
/** Milliseconds between two attempts, as long as the present ones are valid. */
const pause = 30_000;

/** Credentials that are fetched once however many wait for them, and again shortly before they end. */
export class RenewingCredentials implements CredentialSource {
  readonly #fetch: () => Promise<Credentials>;
  readonly #clock: Clock;
  readonly #log: Log;
  #current: Credentials | undefined;
  #flight: Promise<Credentials> | undefined;
  /** Elapsed milliseconds before which no others are fetched. */
  #notBefore = 0;

  constructor(fetch: () => Promise<Credentials>, clock: Clock, log: Log) {
    this.#fetch = fetch;
    this.#clock = clock;
    this.#log = log;
  }

  async get(signal: AbortSignal): Promise<Credentials> {
    const current = this.#current;
    const left = (current?.expires ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    if (current !== undefined && left > margin) return current;
    if (current === undefined || left <= 0) return unless(signal, this.#renewed());
    if (this.#clock.elapsed() >= this.#notBefore) {
      this.#notBefore = this.#clock.elapsed() + pause;
      this.#renewed().catch((error: unknown) => {
        const message = 'credentials that end soon cannot be renewed yet';
        this.#log.warn(message, { error: asFailure(error).message });
      });
    }
    return current;
  }

  refused(credentials: Credentials): boolean {
    if (this.#current === credentials) this.#current = undefined;
    return true;
  }

  #renewed(): Promise<Credentials> {
    this.#flight ??= this.#fetch()
      .then((credentials) => (this.#current = credentials))
      .finally(() => {
        this.#flight = undefined;
      });
    return this.#flight;
  }
}

/** The work continues for others when one who waits for it goes. */
async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
