import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const server = process.env['TEST_REDIS_URL'];

describe.skipIf(server === undefined || brokerUrl === undefined)('messages that come again', () => {
  const prefix = `scenario-${randomBytes(6).toString('hex')}`;
  const cleanups: (() => unknown)[] = [];
  let redis: Redis;
  let proxy: FaultProxy;
  let shop: Upstream;
  let queue: TestQueue;

  beforeAll(async () => {
    const { hostname, port } = new URL(server as string);
    redis = new Redis(server as string);
    proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    shop = await startUpstream();
  });

  afterAll(async () => {
    await shop?.close();
    await proxy?.close();
    redis?.disconnect();
  });

  beforeEach(async () => {
    proxy.fault = 'pass';
    shop.received.length = 0;
    shop.react = () => ({ body: { id: 7 } });
    queue = await TestQueue.declare();
    cleanups.push(() => queue.end());
  });

  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
    const left = await redis.keys(`${prefix}:*`);
    if (left.length > 0) await redis.del(left);
  });

  async function start(): Promise<Scenario> {
    const url = new URL(server as string);
    url.host = `127.0.0.1:${proxy.port}`;
    const service = await startScenario(import.meta.dirname, {
      env: {
        BROKER_URL: brokerUrl as string,
        QUEUE: queue.name,
        SHOP_URL: shop.address,
        CACHE_URL: url.href,
        CACHE_PREFIX: prefix,
      },
    });
    cleanups.push(() => service.end());
    return service;
  }

  const startAll = (count: number) => Promise.all(Array.from({ length: count }, start));
  const sent = () => shop.received.map(({ url, body }) => [url, JSON.parse(body)]);
  const price = (sku: string, amount: number) => ({ sku, price: amount });
  const dropped = async (services: readonly Scenario[], flow: string) => {
    const series = `svc_flow_drops_total{flow="${flow}",reason="dedupe_match"}`;
    const counts = await Promise.all(services.map((service) => service.metric(series)));
    return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  };
  const pay = (service: Scenario, key: string, amount = 5) =>
    service.ask('POST', '/payments', { amount }, { 'idempotency-key': key });
  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  });
  const ann = basic('ann', 'a');
  const begin = async (service: Scenario) => {
    const { status, body } = await service.ask('POST', '/reports', { month: 5 }, ann);
    expect([status, body]).toEqual([202, { job_id: expect.stringMatching(/^[0-9a-f]{32}$/), status: 'pending' }]);
    return (body as { job_id: string }).job_id;
  };
  const job = async (service: Scenario, id: string, as: Record<string, string> = ann) => {
    const { status, body } = await service.ask('GET', `/jobs/${id}`, undefined, as);
    return { status, body };
  };
  /** What the shop answers once it is released. */
  const held = () => {
    const waiting: (() => void)[] = [];
    shop.react = () => (response) =>
      void waiting.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7}'));
    return { waiting, release: () => waiting.splice(0).forEach((answer) => void answer()) };
  };

  test('X-06, R-51: the same message at three consumers at once is one call', async () => {
    const services = await startAll(3);
    await until(async () => (await queue.counts()).consumers === 3);
    const { waiting, release } = held();
    await queue.publish(Array(6).fill(price('a', 1)));
    await until(() => waiting.length === 1 && shop.received.length === 1);
    await until(async () => (await queue.counts()).ready === 0);
    release();
    await until(async () => (await dropped(services, 'price')) === 5);
    expect(sent()).toEqual([['/price', price('a', 1)]]);
    shop.react = () => ({ body: {} });
    await queue.publish([price('a', 2), price('b', 1)]);
    await until(() => shop.received.length === 3);
    const acquired = await Promise.all(
      services.map((service) => service.metric('svc_lock_acquired_total{flow="price",purpose="dedupe"}')),
    );
    expect(acquired.reduce((sum, count) => (sum ?? 0) + (count ?? 0), 0)).toBeGreaterThanOrEqual(3);
  });

  test('R-10: a message whose write failed is written when it comes again, and dropped from then on', async () => {
    const service = await start();
    let fails = 1;
    shop.react = () => (fails-- > 0 ? { status: 503 } : { body: {} });
    await queue.publish([price('a', 1)]);
    await until(() => shop.received.length === 2);
    await queue.publish([price('a', 1)]);
    await until(async () => (await dropped([service], 'price')) === 1);
    expect(sent()).toEqual(Array(2).fill(['/price', price('a', 1)]));
    expect(service.log).toMatch(/message is tried again/);
  });

  test('facets are written apart', async () => {
    const service = await start();
    const offer = (amount: number, stock: number) => service.ask('POST', '/offers', { sku: 'a', price: amount, stock });
    expect((await offer(1, 1)).body).toMatchObject({ success: true });
    await offer(1, 2);
    await offer(2, 2);
    expect((await offer(2, 2)).body).toEqual({ status: 'dropped', reason: 'dedupe_match' });
    expect(
      sent()
        .map(([url]) => url)
        .slice(2),
    ).toEqual(['/offer/stock', '/offer/price']);
  });

  test('R-52: fifty requests with one key at two processes are one payment and forty-nine replays', async () => {
    const services = (await startAll(2)) as [Scenario, Scenario];
    const { waiting, release } = held();
    const answers = Array.from({ length: 50 }, (_, at) => pay(services[at % 2] as Scenario, 'k'));
    await until(() => waiting.length === 1);
    release();
    const settled = await Promise.all(answers);
    expect(settled.map(({ status, body }) => [status, body])).toEqual(Array(50).fill([201, { payment: 7 }]));
    shop.react = () => ({ body: { id: 7 } });
    const isReplayed = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
    expect([settled.filter(isReplayed).length, shop.received.length]).toEqual([49, 1]);
    const [service] = services;
    expect(await pay(service, 'k', 6)).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect([isReplayed(await pay(service, 'k')), isReplayed(await pay(service, ''))]).toEqual([true, false]);
    expect(shop.received.length).toBe(2);
  });

  test('X-08: what a process was doing when it was killed: a retry pays again, a job is shown as interrupted', async () => {
    const [killed, service] = (await startAll(2)) as [Scenario, Scenario];
    const { waiting } = held();
    void pay(killed, 'k').catch(() => undefined);
    const id = await begin(killed);
    await until(() => waiting.length === 2);
    await killed.stop('SIGKILL');
    expect(await pay(service, 'k')).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await job(service, id)).toEqual({ status: 200, body: { job_id: id, flow: 'report', status: 'pending' } });
    shop.react = () => ({ body: { id: 8 } });
    const retried = await until(async () => {
      const answer = await pay(service, 'k');
      return answer.status === 201 ? answer : undefined;
    });
    expect([retried.body, sent().filter(([url]) => url === '/pay').length]).toEqual([{ payment: 8 }, 2]);
    await until(async () => ((await job(service, id)).body as { status: string }).status === 'failed');
    expect(await job(service, id)).toEqual({
      status: 200,
      body: { job_id: id, flow: 'report', status: 'failed', error: 'interrupted' },
    });
    expect(sent().filter(([url]) => url === '/report').length).toBe(1);
  });

  test('a job ends before its process does, and is shown by the next one, to its caller alone', async () => {
    const first = await start();
    const { waiting, release } = held();
    const id = await begin(first);
    await until(() => waiting.length === 1);
    const stopped = first.stop();
    await until(() => first.log.includes('stopping'));
    release();
    expect(await stopped).toEqual({ code: 0, signal: null });
    const next = await start();
    expect(await job(next, id)).toEqual({
      status: 200,
      body: { job_id: id, flow: 'report', status: 'completed', result: { id: 7 } },
    });
    expect(await job(next, id, {})).toMatchObject({ status: 401 });
    const unknown = { status: 404, body: { error: 'job not found', code: 'not_found' } };
    expect([await job(next, id, basic('bob', 'b')), await job(next, 'f'.repeat(32))]).toEqual([unknown, unknown]);
  });

  test('S-96: while the store is unavailable nothing is done; messages wait, requests are refused', async () => {
    const service = await start();
    proxy.fault = 'refuse';
    proxy.reset();
    await until(() => service.log.includes('the cache is unavailable'));
    for (const answer of [
      await pay(service, 'k'),
      await service.ask('POST', '/offers', { sku: 'a', price: 1, stock: 1 }),
      await service.ask('POST', '/reports', {}, ann),
      await service.ask('GET', `/jobs/${'f'.repeat(32)}`, undefined, ann),
    ])
      expect(answer).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
        body: { code: 'store_unavailable' },
      });
    await queue.publish([price('a', 1)]);
    await until(() => service.log.includes('message is tried again'));
    expect(shop.received).toEqual([]);
    proxy.fault = 'pass';
    await until(() => shop.received.length === 1);
    expect(sent()).toEqual([['/price', price('a', 1)]]);
    expect((await pay(service, 'k')).status).toBe(201);
  });
});
