import type { CacheEntry, KeptKey, KeptKeys, MetricsEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { mergedAnswer } from './merged-answers.ts';

const kept = (key: string, leftMs: number | null = 1_000): KeptKey => ({
  key,
  shown: key,
  size: 1,
  leftMs,
  ageMs: null,
});
const page = (keys: readonly KeptKey[], next: string | null = null, more = false): KeptKeys => ({
  isShared: false,
  keys,
  next,
  more,
});

test('caches of processes are added up; of one that they share nothing is known of its size', () => {
  const cache = (entries: number | null, at: number): CacheEntry => ({
    connector: entries === null ? 'shared' : 'own',
    driver: 'memory',
    isShared: entries === null,
    entries,
    hits: at,
    misses: at,
    unreadable: at,
    flows: [],
  });
  expect(
    mergedAnswer('inspect.caches', [
      [cache(3, 1), cache(null, 1)],
      [cache(4, 2), cache(null, 2)],
    ]),
  ).toEqual([cache(7, 3), cache(null, 3)]);
});

test('keys of processes are one list that ends where the first of them has more', () => {
  const masked: KeptKey = { key: null, shown: 'c:***', size: 1, leftMs: 1, ageMs: 1 };
  expect(
    mergedAnswer('inspect.cacheKeys', [
      page([kept('a', 500), kept('c'), kept('e')], 'e'),
      page([kept('a', 900), kept('b'), kept('c', null), masked], 'c', true),
    ]),
  ).toEqual({ isShared: false, keys: [kept('a', 900), kept('b'), kept('c', null), masked], next: 'c', more: true });
  const shared = { ...page([kept('x')], '0.7.0'), isShared: true };
  expect(mergedAnswer('inspect.cacheKeys', [shared, shared])).toEqual(shared);
});

test('an entry is that of a process that has it', () => {
  const absent = { found: false, value: null };
  const found = { found: true, value: 1 };
  expect(mergedAnswer('inspect.cacheEntry', [absent, found])).toEqual(found);
  expect(mergedAnswer('inspect.cacheEntry', [absent, absent])).toEqual(absent);
});

test('what was dropped is added up, and continues where one of them is not done', () => {
  const dropped = (count: number, next?: string | null) => ({
    ok: true,
    dropped: count,
    ...(next !== undefined && { next }),
  });
  expect(mergedAnswer('debug.dropCacheEntry', [dropped(1), dropped(0)])).toEqual(dropped(1));
  expect(mergedAnswer('debug.dropCache', [dropped(1, null), dropped(2, null)])).toEqual(dropped(3, null));
  expect(mergedAnswer('debug.dropCache', [dropped(1, null), dropped(2, '0.5.0')])).toEqual(dropped(3, '0.5.0'));
});

test('counts of flows are added up, whether a process has run a flow or not', () => {
  const entry = (at: number, durations: readonly number[]): MetricsEntry => ({
    bounds: [1],
    flows: [{ flow: 'f', succeeded: at, failed: at, dropped: at, inFlight: at, seconds: at, durations }],
    sources: [{ connector: 'q', flows: ['f'], retried: at, rejected: at, dropped: at }],
    process: {
      processes: 1,
      uptimeSeconds: at,
      memoryBytes: at,
      heapBytes: at,
      cpuSeconds: at,
      lagSeconds: at,
      requestsInFlight: at,
      tasks: at,
    },
  });
  const sum = entry(3, [4, 5]);
  expect(mergedAnswer('inspect.metrics', [entry(1, []), entry(2, [4, 5])])).toEqual({
    ...sum,
    process: { ...sum.process, processes: 2, uptimeSeconds: 2, lagSeconds: 2 },
  });
});
