import type { CacheEntry, KeptKey } from '@svc/protocol/wire';
import type { DebugSession } from '../../debug/session/session.ts';
import { Store } from '../../state/store.ts';

/** Keys that are asked for at once. */
const page = 100;
/** A list that has fewer keys than this continues by itself while pages come without any. */
const enough = 50;
/** Pages that are asked for by themselves. */
const mostPages = 20;

/** A flow whose answers are looked at, and the aspect that keeps them; empty: the flow itself. */
export interface Chosen {
  readonly flow: string;
  readonly aspect: string;
}

export interface Keys {
  readonly of: Chosen | undefined;
  /** Only keys that contain it. */
  readonly text: string;
  readonly keys: readonly KeptKey[];
  /** When they were as they are here, by `Date.now()`. */
  readonly at: number;
  /** Where the next page begins; undefined: this is all. */
  readonly next: string | undefined;
  /** There are others that no page has. */
  readonly more: boolean;
  readonly isReading: boolean;
  readonly problem: string | undefined;
}

const nothing: Keys = {
  of: undefined,
  text: '',
  keys: [],
  at: 0,
  next: undefined,
  more: false,
  isReading: false,
  problem: undefined,
};

/** The keys of the flow that is looked at. They are read when it is chosen, and again when its cache has changed. */
export class KeyList {
  readonly state = new Store<Keys>(nothing);
  readonly #debug: Pick<DebugSession, 'call'>;
  /** Counts what was asked, so that a late answer is left out. */
  #asked = 0;
  /** What the cache of the flow counted when its keys were read. */
  #counted: string | undefined;
  #caches: readonly CacheEntry[] = [];

  constructor(debug: Pick<DebugSession, 'call'>) {
    this.#debug = debug;
  }

  choose(of: Chosen): Promise<void> {
    const { value } = this.state;
    const isSame = value.of?.flow === of.flow && value.of.aspect === of.aspect;
    this.state.set(isSame ? value : { ...nothing, of });
    return this.refresh();
  }

  filter(text: string): Promise<void> {
    if (text === this.state.value.text) return Promise.resolve();
    this.state.patch({ text, keys: [], next: undefined });
    return this.refresh();
  }

  /** Reads from the beginning; what is known stays until then. */
  refresh(): Promise<void> {
    this.#counted = this.#countOf(this.state.value.of);
    return this.#read(undefined);
  }

  /** Reads the pages that follow. */
  more(): Promise<void> {
    const { next } = this.state.value;
    return next === undefined ? Promise.resolve() : this.#read(next);
  }

  /** Looks again when the cache of the flow has other counts; not where further pages were read, which are left alone. */
  changed(caches: readonly CacheEntry[]): void {
    this.#caches = caches;
    const { of, keys, isReading } = this.state.value;
    if (of === undefined) return;
    const count = this.#countOf(of);
    if (count === undefined) return this.leave();
    if (count !== this.#counted && !isReading && keys.length <= page) void this.refresh();
  }

  forget(key: string): void {
    this.state.update((state) => ({ ...state, keys: state.keys.filter((each) => each.key !== key) }));
  }

  /** Nothing is attached any more, or the flow keeps nothing. */
  leave(): void {
    this.#asked++;
    this.#counted = undefined;
    if (this.state.value.of !== undefined) this.state.set(nothing);
  }

  async #read(from: string | undefined): Promise<void> {
    const { of, text } = this.state.value;
    if (of === undefined) return;
    const asked = ++this.#asked;
    this.state.patch({ isReading: true });
    const kept = from === undefined ? [] : this.state.value.keys;
    let found: readonly KeptKey[] = [];
    let after = from;
    try {
      for (let pages = 0; pages < mostPages; pages++) {
        const answer = await this.#debug.call('inspect.cacheKeys', {
          ...of,
          limit: page,
          ...(text === '' ? {} : { text }),
          ...(after === undefined ? {} : { after }),
        });
        if (asked !== this.#asked) return;
        found = [...found, ...answer.keys];
        after = answer.next ?? undefined;
        this.state.patch({
          keys: merged(kept, found),
          at: Date.now(),
          next: after,
          more: answer.more,
          problem: undefined,
        });
        if (after === undefined || found.length >= enough) break;
      }
      this.state.patch({ isReading: false });
    } catch (error) {
      if (asked !== this.#asked) return;
      this.state.patch({ isReading: false, problem: error instanceof Error ? error.message : String(error) });
    }
  }

  #countOf(of: Chosen | undefined): string | undefined {
    const cache = this.#caches.find(({ flows }) =>
      flows.some(({ flow, aspect }) => flow === of?.flow && aspect === of.aspect),
    );
    return cache && JSON.stringify([cache.entries, cache.misses]);
  }
}

/** A server may name a key in two pages. Keys that are masked may look the same, and each is listed. */
function merged(before: readonly KeptKey[], found: readonly KeptKey[]): readonly KeptKey[] {
  const again = new Set(found.flatMap(({ key }) => key ?? []));
  return [...before.filter(({ key }) => key === null || !again.has(key)), ...found];
}
