import type { Storage } from '../../../connectors/contract.ts';
import { asFailure } from '../../../errors/classify.ts';
import type { WatchedStage } from '../../../plan/plan.ts';
import type { Frame } from '../../frame.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { Outcome } from '../../outcome.ts';
import type { Announce, Part, Run } from '../../part.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import { encodingOf, type Stored } from './encoding.ts';
import { compileKey } from './key.ts';
import { staleOn } from './stale.ts';

/**
 * Keeps the answers of reading flows: looks before everything that follows, stores after success. A store that is away
 * or an entry that cannot be read is a miss.
 */
export function cache(model: FlowModel, tools: FlowTools): Part[] {
  const { cache: block } = model.values;
  if (!block || model.verb !== 'read' || writes(model)) return [];
  const storage = storageOf(block.storage, tools);
  const stale = staleOn(model.name, block, storage, tools);
  if (stale !== undefined) tools.events.listen(stale);
  const lookup = new Lookup(model, storage, block.ttl, tools);
  return [
    {
      title: 'cache',
      around: (next) => plain(lookup, next),
      places: [hitPlace, missPlace],
      split: (announce) => (next: Run) => watched(lookup, next, announce),
    },
  ];
}

const hitPlace: WatchedStage = { stage: 'cache_hit', name: '', rules: [] };
const missPlace: WatchedStage = { stage: 'cache_miss', name: '', rules: [] };

function plain(lookup: Lookup, next: Run): Run {
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

function watched(lookup: Lookup, next: Run, announce: Announce): Run {
  return async (frame) => {
    const key = lookup.keyOf(frame);
    if (key === undefined) return next(frame);
    const hit = lookup.read(key, await lookup.get(key));
    await announce(hit ? hitPlace : missPlace, frame, () => undefined);
    return hit ?? lookup.keep(key, await next(frame), frame);
  };
}

class Lookup {
  readonly keyOf: (frame: Frame) => string | undefined;
  readonly #flow: string;
  readonly #cache: string;
  readonly #storage: Storage;
  readonly #ttl: number | undefined;
  readonly #encoding: ReturnType<typeof encodingOf>;
  readonly #services: FlowTools['services'];

  constructor(model: FlowModel, storage: Storage, ttl: number | undefined, tools: FlowTools) {
    const block = model.values.cache;
    this.keyOf = compileKey(model, tools);
    this.#flow = model.name;
    this.#cache = block?.storage ?? '';
    this.#storage = storage;
    this.#ttl = ttl;
    this.#encoding = encodingOf(block?.encoding ?? ['json']);
    this.#services = tools.services;
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
