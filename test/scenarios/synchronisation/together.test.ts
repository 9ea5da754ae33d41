import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const database = process.env['TEST_POSTGRES_URL'];
const store = process.env['TEST_REDIS_URL'];

describe.skipIf(database === undefined || store === undefined)('three processes and one store', () => {
  const table = `signals_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(database as string);
  const redis = new Redis(store as string, { lazyConnect: true });
  let remote: Upstream;
  let proxy: FaultProxy;
  /** The last one reaches the store through the proxy. */
  let services: readonly Scenario[] = [];
  let held: ServerResponse[] = [];

  beforeAll(async () => {
    remote = await startUpstream();
    await Promise.all([client.connect(), redis.connect()]);
    await client.query(`CREATE TABLE ${table} (name text PRIMARY KEY, n bigint, author text, fence bigint)`);
    const { hostname, port } = new URL(store as string);
    proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    const far = new URL(store as string);
    far.host = `127.0.0.1:${proxy.port}`;
    const env = { REMOTE_URL: remote.address, DATABASE_URL: database as string, TABLE: table };
    services = await Promise.all(
      [store as string, store as string, far.href].map((url) =>
        startScenario(import.meta.dirname, { env: { ...env, LOCK_URL: url } }),
      ),
    );
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.end()));
    await client.query(`DROP TABLE ${table}`);
    await client.end();
    const keys = await redis.keys(`svc:*${table}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    await proxy?.close();
    await remote?.close();
  });

  beforeEach(() => {
    held = [];
    remote.received.length = 0;
    remote.react = () => ({ body: { done: true } });
  });

  /** Both of its connections, the one that listens too. */
  async function storeIsBack(): Promise<void> {
    proxy.fault = 'pass';
    await redis.set(`svc:coord:${table}:back`, '1', 'PX', 60_000);
    await until(async () => (await send(2, 'POST', '/wait/back')).status === 200);
  }

  afterEach(storeIsBack);

  const service = (at: number) => services[at % services.length] as Scenario;
  const hold = () => {
    remote.react = () => (response) => void held.push(response);
  };
  const release = () => {
    for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"done":true}');
  };
  const send = async (at: number, method: string, path: string, sent: object = {}) => {
    const { status, body } = await service(at).ask(method, path, sent);
    return { status, body };
  };

  describe('sequences', () => {
    const revise = (at: number, name: string, revision: unknown) => send(at, 'PUT', `/revisions/${name}`, { revision });
    const sentRevisions = () => remote.received.map(({ body }) => (JSON.parse(body) as { revision: number }).revision);
    const kept = (name: string) => redis.get(`svc:seqguard:${table}:${name}`);
    const older = { status: 200, body: { status: 'dropped', reason: 'sequence_older' } };

    test('X-07: shuffled revisions end with the newest, and each that is written is newer than those before', {
      timeout: 120_000,
    }, async () => {
      const revisions = shuffled(Array.from({ length: 1_000 }, (_, at) => at + 1));
      const answers: { status: number; body: unknown }[] = [];
      const work = async (at: number) => {
        for (let next = revisions.pop(); next !== undefined; next = revisions.pop())
          answers.push(await revise(at, 'all', next));
      };
      await Promise.all(Array.from({ length: 9 }, (_, at) => work(at)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(sentRevisions()).toEqual(sentRevisions().toSorted((a, b) => a - b));
      expect([new Set(sentRevisions()).size, sentRevisions().at(-1), await kept('all')]).toEqual([
        sentRevisions().length,
        1_000,
        '1000',
      ]);
      expect(answers.filter(({ body }) => JSON.stringify(body) === JSON.stringify(older.body))).toHaveLength(
        1_000 - sentRevisions().length,
      );
    });

    test.each([
      ['the newer one comes first', 2, 1, [2]],
      ['the older one comes first', 1, 2, [1, 2]],
    ])('R-51: of two revisions at two processes the newer one wins when %s', async (_title, first, second, written) => {
      hold();
      const name = `pair-${first}`;
      const one = revise(0, name, first);
      await until(() => held.length === 1);
      const other = revise(1, name, second);
      await until(
        async () => (await service(1).metric('svc_requests_in_flight{method="PUT",path="/revisions/:name"}')) === 1,
      );
      remote.react = () => ({ body: { done: true } });
      release();
      expect((await one).status).toBe(200);
      expect((await other).body).toEqual(second > first ? { done: true } : older.body);
      expect([sentRevisions(), await kept(name)]).toEqual([written, '2']);
    });

    test('a revision that failed may come again; one that is missing or no number counts as 0', async () => {
      remote.react = () => ({ status: 422 });
      expect((await revise(0, 'failed', 5)).status).toBeGreaterThanOrEqual(400);
      expect(await kept('failed')).toBeNull();
      remote.react = () => ({ body: { done: true } });
      expect((await revise(1, 'failed', 5)).status).toBe(200);
      expect(await revise(2, 'failed', 'x')).toEqual(older);
      expect(await revise(2, 'failed', undefined)).toEqual(older);
      expect(await kept('failed')).toBe('5');
    });

    test('nothing is written while the store is unavailable', async () => {
      proxy.fault = 'refuse';
      proxy.reset();
      expect(await revise(2, 'away', 1)).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
      expect(sentRevisions()).toEqual([]);
    });
  });

  describe('signals', () => {
    const waiting = (at: number) => service(at).metric('svc_coordinate_active_waits{flow="wait"}');

    test('given by one process they wake everybody who waits at the others', async () => {
      const asked = [0, 0, 1, 2].map((at) => send(at, 'POST', '/wait/all'));
      for (const [at, many] of [2, 1, 1].entries()) await until(async () => (await waiting(at)) === many);
      expect(await send(1, 'POST', '/signal/other')).toMatchObject({ status: 200 });
      expect([await waiting(0), await waiting(1), await waiting(2)]).toEqual([2, 1, 1]);
      expect(await send(1, 'POST', '/signal/all')).toMatchObject({ status: 200 });
      const began = performance.now();
      for (const answer of await Promise.all(asked)) expect(answer).toEqual({ status: 200, body: { went: 'all' } });
      expect(performance.now() - began).toBeLessThan(900);
    });

    test('may come before anybody waits, and are not used up', async () => {
      await send(0, 'POST', '/signal/early');
      for (const at of [0, 1, 2]) expect((await send(at, 'POST', '/wait/early')).body).toEqual({ went: 'early' });
    });

    test('are given by flows that succeed alone', async () => {
      remote.react = () => ({ status: 500 });
      expect((await send(0, 'POST', '/signal/failed')).status).toBe(500);
      remote.react = () => ({ body: { done: false } });
      expect((await send(0, 'POST', '/signal/failed')).status).toBe(200);
      expect(await send(1, 'POST', '/look/failed')).toEqual({
        status: 200,
        body: { status: 'dropped', reason: 'coordinate_timeout' },
      });
      await client.query(`INSERT INTO ${table} VALUES ('failed', 0, '', 0)`);
      expect((await send(1, 'POST', '/look/failed')).body).toEqual({ went: 'failed' });
    });

    test('without the store no message waits unnecessarily, and a flow that has done its work has succeeded', async () => {
      const asked = send(2, 'POST', '/wait/away');
      await until(async () => (await waiting(2)) === 1);
      proxy.fault = 'refuse';
      proxy.reset();
      const refused = { status: 503, body: { code: 'store_unavailable' } };
      expect(await asked).toMatchObject(refused);
      expect(await send(2, 'POST', '/wait/away')).toMatchObject(refused);
      expect((await send(2, 'POST', '/signal/away')).status).toBe(200);
      await until(() => service(2).log.includes('a signal was not given'));
      expect(await waiting(2)).toBe(0);
      proxy.fault = 'pass';
      await storeIsBack();
      await send(2, 'POST', '/signal/away');
      expect((await send(2, 'POST', '/wait/away')).body).toEqual({ went: 'away' });
    });

    test('a caller who goes away waits no longer', async () => {
      const caller = new AbortController();
      const asked = fetch(`${service(0).address}/wait/gone`, { method: 'POST', signal: caller.signal }).catch(
        () => 'gone',
      );
      await until(async () => (await waiting(0)) === 1);
      caller.abort();
      expect(await asked).toBe('gone');
      await until(async () => (await waiting(0)) === 0);
    });
  });
});

/** The same order in every run. */
function shuffled(numbers: number[]): number[] {
  let state = 7;
  for (let at = numbers.length - 1; at > 0; at--) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (at + 1);
    [numbers[at], numbers[other]] = [numbers[other] as number, numbers[at] as number];
  }
  return numbers;
}
