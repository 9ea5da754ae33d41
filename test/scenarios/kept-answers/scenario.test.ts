import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childrenOf } from '../../support/children.ts';
import { untilPassed } from '../../support/until.ts';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const redis = process.env['TEST_REDIS_URL'];

describe.skipIf(redis === undefined)('what two processes keep', () => {
  let service: Scenario;
  let client: DebugClient;

  beforeAll(async () => {
    const env = { REDIS_URL: redis as string, PREFIX: `svc-test:${randomUUID()}` };
    service = await startScenario(import.meta.dirname, { env, args: ['--workers', '2'] });
    client = await debugClient(service.admin);
  });
  afterAll(() => service?.end());

  /** Over a connection of its own, which any of the processes takes. */
  const ask = (path: string) =>
    new Promise<void>((resolve, reject) => {
      get(`${service.address}${path}`, { agent: new Agent({ keepAlive: false }) }, (answer) => {
        answer.resume();
        answer.on('end', resolve);
      }).on('error', reject);
    });
  const entries = async () => (await client.call('inspect.caches', {}))[0]?.entries;
  const keys = async (flow: string) =>
    (await client.call('inspect.cacheKeys', { flow })).keys.map(({ key }) => key).sort();
  /** Until each process keeps the answer itself. */
  const keptByBoth = () =>
    untilPassed(async () => {
      await Promise.all(Array.from({ length: 20 }, () => ask('/orders/1')));
      expect(await entries()).toBe(2);
    });

  test('is listed once, and dropped in both of them', async () => {
    await keptByBoth();
    await Promise.all(['/items/1', '/items/2'].map(ask));
    expect([await keys('order'), await keys('item')]).toEqual([['order:1'], ['item:1', 'item:2']]);
    const { hits, misses } = (await client.call('inspect.caches', {}))[0] ?? { hits: 0, misses: 0 };
    expect(hits + misses).toBeGreaterThanOrEqual(20);
    await client.call('debug.unlock', {});
    expect(await client.call('debug.dropCacheEntry', { flow: 'order', key: 'order:1' })).toEqual({
      ok: true,
      dropped: 2,
    });
    expect(await client.call('debug.dropCache', { flow: 'item' })).toEqual({ ok: true, dropped: 2, next: null });
    expect([await entries(), await keys('order'), await keys('item')]).toEqual([0, [], []]);
    const { flows, process } = await client.call('inspect.metrics', {});
    expect([flows.map(({ flow }) => flow), process.processes]).toEqual([['order', 'item'], 2]);
    expect(flows[0]?.succeeded).toBe(hits + misses);
  });

  test('is dropped by a process that took the place of a killed one, too', async () => {
    await keptByBoth();
    await client.call('debug.unlock', {});
    const [first] = await childrenOf(service.pid);
    process.kill(first as number, 'SIGKILL');
    await untilPassed(async () => expect((await client.call('inspect.metrics', {})).process.processes).toBe(1));
    await untilPassed(async () => expect((await client.call('inspect.metrics', {})).process.processes).toBe(2));
    await keptByBoth();
    expect(await client.call('debug.dropCache', { flow: 'order' })).toEqual({ ok: true, dropped: 2, next: null });
    expect(await entries()).toBe(0);
  });
});
