import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/counters');
const server = process.env['TEST_REDIS_URL'] ?? '';
const prefix = `example-${randomBytes(6).toString('hex')}`;

describe.skipIf(server === '')('the example of counters', () => {
  let processes: readonly Scenario[] = [];
  let redis: Redis;

  beforeAll(async () => {
    redis = new Redis(server);
    const env = { REDIS_URL: server, PREFIX: prefix };
    processes = [await startScenario(example, { env }), await startScenario(example, { env })];
  });

  afterAll(async () => {
    await Promise.all(processes.map((each) => each.end()));
    const left = (await redis?.keys(`${prefix}:*`)) ?? [];
    if (left.length > 0) await redis.del(left);
    redis?.disconnect();
  });

  const ask = async (at: number, method: string, path: string, body?: object) => {
    const answer = await (processes[at % 2] as Scenario).ask(method, path, body);
    return [answer.status, answer.body];
  };

  test('five attempts pass, whichever process is asked; then there is a time to wait', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at, 'POST', '/codes/5:*5')));
    const passed = answers.filter(([status]) => status === 200).map(([, body]) => body as { left: number });
    expect(passed.map(({ left }) => left).sort()).toEqual([0, 1, 2, 3, 4]);
    const [status, body] = await ask(0, 'POST', '/codes/5:*5');
    expect([status, body]).toEqual([429, { allowed: false, left: 0, wait_seconds: expect.any(Number) }]);
    expect(await ask(1, 'DELETE', '/codes/5:*5')).toEqual([200, { forgotten: true }]);
    expect((await ask(0, 'POST', '/codes/5:*5'))[0]).toBe(200);
    expect((await redis.keys(`${prefix}:attempts:*`)).length).toBe(1);
  });

  test('visits are counted by page and day, and a page without visits has 0', async () => {
    expect(await ask(0, 'POST', '/visits/home/2026-03-01')).toEqual([200, { visits: 1 }]);
    expect(await ask(1, 'POST', '/visits/home/2026-03-01')).toEqual([200, { visits: 2 }]);
    expect(await ask(1, 'GET', '/visits/home/2026-03-01')).toEqual([200, { visits: 2 }]);
    expect(await ask(1, 'GET', '/visits/home/2026-03-02')).toEqual([200, { visits: 0 }]);
  });

  test('a basket is kept for an hour', async () => {
    expect(await ask(0, 'GET', '/baskets/ada')).toEqual([404, { basket: null }]);
    expect((await ask(0, 'PUT', '/baskets/ada', { items: ['engine'] }))[0]).toBe(200);
    expect(await ask(1, 'GET', '/baskets/ada')).toEqual([200, { basket: { customer: 'ada', items: ['engine'] } }]);
    expect(await redis.pttl(`${prefix}:basket:ada`)).toBeGreaterThan(3_500_000);
  });
});
