import type { CacheEntry, KeptKeys, Params } from '@svc/protocol/wire';
import { wireError } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { untilPassed } from '../../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../../debug/testing/session.ts';
import { Changes } from '../changes.ts';
import { Caches, hitShare, summaryOf } from './caches.ts';

const order = { flow: 'order', aspect: '' };
const cache = (more: Partial<CacheEntry> = {}): CacheEntry => ({
  connector: 'recent',
  driver: 'memory',
  isShared: false,
  entries: 2,
  hits: 1,
  misses: 2,
  unreadable: 0,
  flows: [{ ...order, key: 'order:${input.id}', ttlMs: 60_000, obstacle: null }],
  ...more,
});
const page = (from: number, count: number, next: string | null = null): KeptKeys => ({
  isShared: false,
  keys: Array.from({ length: count }, (_, at) => {
    const key = `order:${from + at}`;
    return { key, shown: key, size: 1, leftMs: null, ageMs: null };
  }),
  next,
  more: false,
});

async function attached(own: Answers) {
  const asked: unknown[] = [];
  const { session, dialled } = sessionWith({
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities: ['caches', 'unlock'] }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'debug.unlock': () => ({ ok: true }),
    'inspect.caches': () => [cache()],
    ...own,
    'inspect.cacheKeys': (params: never) => {
      asked.push(params);
      return (own['inspect.cacheKeys'] ?? (() => page(1, 2)))(params);
    },
  });
  const changes = new Changes(session);
  const caches = new Caches(session, changes);
  await session.attach('127.0.0.1:1');
  await caches.list.refresh();
  const shown = () => caches.keys.state.value.keys.map(({ shown }) => shown);
  return { caches, changes, session, dialled, asked, shown };
}

test('keys of the flow that is chosen are read, filtered, and read again when its cache has changed', async () => {
  let counted = cache();
  const { caches, asked, shown } = await attached({ 'inspect.caches': () => [counted] });
  expect([caches.summary.value, asked]).toEqual(['2 entries', []]);
  await caches.keys.choose(order);
  await caches.keys.filter('2');
  expect(asked).toEqual([
    { ...order, limit: 100 },
    { ...order, limit: 100, text: '2' },
  ]);
  expect(shown()).toEqual(['order:1', 'order:2']);
  await caches.list.refresh();
  expect(asked).toHaveLength(2);
  counted = cache({ hits: 7 });
  await caches.list.refresh();
  expect(asked).toHaveLength(2);
  counted = cache({ misses: 3 });
  await caches.list.refresh();
  await untilPassed(() => expect(asked).toHaveLength(3));
  counted = cache({ flows: [] });
  await caches.list.refresh();
  expect(caches.keys.state.value.of).toBeUndefined();
});

test('pages without keys are followed by themselves, further ones when they are asked for', async () => {
  const answers: Readonly<Record<string, KeptKeys>> = {
    first: page(0, 0, 'a'),
    a: page(0, 0, 'b'),
    b: page(1, 60, 'c'),
    c: page(60, 2),
  };
  const { caches, asked, shown } = await attached({
    'inspect.cacheKeys': ({ after = 'first' }: Params<'inspect.cacheKeys'>) => answers[after],
  });
  await caches.keys.choose(order);
  expect([shown().length, caches.keys.state.value.next, asked.length]).toEqual([60, 'c', 3]);
  await caches.keys.more();
  // One key was in two pages.
  expect([shown().length, new Set(shown()).size, caches.keys.state.value.next]).toEqual([61, 61, undefined]);
});

test('an answer that comes late is left out, a failure is said, and nothing is known of a service that is gone', async () => {
  const waiting: ((answer: KeptKeys) => void)[] = [];
  let isDown = false;
  const { caches, shown, session } = await attached({
    'inspect.cacheKeys': () => {
      if (isDown) throw wireError('internalError', 'no response within 4 s');
      return new Promise((resolve) => waiting.push(resolve));
    },
  });
  const first = caches.keys.choose(order);
  const second = caches.keys.filter('x');
  await untilPassed(() => expect(waiting).toHaveLength(2));
  waiting[1]?.(page(7, 1));
  waiting[0]?.(page(1, 2));
  await Promise.all([first, second]);
  expect([shown(), caches.keys.state.value.isReading]).toEqual([['order:7'], false]);
  isDown = true;
  await caches.keys.refresh();
  expect([caches.keys.state.value.problem, shown()]).toEqual(['no response within 4 s', ['order:7']]);
  session.detach();
  expect([caches.keys.state.value.of, caches.summary.value]).toEqual([undefined, undefined]);
});

test('dropping is refused while it is locked, and continues until all is dropped', async () => {
  const dropped: unknown[] = [];
  const { caches, changes, shown } = await attached({
    'debug.dropCacheEntry': (params: never) => {
      dropped.push(params);
      return { ok: true, dropped: 1 };
    },
    'debug.dropCache': (params: Params<'debug.dropCache'>) => {
      dropped.push(params);
      return params.after === undefined
        ? { ok: true, dropped: 5, next: '0.7.0' }
        : { ok: true, dropped: 2, next: null };
    },
  });
  await caches.keys.choose(order);
  await expect(caches.drop(order, 'order:1')).rejects.toThrow('Unlock changes first.');
  await expect(caches.dropAll(order)).rejects.toThrow('Unlock changes first.');
  expect([dropped, caches.dropping.value]).toEqual([[], undefined]);
  await changes.unlock();
  expect(await caches.drop(order, 'order:1')).toBe(1);
  expect(shown()).toEqual(['order:2']);
  const progress: unknown[] = [];
  caches.dropping.subscribe(() => progress.push(caches.dropping.value?.dropped));
  expect(await caches.dropAll(order)).toBe(7);
  expect(progress).toEqual([0, 5, 7, undefined]);
  expect(dropped).toEqual([{ ...order, key: 'order:1' }, order, { ...order, after: '0.7.0' }]);
});

test('what is said of all caches', () => {
  expect(summaryOf([])).toBe('no flow keeps answers');
  expect(summaryOf([cache({ entries: 1 })])).toBe('1 entry');
  expect(summaryOf([cache({ entries: 12_345 }), cache()])).toBe('12\u2009347 entries');
  expect(summaryOf([cache({ entries: null })])).toBe('of 1 flow');
  expect([hitShare({ hits: 0, misses: 0 }), hitShare({ hits: 3, misses: 1 })]).toEqual([undefined, 0.75]);
});
