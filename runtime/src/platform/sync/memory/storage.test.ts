import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { create } from '../../../connectors/cache/memory/connector.ts';
import { memoryCache } from '../../../connectors/cache/memory/spec.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import { MemoryStorage } from './storage.ts';

function store(options: { maxItems?: number; defaultTtl?: number } = {}) {
  const clock: Clock & { time: number } = { time: 1000, ...clockBy(() => clock.time) };
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 100, defaultTtl: undefined, ...options }, clock);
  return { storage, clock };
}

test('entries are answered at once and expire', () => {
  const { storage, clock } = store({ defaultTtl: 50 });
  storage.set('a', '1', 10);
  storage.set('b', '2', undefined);
  storage.set('c', '3', 0);
  expect([storage.get('a'), storage.get('b'), storage.get('none')]).toEqual(['1', '2', undefined]);
  clock.time += 10;
  expect([storage.get('a'), storage.get('b'), storage.get('c')]).toEqual([undefined, '2', '3']);
  clock.time += 40;
  storage.sweep();
  expect(storage.size()).toBe(0);
});

test('a clock that is set back or forward does not change when an entry expires', () => {
  const clock: Clock & { wall: number; passed: number } = {
    wall: 1_000_000,
    passed: 0,
    ...clockBy(() => clock.passed, { now: () => clock.wall }),
  };
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 9, defaultTtl: undefined }, clock);
  storage.set('a', '1', 50);
  storage.setIfAbsent('b', '2', 50);
  clock.wall += 500_000;
  storage.sweep();
  expect([storage.get('a'), storage.get('b')]).toEqual(['1', '2']);
  clock.wall -= 900_000;
  clock.passed += 50;
  expect([storage.get('a'), storage.get('b')]).toEqual([undefined, undefined]);
});

test('the least recently used entry is evicted first', () => {
  const { storage } = store({ maxItems: 2 });
  storage.set('a', '1', undefined);
  storage.set('b', '2', undefined);
  storage.get('a');
  storage.set('c', '3', undefined);
  expect([storage.get('a'), storage.get('b'), storage.get('c')]).toEqual(['1', undefined, '3']);
  storage.set('a', '4', undefined);
  expect(storage.size()).toBe(2);
});

test('an entry that reserves a key is never evicted', () => {
  const { storage, clock } = store({ maxItems: 2 });
  const fill = () => {
    for (const key of ['a', 'b', 'c']) storage.set(key, key, undefined);
  };
  expect(storage.setIfAbsent('k', 'me', 30)).toBe(true);
  fill();
  clock.time += 20;
  expect(storage.replace('k', 'me', 'me', 30)).toBe(true);
  fill();
  clock.time += 20;
  expect([storage.get('k'), storage.setIfAbsent('k', 'you', 30), storage.size()]).toEqual(['me', false, 3]);
  expect(storage.replace('k', 'me', 'the answer', undefined)).toBe(true);
  expect([storage.get('k'), storage.size()]).toEqual(['the answer', 2]);
  fill();
  expect([storage.get('k'), storage.size()]).toEqual([undefined, 2]);
  storage.setIfAbsent('k', 'me', 30);
  clock.time += 30;
  storage.sweep();
  expect(storage.size()).toBe(2);
  storage.setIfAbsent('k', 'me', 30);
  expect([storage.delete(['k']), storage.setIfAbsent('k', 'me', 30), storage.deleteMatching('k')]).toEqual([
    1,
    true,
    1,
  ]);
});

test('keys are deleted by name and by glob', () => {
  const { storage } = store();
  for (const key of ['user:1', 'user:2', 'user:22', 'users', 'a*b', 'axb']) storage.set(key, key, undefined);
  expect([
    storage.delete(['users', 'none']),
    storage.deleteMatching('user:?'),
    storage.deleteMatching('a\\*b'),
    storage.deleteMatching('user:'),
    storage.deleteMatching('*2*'),
  ]).toEqual([1, 2, 1, 0, 1]);
  expect(storage.get('axb')).toBe('axb');
});

test('an entry is stored only when the key is free, and changes only while it holds the expected value', () => {
  const { storage, clock } = store({ defaultTtl: 50 });
  expect([
    storage.setIfAbsent('a', '1', 10),
    storage.setIfAbsent('a', '2', 10),
    storage.replace('a', '2', '3', 10),
    storage.replace('none', '1', '3', 10),
    storage.replace('a', '1', '3', 20),
    storage.deleteIf('a', '1'),
    storage.get('a'),
  ]).toEqual([true, false, false, false, true, false, '3']);
  clock.time += 20;
  expect([
    storage.replace('a', '3', '4', 10),
    storage.deleteIf('a', '3'),
    storage.setIfAbsent('a', '5', undefined),
  ]).toEqual([false, false, true]);
  expect([storage.deleteIf('a', '5'), storage.deleteIf('a', '5'), storage.get('a')]).toEqual([true, false, undefined]);
  storage.setIfAbsent('b', '1', undefined);
  clock.time += 50;
  expect(storage.get('b')).toBe(undefined);
});

test('R-61: whatever the window, no more than rate times window plus burst pass', async () => {
  const { storage, clock } = store();
  const passed: number[] = [];
  for (clock.time = 0; clock.time < 5000; clock.time++) {
    if ((await storage.takeToken('k', 7, 3)).allowed) passed.push(clock.time);
  }
  for (let from = 0; from < passed.length; from++) {
    for (let to = from; to < passed.length; to++) {
      const window = ((passed[to] as number) - (passed[from] as number)) / 1000;
      expect(to - from + 1).toBeLessThanOrEqual(7 * window + 3 + 1e-9);
    }
  }
  expect(passed.length).toBe(37);
});

test('a token reports how many are left and when the next one is available', async () => {
  const { storage, clock } = store();
  const take = () => storage.takeToken('k', 10, 2);
  expect([await take(), await take(), await take()]).toEqual([
    { allowed: true, remaining: 1, retryAfter: 0 },
    { allowed: true, remaining: 0, retryAfter: 100 },
    { allowed: false, remaining: 0, retryAfter: 100 },
  ]);
  clock.time += 100;
  expect(await take()).toEqual({ allowed: true, remaining: 0, retryAfter: 100 });
  clock.time += 1000;
  storage.sweep();
  expect(await take()).toEqual({ allowed: true, remaining: 1, retryAfter: 0 });
});

test('the connector hands out its storage and forgets it when closed', async () => {
  const cache = create('c', configured(memoryCache.config, { max_items: 1 }), connectorServices());
  await cache.open(new AbortController().signal);
  cache.storage?.set('a', '1', undefined);
  cache.storage?.set('b', '2', undefined);
  expect([cache.storage?.get('a'), cache.storage?.get('b')]).toEqual([undefined, '2']);
  await cache.close();
  await cache.close();
  expect(cache.storage?.get('b')).toBe(undefined);
});
