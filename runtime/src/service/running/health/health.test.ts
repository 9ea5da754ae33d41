import { describe, expect, test } from 'vitest';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import { fakeTarget, memoryLog } from '../testing/fakes.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { type HealthIdentity, HealthMonitor, healthAnswer, livenessAnswer, readinessAnswer } from './health.ts';

const identity: HealthIdentity = {
  service: 'orders',
  version: '1.0.0',
  uptime: 12,
  timestamp: '2026-01-01T00:00:00.000Z',
  production: false,
};

const watched = (resource: Connector, optional = false) => ({ resource, name: resource.name, optional });

function monitor(checks: Record<string, Connector['check']>) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const health = new HealthMonitor(clock, log);
  health.watch(Object.entries(checks).map(([name, check]) => watched(fakeTarget(name, [], check && { check }))));
  return { clock, health, lines };
}

describe('R-89', () => {
  test('a connector has the state of its last check; the check runs every five seconds', async () => {
    let fails = false;
    let count = 0;
    const { clock, health, lines } = monitor({
      db: async () => {
        count++;
        if (fails) throw new Error('connection lost to postgres://u:p@db');
      },
      api: undefined,
    });
    await clock.pass(0);
    expect(health.components()).toEqual({
      db: { status: 'healthy', latency_ms: 0 },
      api: { status: 'healthy', latency_ms: 0 },
    });
    fails = true;
    await clock.pass(4_999);
    expect(count).toBe(1);
    await clock.pass(1);
    expect(health.components()['db']).toEqual({
      status: 'unhealthy',
      latency_ms: 0,
      message: 'connection lost to postgres://u:***@db',
    });
    fails = false;
    await clock.pass(5_000);
    expect(health.components()['db']).toEqual({ status: 'healthy', latency_ms: 0 });
    expect(lines.map(({ message }) => message)).toEqual(['connector is unhealthy', 'connector is healthy again']);
    health.stop();
    expect(clock.sleeping).toBe(0);
  });

  test('R-72: one that reports a reduced function is degraded; readiness stays 200', async () => {
    const { clock, health } = monitor({ orders: async () => 'deliveries pause: one message after another fails' });
    await clock.pass(0);
    const report = { notReady: undefined, components: health.components() };
    expect(report.components).toEqual({
      orders: { status: 'degraded', latency_ms: 0, message: 'deliveries pause: one message after another fails' },
    });
    expect([readinessAnswer(report).status, healthAnswer(report, identity).status, health.isUp('orders')]).toEqual([
      200,
      200,
      true,
    ]);
    health.stop();
  });

  test('one that is optional degrades the service, which stays ready, and has its own state in metrics', async () => {
    const { clock, health } = monitor({});
    const failing = fakeTarget('search', [], { check: () => Promise.reject(new Error('away')) });
    health.watch([watched(failing, true)]);
    await clock.pass(0);
    const report = { notReady: undefined, components: health.components() };
    expect(report.components).toEqual({ search: { status: 'degraded', latency_ms: 0, message: 'away' } });
    expect([healthAnswer(report, identity).status, readinessAnswer(report).status]).toEqual([200, 200]);
    expect([health.isUp('search'), health.isUp('nothing')]).toEqual([false, true]);
    // The next configuration may set it differently for the same connector.
    health.watch([watched(failing)]);
    expect(health.components()['search']?.status).toBe('unhealthy');
    health.stop();
  });

  test('a check that hangs never delays an answer, and is unhealthy after its five seconds', async () => {
    const { clock, health } = monitor({ db: () => new Promise(() => undefined) });
    await clock.pass(4_999);
    expect(health.components()['db']?.status).toBe('healthy');
    await clock.pass(1);
    expect(health.components()['db']).toEqual({
      status: 'unhealthy',
      latency_ms: 5_000,
      message: 'no response within 5 s',
    });
    health.stop();
  });

  test('a slow check is degraded', async () => {
    let answer: () => void = () => undefined;
    const { clock, health } = monitor({
      db: () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    });
    await clock.pass(1_001);
    answer();
    await clock.pass(0);
    expect(health.components()['db']).toEqual({
      status: 'degraded',
      latency_ms: 1_001,
      message: 'the check took 1001 ms',
    });
    health.stop();
  });

  test('a connector that the next generation takes over keeps its result', async () => {
    const clock = new ManualClock();
    const health = new HealthMonitor(clock, memoryLog().log);
    const kept = fakeTarget('db', [], { check: () => Promise.reject(new Error('away')) });
    health.watch([watched(kept), watched(fakeTarget('old', []))]);
    await clock.pass(0);
    health.watch([watched(kept), watched(fakeTarget('new', []))]);
    expect(Object.entries(health.components()).map(([name, { status }]) => `${name} ${status}`)).toEqual([
      'db unhealthy',
      'new healthy',
    ]);
    health.stop();
  });
});

describe('answers', () => {
  const healthy = { status: 'healthy', latency_ms: 3 } as const;
  const degraded = { status: 'degraded', latency_ms: 1_200, message: 'slow' } as const;
  const unhealthy = { status: 'unhealthy', latency_ms: 5_000, message: 'no response within 5 s' } as const;

  test.each([
    [{}, 200, 'healthy', 200],
    [{ a: healthy }, 200, 'healthy', 200],
    [{ a: healthy, b: degraded }, 200, 'degraded', 200],
    [{ a: degraded, b: unhealthy }, 503, 'unhealthy', 503],
  ])('R-89: %j', (components, status, word, ready) => {
    const report = { notReady: undefined, components };
    const answer = healthAnswer(report, identity);
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({
      status,
      body: {
        status: word,
        service: 'orders',
        version: '1.0.0',
        uptime: 12,
        timestamp: '2026-01-01T00:00:00.000Z',
        components,
      },
    });
    expect(readinessAnswer(report).status).toBe(ready);
    expect(livenessAnswer()).toEqual({
      status: 200,
      contentType: 'application/json; charset=utf-8',
      body: '{"status":"alive"}',
    });
  });

  test('production shows neither messages nor latencies', () => {
    const { body } = healthAnswer(
      { notReady: undefined, components: { db: unhealthy } },
      { ...identity, production: true },
    );
    expect(JSON.parse(body).components).toEqual({ db: { status: 'unhealthy' } });
  });

  test('readiness names the first reason', () => {
    const reason = (notReady: string | undefined) =>
      JSON.parse(readinessAnswer({ notReady, components: { a: healthy, db: unhealthy, c: unhealthy } }).body);
    expect(reason('shutting down')).toEqual({ status: 'not_ready', reason: 'shutting down' });
    expect(reason(undefined)).toEqual({ status: 'not_ready', reason: 'connector "db" is unhealthy' });
  });
});
