import type { Storage } from '../../../connectors/contract.ts';
import { asFailure } from '../../../errors/classify.ts';
import type { Frame } from '../../frame.ts';
import type { Outcome } from '../../outcome.ts';
import type { Run } from '../../part.ts';
import type { FlowTools } from '../../tools.ts';
import { encodingOf, type Stored } from './encoding.ts';
import type { KeyOf } from './key.ts';

/** Looks before everything that follows, and keeps what that answers. */
export function through(lookup: Lookup, next: Run): Run {
  const miss = async (frame: Frame, key: string, running: Promise<Outcome>) => lookup.keep(key, await running, frame);
  const run = (frame: Frame, key: string) => {
    const outcome = next(frame);
    return outcome instanceof Promise ? miss(frame, key, outcome) : lookup.keep(key, outcome, frame);
  };
  const wait = async (frame: Frame, key: string, text: Promise<string | undefined>) => {
    const hit = lookup.read(key, await text);
    return hit ?? run(frame, key);
  };
  return (frame) => {
    const key = lookup.keyOf(frame);
    if (key === undefined) return next(frame);
    const text = lookup.get(key);
    if (text instanceof Promise) return wait(frame, key, text);
    return lookup.read(key, text) ?? run(frame, key);
  };
}

/** Where answers are kept, and under which key. */
export interface LookupOptions {
  readonly flow: string;
  /** Name of the cache connector. */
  readonly cache: string;
  readonly storage: Storage;
  /** Milliseconds; undefined leaves it to the connector. */
  readonly ttl: number | undefined;
  readonly encoding: Parameters<typeof encodingOf>[0];
  readonly keyOf: KeyOf;
}

/** Answers in a cache. A store that is away or an entry that cannot be read is a miss. */
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

  /** The stored text; undefined when there is none or the store is away. */
  get(key: string): string | undefined | Promise<string | undefined> {
    try {
      const text = this.#storage.get(key);
      return text instanceof Promise ? text.catch((error: unknown) => this.#away('read', error)) : text;
    } catch (error) {
      return this.#away('read', error);
    }
  }

  /** The reply that a stored text means, counted as hit or miss. */
  read(key: string, text: string | undefined): Outcome | undefined {
    const { observer, log } = this.#services;
    if (text === undefined) {
      observer.cache(this.#cache, 'miss');
      return undefined;
    }
    let stored: Stored;
    try {
      stored = this.#encoding.decode(text);
    } catch {
      observer.cache(this.#cache, 'decode_error');
      log.warn('a cache entry cannot be read and counts as missing', { flow: this.#flow, cache: this.#cache, key });
      return undefined;
    }
    observer.cache(this.#cache, 'hit');
    return { kind: 'reply', value: stored.value, status: stored.status, headers: undefined };
  }

  /** Stores the answer of a flow that succeeded, and hands it on at once when the store is synchronous. */
  keep(key: string, outcome: Outcome, { failure }: Frame): Outcome | Promise<Outcome> {
    if (outcome.kind !== 'reply' || failure !== undefined || outcome.headers !== undefined) return outcome;
    try {
      const text = this.#encoding.encode({ value: outcome.value, status: outcome.status });
      const stored = this.#storage.set(key, text, this.#ttl);
      if (!(stored instanceof Promise)) return outcome;
      return stored.then(
        () => outcome,
        (error: unknown) => {
          this.#away('write', error);
          return outcome;
        },
      );
    } catch (error) {
      this.#away('write', error);
      return outcome;
    }
  }

  #away(action: string, error: unknown): undefined {
    const { code, message } = asFailure(error);
    this.#services.log.warn('the cache cannot be used and the flow goes on without it', {
      flow: this.#flow,
      cache: this.#cache,
      action,
      code,
      error: message,
    });
    return undefined;
  }
}
