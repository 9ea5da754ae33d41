import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { ask, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const server = process.env['TEST_REDIS_URL'];
const keys = ['locked', 'permitted', 'signalled'] as const;

describe.skipIf(brokerUrl === undefined || server === undefined)('messages that wait for others', () => {
  const redis = new Redis(server as string, { lazyConnect: true });
  let stock: Upstream;
  let queue: TestQueue;
  let proxy: FaultProxy;
  const running: Scenario[] = [];

  beforeAll(async () => {
    await redis.connect();
    stock = await startUpstream();
    const { hostname, port } = new URL(brokerUrl as string);
    proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
  });

  afterAll(async () => {
    redis.disconnect();
    await stock?.close();
    await proxy?.close();
  });

  beforeEach(async () => {
    stock.received.length = 0;
    queue = await TestQueue.declare();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.end()));
    await free();
    await redis.del(`svc:coord:${queue.name}`);
    await queue.end();
  });

  async function start(): Promise<Scenario> {
    const broker = new URL(brokerUrl as string);
    broker.host = `127.0.0.1:${proxy.port}`;
    const service = await startScenario(import.meta.dirname, {
      env: { BROKER_URL: broker.href, QUEUE: queue.name, STOCK_URL: stock.address, REDIS_URL: server as string },
    });
    running.push(service);
    return service;
  }

  /** Another process has the lock and the only permit, and gives no signal. */
  async function occupy(): Promise<void> {
    await redis.set(`svc:lock:${queue.name}`, 'another', 'PX', 300_000);
    await redis.zadd(`svc:sem:${queue.name}`, Date.now() + 300_000, 'another');
  }

  async function free(): Promise<void> {
    await redis.del(`svc:lock:${queue.name}`, `svc:sem:${queue.name}`);
  }

  /** As `coordinate` does. */
  async function signal(): Promise<void> {
    await redis.set(`svc:coord:${queue.name}`, '1', 'PX', 60_000);
    await redis.publish(`svc:coord:signal:${queue.name}`, '');
  }

  const waiting = (service: Scenario) => service.metric('svc_coordinate_active_waits{flow="signalled"}');

  /** Publishes one message for each kind of wait, and resolves when all of them wait. */
  async function letAllWait(service: Scenario): Promise<void> {
    for (const [at, key] of keys.entries()) await queue.publish([{ n: at }], { key });
    await until(async () => (await queue.counts()).ready === 0);
    await until(async () => (await waiting(service)) === 1);
  }

  const written = () => stock.received.map(({ url }) => url).toSorted();
  const once = keys.map((key) => `/${key}`);

  test('go back to their queue at once when the service stops, and are handled by the next one', async () => {
    await occupy();
    const first = await start();
    await letAllWait(first);
    const began = performance.now();
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await queue.counts()).toEqual({ ready: 3, consumers: 0 });
    expect([written(), first.log.includes('cut off')]).toEqual([[], false]);
    await free();
    await signal();
    const second = await start();
    await until(() => stock.received.length === 3);
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    expect([written(), await queue.counts()]).toEqual([once, { ready: 0, consumers: 0 }]);
  });

  test('are given up when the broker delivers them again, and are handled once', async () => {
    await occupy();
    const service = await start();
    await letAllWait(service);
    proxy.reset();
    const canceled = (flow: string) => service.metric(`svc_flow_executions_total{flow="${flow}",status="error"}`);
    for (const flow of keys) await until(async () => (await canceled(flow)) === 1);
    await until(async () => (await waiting(service)) === 1);
    await free();
    await signal();
    await until(() => stock.received.length === 3);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect([written(), await queue.counts()]).toEqual([once, { ready: 0, consumers: 0 }]);
  });

  test('requests wait on while the service stops, and are answered', async () => {
    await occupy();
    const service = await start();
    const asked = service.ask('POST', '/asked', {});
    await until(async () => (await service.metric('svc_requests_in_flight{method="POST",path="/asked"}')) === 1);
    const stopped = service.stop();
    await until(async () => (await ask('GET', `${service.admin}/health/ready`)).status === 503);
    await free();
    expect(await asked).toMatchObject({ status: 200, body: { done: true } });
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  test('what is held when a service stops is free for others', async () => {
    const service = await start();
    let answer: (() => void) | undefined;
    stock.react = () => (response) => void (answer = () => response.end('{}'));
    await queue.publish([{ n: 1 }], { key: 'locked' });
    await until(() => answer !== undefined);
    const stopped = service.stop();
    await until(async () => (await queue.counts()).consumers === 0);
    answer?.();
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(await redis.exists(`svc:lock:${queue.name}`)).toBe(0);
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
    stock.react = () => ({ body: {} });
  });
});
