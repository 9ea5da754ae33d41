import { expect, test } from 'vitest';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { client as clientOf, debugged } from '../testing/debugged.ts';

const configuration = `flow "order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  cache {
    storage = "memory"
    key     = "order:\${input.id}"
  }
  response {
    id = "input.id"
  }
}`;

async function looking(entries: number, masksNames = false) {
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 200_000, defaultTtl: undefined }, systemClock);
  for (let at = 0; at < entries; at++) storage.set(`order:${at}`, '{"id":"x"}', undefined);
  return { storage, client: await clientOf(await debugged(configuration, { storage, masksNames })) };
}

test('of a hundred thousand keys a page has two hundred, and other work has its turn', {
  timeout: 60_000,
}, async () => {
  const { client } = await looking(100_000);
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const page = await client.call('inspect.cacheKeys', { flow: 'order', limit: 100_000 });
  clearInterval(turning);
  expect([page.keys.length, page.next, turns > 3]).toEqual([200, page.keys.at(-1)?.key, true]);
  expect(JSON.stringify(page).length).toBeLessThan(40_000);
  const second = await client.call('inspect.cacheKeys', { flow: 'order', after: page.next as string });
  expect([second.keys.length, (second.keys[0]?.shown ?? '') > (page.next as string)]).toEqual([100, true]);
  await client.call('debug.unlock', {});
  expect(await client.call('debug.dropCache', { flow: 'order' })).toEqual({ ok: true, dropped: 100_000, next: null });
});

test('a key of a megabyte is cut, a value of many is not shown', async () => {
  const { storage, client } = await looking(0);
  storage.set(`order:${'-'.repeat(1_000_000)}`, '{}', undefined);
  storage.set('order:large', JSON.stringify('x'.repeat(5_000_000)), undefined);
  storage.set('order:wrong', '{', undefined);
  storage.set('order:far', '{"$status":201,"value":[1]}', undefined);
  const { keys } = await client.call('inspect.cacheKeys', { flow: 'order' });
  expect(keys.map(({ key, shown }) => [key, shown.length])).toEqual([
    [null, 4_097],
    ['order:far', 9],
    ['order:large', 11],
    ['order:wrong', 11],
  ]);
  const read = async (key: string) => {
    const { found, value, status, problem } = await client.call('inspect.cacheEntry', { flow: 'order', key });
    return { found, value, status, problem };
  };
  expect(await read('order:large')).toEqual({
    found: true,
    value: null,
    status: null,
    problem: 'It is too large to be shown: 5000002 bytes.',
  });
  expect((await read('order:wrong')).problem).toBe('It cannot be read, and counts as missing.');
  expect(await read('order:far')).toEqual({ found: true, value: [1], status: 201, problem: null });
});

test('keys are any text: markup, lines, marks of direction', async () => {
  const { storage, client } = await looking(0);
  const keys = ['<img src=x onerror=alert(1)>', 'a\nb\0', '\u202e\u2066', '', '__proto__'].map((id) => `order:${id}`);
  for (const key of keys) storage.set(key, '1', undefined);
  const listed = await client.call('inspect.cacheKeys', { flow: 'order' });
  expect(listed.keys.map(({ key, shown }) => [key, shown])).toEqual(keys.toSorted().map((key) => [key, key]));
  expect((await client.call('inspect.cacheKeys', { flow: 'order', text: '<img' })).keys).toHaveLength(1);
  await client.call('debug.unlock', {});
  for (const key of keys)
    expect(await client.call('debug.dropCacheEntry', { flow: 'order', key })).toMatchObject({ dropped: 1 });
});

test('members named like credentials are masked where logs mask them', async () => {
  const { storage, client } = await looking(0, true);
  storage.set('order:1', '{"id":1,"owner":{"password":"geheim","name":"x"}}', undefined);
  const entry = await client.call('inspect.cacheEntry', { flow: 'order', key: 'order:1' });
  expect(entry.value).toEqual({ id: 1, owner: { password: '***', name: 'x' } });
});
