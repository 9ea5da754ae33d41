import type { CacheEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../../debug/session/session.ts';
import { Store } from '../../state/store.ts';
import { groupedDigits } from '../../values/values.ts';
import type { Changes } from '../changes.ts';
import { LiveAnswer } from '../live-answer.ts';
import { type Chosen, KeyList } from './key-list.ts';

/** What flows of the attached service keep in caches. */
export class Caches {
  readonly list: LiveAnswer<readonly CacheEntry[]>;
  readonly keys: KeyList;
  /** `12 entries`. */
  readonly summary = new Store<string | undefined>(undefined);
  /** What all answers of a flow are dropped of now, and how many were until now. */
  readonly dropping = new Store<{ readonly of: Chosen; readonly dropped: number } | undefined>(undefined);
  readonly #changes: Pick<Changes, 'call'>;
  readonly #debug: Pick<DebugSession, 'isAttached'>;

  constructor(debug: Pick<DebugSession, 'call' | 'model' | 'isAttached'>, changes: Pick<Changes, 'call'>) {
    this.#changes = changes;
    this.#debug = debug;
    this.list = new LiveAnswer(debug, 'caches', () => debug.call('inspect.caches', {}));
    this.keys = new KeyList(debug);
    this.list.state.subscribe(() => {
      const { value } = this.list.state.value;
      this.summary.set(value && summaryOf(value));
      if (value === undefined) this.keys.leave();
      else this.keys.changed(value);
    });
  }

  /** Drops one answer; how many there were in all processes. */
  async drop({ flow, aspect }: Chosen, key: string): Promise<number> {
    const { dropped } = await this.#changes.call('debug.dropCacheEntry', { flow, aspect, key });
    this.keys.forget(key);
    void this.list.refresh();
    return dropped;
  }

  /** Drops all answers of a flow, piece by piece; how many there were. */
  async dropAll(of: Chosen): Promise<number> {
    let dropped = 0;
    let after: string | undefined;
    this.dropping.set({ of, dropped });
    try {
      do {
        const part = await this.#changes.call('debug.dropCache', {
          flow: of.flow,
          aspect: of.aspect,
          ...(after === undefined ? {} : { after }),
        });
        dropped += part.dropped;
        after = part.next ?? undefined;
        this.dropping.set({ of, dropped });
      } while (after !== undefined && this.#debug.isAttached);
      return dropped;
    } finally {
      this.dropping.set(undefined);
      void this.keys.refresh();
      void this.list.refresh();
    }
  }
}

/** How many entries there are, where the caches know it. */
export function summaryOf(caches: readonly CacheEntry[]): string {
  const flows = caches.reduce((sum, cache) => sum + cache.flows.length, 0);
  if (flows === 0) return 'no flow keeps answers';
  const known = caches.flatMap(({ entries }) => entries ?? []);
  if (known.length < caches.length) return flows === 1 ? 'of 1 flow' : `of ${flows} flows`;
  const entries = known.reduce((sum, each) => sum + each, 0);
  return entries === 1 ? '1 entry' : `${groupedDigits(entries)} entries`;
}

/** How many of the messages that asked a cache were answered by it; undefined while none asked. */
export function hitShare({ hits, misses }: Pick<CacheEntry, 'hits' | 'misses'>): number | undefined {
  return hits + misses === 0 ? undefined : hits / (hits + misses);
}
