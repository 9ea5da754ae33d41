import type { KeptAnswer as Stored } from '../../../../foundation/contracts/kept-answers.ts';
import { answered, type Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Frame } from '../../message/frame.ts';
import type { Run } from '../../message/part.ts';
import type { FlowTools } from '../../tools.ts';
import { encodingOf } from './encoding.ts';
import type { KeyOf } from './key.ts';
import { type Loaded, SingleFlight } from './single-flight.ts';

/**
 * Looks up the answer before everything that follows, and stores what that answers. Of messages that miss the same
 * entry at once, one computes it and the others wait for it.
 */
export function through(lookup: Lookup, next: Run): Run {
  const flights = new SingleFlight();
  const lead = async (frame: Frame, key: string, running: Promise<Outcome>): Promise<Outcome> => {
    const { land, end } = flights.begin(key);
    try {
      const outcome = await running;
      const text = lookup.encode(outcome, frame);
      if (text === undefined) {
        land('unkept');
        return outcome;
      }
      land({ text });
      return await lookup.store(key, text, outcome);
    } catch (error) {
      if (asFailure(error).code !== 'cancelled') land({ error });
      throw error;
    } finally {
      end();
      land(undefined);
    }
  };
  const run = (frame: Frame, key: string): Outcome | Promise<Outcome> => {
    const outcome = next(frame);
    return outcome instanceof Promise ? lead(frame, key, outcome) : lookup.keep(key, outcome, frame);
  };
  const follow = async (frame: Frame, key: string, flight: Promise<Loaded>): Promise<Outcome> => {
    const loaded = await flight;
    if (loaded === undefined) return missed(frame, key);
    if (loaded === 'unkept') {
      lookup.missed();
      return next(frame);
    }
    if ('error' in loaded) throw loaded.error;
    return (await lookup.read(key, loaded.text)) ?? run(frame, key);
  };
  /** Nothing is stored: the message waits for the load in progress, or loads itself. */
  const missed = (frame: Frame, key: string): Outcome | Promise<Outcome> => {
    const flight = flights.under(key);
    if (flight !== undefined) return follow(frame, key, flight);
    lookup.missed();
    return run(frame, key);
  };
  const answer = (frame: Frame, key: string, text: string | undefined) => {
    if (text === undefined) return missed(frame, key);
    const hit = lookup.read(key, text);
    if (hit instanceof Promise) return hit.then((found) => found ?? run(frame, key));
    return hit ?? run(frame, key);
  };
  return (frame) => {
    const key = lookup.keyOf(frame);
    if (key === undefined) return next(frame);
    const text = lookup.get(key);
    return text instanceof Promise ? text.then((found) => answer(frame, key, found)) : answer(frame, key, text);
  };
}

/** Where answers are kept, and under which key. */
export interface LookupOptions {
  readonly flow: string;
  /** Name of the cache connector. */
  readonly cache: string;
  readonly storage: Storage;
  /** Milliseconds; undefined: the default of the connector. */
  readonly ttl: number | undefined;
  readonly encoding: Parameters<typeof encodingOf>[0];
  readonly keyOf: KeyOf;
}

/** Answers in a cache. An unavailable store or an unreadable entry is a miss. */
export class Lookup {
  readonly keyOf: KeyOf;
  readonly #flow: string;
  readonly #cache: string;
  readonly #storage: Storage;
  readonly #ttl: number | undefined;
  readonly #encoding: ReturnType<typeof encodingOf>;
  readonly #services: FlowTools['services'];

  constructor(
    { flow, cache, storage, ttl, encoding, keyOf }: LookupOptions,
    { services }: Pick<FlowTools, 'services'>,
  ) {
    this.keyOf = keyOf;
    this.#flow = flow;
    this.#cache = cache;
    this.#storage = storage;
    this.#ttl = ttl;
    this.#encoding = encodingOf(encoding);
    this.#services = services;
  }

  /** The stored text; undefined when the entry is missing or the store is unavailable. */
  get(key: string): string | undefined | Promise<string | undefined> {
    try {
      const text = this.#storage.get(key);
      return text instanceof Promise ? text.catch((error: unknown) => this.#storeFailed('read', error)) : text;
    } catch (error) {
      return this.#storeFailed('read', error);
    }
  }

  /** Counts a message for which nothing is stored. */
  missed(): undefined {
    this.#services.observer.cache(this.#cache, 'miss');
  }

  /** The reply that a stored text means, counted as hit; undefined when it cannot be read. */
  read(key: string, text: string): Outcome | undefined | Promise<Outcome | undefined> {
    try {
      const stored = this.#encoding.decode(text);
      if (!(stored instanceof Promise)) return this.#hit(stored);
      return stored.then(
        (decoded) => this.#hit(decoded),
        () => this.#unreadable(key),
      );
    } catch {
      return this.#unreadable(key);
    }
  }

  /** What is stored of an outcome; undefined when the outcome is not cached. */
  encode(outcome: Outcome, { failure }: Frame): string | undefined {
    if (outcome.kind === 'drop' || failure !== undefined || outcome.headers !== undefined) return undefined;
    // An entry has no place for it.
    if (outcome.grpcStatus !== undefined) return undefined;
    try {
      return this.#encoding.encode({ value: outcome.value, status: outcome.status });
    } catch (error) {
      return this.#storeFailed('write', error);
    }
  }

  /** Stores a text and passes its outcome on, synchronously when the store is. */
  store(key: string, text: string, outcome: Outcome): Outcome | Promise<Outcome> {
    try {
      const stored = this.#storage.set(key, text, this.#ttl);
      if (!(stored instanceof Promise)) return outcome;
      return stored.then(
        () => outcome,
        (error: unknown) => {
          this.#storeFailed('write', error);
          return outcome;
        },
      );
    } catch (error) {
      this.#storeFailed('write', error);
      return outcome;
    }
  }

  /** Stores the outcome of a flow when it can be cached. */
  keep(key: string, outcome: Outcome, frame: Frame): Outcome | Promise<Outcome> {
    const text = this.encode(outcome, frame);
    return text === undefined ? outcome : this.store(key, text, outcome);
  }

  #hit({ value, status }: Stored): Outcome {
    this.#services.observer.cache(this.#cache, 'hit');
    return answered({ value, status });
  }

  #unreadable(key: string): undefined {
    const { observer, log } = this.#services;
    observer.cache(this.#cache, 'decode_error');
    log.warn('a cache entry cannot be read and counts as missing', { flow: this.#flow, cache: this.#cache, key });
  }

  #storeFailed(action: string, error: unknown): undefined {
    const { code, message } = asFailure(error);
    this.#services.log.warn('the cache cannot be used and the flow continues without it', {
      flow: this.#flow,
      cache: this.#cache,
      action,
      code,
      error: message,
    });
    return undefined;
  }
}
