import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const server = process.env['TEST_REDIS_URL'] ?? '';
const prefix = `replicas-${randomBytes(6).toString('hex')}`;

describe.skipIf(server === '')('three replicas and one store', () => {
  let replicas: readonly Scenario[] = [];
  let remote: Upstream;
  let proxy: FaultProxy;
  let redis: Redis;

  beforeAll(async () => {
    remote = await startUpstream();
    redis = new Redis(server);
    const url = new URL(server);
    proxy = await faultProxy({ host: url.hostname, port: Number(url.port || 6379) });
    url.host = `127.0.0.1:${proxy.port}`;
    const env = { CACHE_URL: url.href, CACHE_PREFIX: prefix, REMOTE_URL: remote.address };
    replicas = await Promise.all([1, 2, 3].map(() => startScenario(import.meta.dirname, { env })));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.end()));
    await proxy?.close();
    await remote?.close();
    const left = (await redis?.keys(`${prefix}:*`)) ?? [];
    if (left.length > 0) await redis?.del(left);
    redis?.disconnect();
  });

  const replica = (at: number) => replicas[at % 3] as Scenario;

  test('X-02, R-61: a shared rate limit lets its rate through, and in no window more than rate and burst', async () => {
    // Few, so that a busy machine asks for more as well.
    const [rate, burst, wanted] = [25, 10, 70];
    const began = performance.now();
    /** When each accepted request was asked and answered, in milliseconds. */
    const accepted: { readonly asked: number; readonly answered: number }[] = [];
    const asks: number[] = [];
    let refused = 0;
    const client = async (at: number) => {
      while (accepted.length < wanted) {
        const asked = performance.now() - began;
        asks.push(asked);
        const { status } = await replica(at).ask('GET', '/limited', undefined, { 'x-client': 'one' });
        if (status === 200) accepted.push({ asked, answered: performance.now() - began });
        else refused++;
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, at) => client(at)));
    expect(refused).toBeGreaterThan(0);
    // A request was let through somewhere between its asking and its answer, so a window is at least this long.
    for (const [at, first] of accepted.entries())
      for (let last = at + burst; last < accepted.length; last++) {
        const window = (accepted[last]?.answered ?? 0) - first.asked;
        const count = last - at + 1;
        if (count > (rate * window) / 1000 + burst + 1) expect.fail(`${count} requests in ${window} ms`);
      }
    // Tokens of a pause longer than the burst lasts are lost: where nothing asked for so long, only that long counts.
    const gaps = asks.toSorted((a, b) => a - b).map((at, index, all) => at - (all[index - 1] ?? 0));
    const seconds = gaps.reduce((sum, gap) => sum + Math.min(gap, (burst / rate) * 1000), 0) / 1000;
    expect(accepted.length).toBeGreaterThanOrEqual(Math.floor((rate * seconds + burst) * 0.9 - 4));
  });

  const held: ServerResponse[] = [];
  const named = (name: string) => () => ({ body: { name } });

  test('X-12: what one replica changes, the others serve at once', async () => {
    remote.react = named('Anvil');
    for (const at of [0, 1, 2]) expect((await replica(at).ask('GET', '/slow/a')).body).toEqual([{ name: 'Anvil' }]);
    expect(remote.received.filter(({ url }) => url === '/things/a')).toHaveLength(1);
    remote.react = named('Bellows');
    expect((await replica(1).ask('POST', '/things', { id: 'a' })).status).toBe(200);
    for (const at of [0, 1, 2]) expect((await replica(at).ask('GET', '/slow/a')).body).toEqual([{ name: 'Bellows' }]);
  });

  test('X-12: many that miss at once ask once', async () => {
    remote.react = () => (response) => void held.push(response);
    const waiting = Array.from({ length: 200 }, () => replica(0).ask('GET', '/slow/b'));
    await until(() => held.length === 1);
    await until(async () => (await replica(0).metric('svc_requests_in_flight{method="GET",path="/slow/:id"}')) === 200);
    for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"name":"C"}');
    for (const { status, body } of await Promise.all(waiting)) expect([status, body]).toEqual([200, [{ name: 'C' }]]);
    expect(remote.received.filter(({ url }) => url === '/things/b')).toHaveLength(1);
  });

  test('X-12: without the store requests still succeed, and the limit holds for each replica', async () => {
    remote.react = named('Drill');
    proxy.fault = 'refuse';
    proxy.reset();
    try {
      expect((await replica(2).ask('GET', '/slow/c')).body).toEqual([{ name: 'Drill' }]);
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => replica(2).ask('GET', '/limited', undefined, { 'x-client': 'two' })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    } finally {
      proxy.fault = 'pass';
    }
  });
});
