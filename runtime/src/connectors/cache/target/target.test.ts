import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import { create } from '../memory/connector.ts';
import { memoryCache } from '../memory/spec.ts';

async function cache() {
  let elapsed = 0;
  const clock = clockBy(() => elapsed);
  const made = create('c', configured(memoryCache.config, {}), connectorServices({ clock }));
  await made.open(new AbortController().signal);
  const call = (description: Partial<CallDescription>, request: CallRequest = {}) =>
    made.target?.prepare({
      verb: 'call',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'step "s"',
      ...description,
    })(request);
  const run = (operation: string, params: Readonly<Record<string, unknown>>) => call({ operation }, { params });
  const pass = (milliseconds: number) => (elapsed += milliseconds);
  return { made, call, run, pass };
}

const session = (command?: string) => ({
  operation: command,
  named: { key_pattern: 'session:{user_id}', ttl: 60_000 },
});

describe('commands of a cache', () => {
  test('what is set is got back, a null too, and an absent entry gives no row', async () => {
    const { run } = await cache();
    const value = { id: 7, tags: ['a', null], large: 2n ** 60n };
    expect(run('set', { key: 'a', value })).toEqual({ affected: 1 });
    run('SET', { key: 'b', value: null });
    expect([run('get', { key: 'a' }), run('Get', { key: 'b' }), run('get', { key: 'none' })]).toEqual([
      { value: { id: 7, tags: ['a', null], large: String(2n ** 60n) } },
      { value: null },
      { rows: [] },
    ]);
  });

  test('lifetimes are asked for in seconds; an entry without an end has null', async () => {
    const { run, pass } = await cache();
    run('set', { key: 'a', value: 1, ttl: '90s' });
    run('set', { key: 'b', value: 1 });
    pass(500);
    const ask = (key: string) => [run('ttl', { key }), run('exists', { key })];
    expect([ask('a'), ask('b'), ask('c')]).toEqual([
      [{ value: 90 }, { value: true }],
      [{ value: null }, { value: true }],
      [{ rows: [] }, { value: false }],
    ]);
    pass(89_500);
    expect(ask('a')).toEqual([{ rows: [] }, { value: false }]);
  });

  test('a counter counts, keeps its lifetime and stops at its limit', async () => {
    const { run, call, pass } = await cache();
    expect([run('increment', { key: 'n', ttl: 60 }), run('increment', { key: 'n', by: 41, ttl: 600 })]).toEqual([
      { value: 1 },
      { value: 42 },
    ]);
    const exact = call({ operation: 'increment', exact: true }, { params: { key: 'n', by: -2n } });
    expect([exact, run('ttl', { key: 'n' })]).toEqual([{ value: 40n }, { value: 60 }]);
    expect([run('increment', { key: 'n', limit: 41 }), run('increment', { key: 'n', limit: 41 })]).toEqual([
      { value: { value: 41, allowed: true } },
      { value: { value: 41, allowed: false } },
    ]);
    pass(60_000);
    expect(run('increment', { key: 'n' })).toEqual({ value: 1 });
  });

  test('deleting says how many there were', async () => {
    const { run } = await cache();
    run('set', { key: 'a', value: 1 });
    expect([run('delete', { key: 'a' }), run('delete', { key: 'a' })]).toEqual([{ affected: 1 }, { affected: 0 }]);
  });

  test('a long entry is decoded by another thread, a short one at once', async () => {
    const { made, run } = await cache();
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: 'ä'.repeat(12), far: 2n ** 53n + 1n }));
    run('set', { key: 'long', value: rows });
    const found = run('get', { key: 'long' });
    expect(found).toBeInstanceOf(Promise);
    expect(await found).toEqual({ value: rows.map((row) => ({ ...row, far: String(row.far) })) });
    await made.storage?.set('text', 'x'.repeat(100_000), undefined);
    expect(await run('get', { key: 'text' })).toEqual({ value: 'x'.repeat(100_000) });
    await made.storage?.set('much', `[${'1,'.repeat(2_100_000)}1]`, undefined);
    await expect(run('get', { key: 'much' })).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: 'the entry cannot be used: the body holds more than 2000000 values',
    });
  });

  test('what another program stored as text is given as text', async () => {
    const { made, run } = await cache();
    await made.storage?.set('a', 'plain', undefined);
    expect(run('get', { key: 'a' })).toEqual({ value: 'plain' });
  });
});

describe('the key', () => {
  test('comes from params, or from the target', async () => {
    const { call, run } = await cache();
    call({ operation: 'set', target: 'a' }, { payload: { n: 1 } });
    call({ operation: 'set' }, { target: 'b', payload: { n: 2 } });
    call({ operation: 'set', target: 'a' }, { params: { key: 3 }, payload: { n: 3 } });
    expect(['a', 'b', '3'].map((key) => run('get', { key }))).toEqual([
      { value: { n: 1 } },
      { value: { n: 2 } },
      { value: { n: 3 } },
    ]);
    expect(() => run('get', { key: '' })).toThrow(
      'flow "f" (step "s"): neither params nor target gives a key, which is a text or number',
    );
  });

  test('of a named operation is its pattern, filled from params, payload, filters, address and message in this order', async () => {
    const { call, run, pass } = await cache();
    call({ verb: 'create', ...session() }, { payload: { user_id: 'a:*', name: 'Ada' }, input: { user_id: 'b' } });
    call({ verb: 'update', ...session() }, { payload: { name: 'Bo' }, address: { user_id: 'b' } });
    expect([
      run('get', { key: 'session:a%3A%2A' }),
      call({ verb: 'read', ...session() }, { filters: { user_id: 'b' } }),
      call(session('get'), { params: { user_id: 'a:*' } }),
      call({ verb: 'delete', ...session() }, { address: { user_id: 'b' } }),
    ]).toEqual([
      { value: { user_id: 'a:*', name: 'Ada' } },
      { value: { name: 'Bo' } },
      { value: { user_id: 'a:*', name: 'Ada' } },
      { affected: 1 },
    ]);
    pass(60_000);
    expect(call(session('get'), { params: { user_id: 'a:*' } })).toEqual({ rows: [] });
  });

  test('that misses a value fails, naming it', async () => {
    const { call } = await cache();
    for (const user_id of [undefined, null, '', ['a'], {}])
      expect(() => call(session('get'), { params: { user_id } })).toThrow('the key of the entry needs "user_id"');
  });
});

describe('what is refused', () => {
  test.each([
    ['set', { key: 'a' }, 'there is no value to store'],
    ['set', { key: 'a', value: 1, ttl: '5 minutes' }, 'the parameter "ttl" must be a duration above 0'],
    ['increment', { key: 'a', by: 1.5 }, 'the parameter "by" must be a whole number'],
    ['increment', { key: 'a', limit: 2n ** 60n }, 'the parameter "limit" must be a whole number'],
    ['increment', { key: 'text' }, 'the entry is not a whole number of 64 bits'],
  ])('%s %o', async (operation, params, message) => {
    const { run } = await cache();
    run('set', { key: 'text', value: 'a' });
    expect(() => run(operation, params)).toThrow(message);
  });
});
