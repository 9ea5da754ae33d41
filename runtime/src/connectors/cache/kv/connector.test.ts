import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import type { Connector } from '../../../contracts/connector.ts';
import type { Storage } from '../../../contracts/storage.ts';
import type { Failure } from '../../../errors/failure.ts';
import { addressOf } from '../../../net/redis/address.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const server = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

type Opened = Connector & { readonly storage: Storage };

async function open(written: Record<string, unknown> = {}, services = connectorServices()): Promise<Opened> {
  const cache = create(
    'c',
    configured(kvCache.config, { url: server, prefix: `svc-test:${randomUUID()}`, ...written }),
    services,
  );
  cleanups.push(async () => {
    await Promise.resolve(cache.storage?.deleteMatching('*')).catch(() => {});
    await cache.close();
  });
  await cache.open(never);
  return cache as Opened;
}

async function behindProxy(written: Record<string, unknown> = {}, log = recordingLog()) {
  const { hostname, port } = new URL(server as string);
  const proxy: FaultProxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
  cleanups.push(() => proxy.close());
  const url = `redis://127.0.0.1:${proxy.port}`;
  return { proxy, log, cache: await open({ url, ...written }, connectorServices({ log })) };
}

async function failure(work: unknown): Promise<Failure> {
  return Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

describe.skipIf(server === undefined)('a Redis server', () => {
  test('entries are kept, expire and are deleted', async () => {
    const { storage } = await open({ default_ttl: 60_000 });
    await storage.set('a', 'ä\n', undefined);
    await storage.set('b', '2', 20);
    expect([await storage.get('a'), await storage.get('none')]).toEqual(['ä\n', undefined]);
    await expect.poll(() => storage.get('b')).toBe(undefined);
    expect([await storage.delete(['a', 'none']), await storage.delete([]), await storage.get('a')]).toEqual([
      1,
      0,
      undefined,
    ]);
  });

  test('a glob deletes what it names below the prefix, in any number', async () => {
    const one = await open();
    const { storage } = one;
    const keys = Array.from({ length: 1200 }, (_, i) => `user:${i}`);
    await Promise.all([...keys, 'a*b', 'axb', '[x]', 'x'].map((key) => storage.set(key, '1', undefined)));
    expect([
      await storage.deleteMatching('user:?'),
      await storage.deleteMatching('a\\*b'),
      await storage.deleteMatching('[x]'),
      await storage.deleteMatching('user:*'),
    ]).toEqual([10, 1, 1, 1190]);
    expect([await storage.get('axb'), await storage.get('x')]).toEqual(['1', '1']);
  });

  test('of many who want to store an entry one does; it changes only while it holds what is expected', async () => {
    const prefix = `svc-test:${randomUUID()}`;
    const caches = await Promise.all([open({ prefix }), open({ prefix }), open({ prefix })]);
    const stored = await Promise.all(caches.map(({ storage }, at) => storage.setIfAbsent('a', String(at), 60_000)));
    expect(stored.filter(Boolean)).toEqual([true]);
    const winner = String(stored.indexOf(true));
    const { storage } = caches[0] as Opened;
    expect([
      await storage.get('a'),
      await storage.replace('a', 'other', 'x', 60_000),
      await storage.replace('none', winner, 'x', 60_000),
      await storage.deleteIf('a', 'other'),
    ]).toEqual([winner, false, false, false]);
    const replaced = await Promise.all(
      caches.map((cache, at) => cache.storage.replace('a', winner, `next ${at}`, 60_000)),
    );
    expect(replaced.filter(Boolean)).toEqual([true]);
    const next = `next ${replaced.indexOf(true)}`;
    const deleted = await Promise.all(caches.map((cache) => cache.storage.deleteIf('a', next)));
    expect([deleted.filter(Boolean), await storage.get('a')]).toEqual([[true], undefined]);
  });

  test('lifetimes of entries that were stored, replaced and kept for ever', async () => {
    const { storage } = await open();
    expect([
      await storage.setIfAbsent('brief', '1', 20),
      await storage.setIfAbsent('kept', '1', 20),
      await storage.replace('kept', '1', '2', undefined),
    ]).toEqual([true, true, true]);
    await expect.poll(() => storage.get('brief')).toBe(undefined);
    expect([await storage.get('kept'), await storage.setIfAbsent('brief', '2', undefined)]).toEqual(['2', true]);
  });

  test('R-61: many processes share one bucket: no more than rate times window plus burst pass', async () => {
    const prefix = `svc-test:${randomUUID()}`;
    const caches = await Promise.all([open({ prefix }), open({ prefix }), open({ prefix })]);
    const started = performance.now();
    let passed = 0;
    while (performance.now() - started < 600) {
      const answers = await Promise.all(
        caches.flatMap(({ storage }) => [1, 2].map(() => storage.takeToken?.('k', 50, 10))),
      );
      passed += answers.filter((answer) => answer?.allowed).length;
    }
    const seconds = (performance.now() - started) / 1000;
    expect(passed).toBeGreaterThanOrEqual(20);
    expect(passed).toBeLessThanOrEqual(50 * seconds + 10);
  });

  test('a token says how many are left and when the next one comes', async () => {
    const { storage } = await open();
    const take = () => storage.takeToken?.('k', 0.1, 2);
    expect(await take()).toEqual({ allowed: true, remaining: 1, retryAfter: 0 });
    const second = await take();
    expect(second).toMatchObject({ allowed: true, remaining: 0 });
    const third = await take();
    expect(third).toMatchObject({ allowed: false, remaining: 0 });
    for (const answer of [second, third]) {
      expect(answer?.retryAfter).toBeGreaterThan(9000);
      expect(answer?.retryAfter).toBeLessThanOrEqual(10_000);
    }
  });

  test('every operation is one round trip', async () => {
    const { proxy, cache } = await behindProxy();
    const { storage } = cache;
    // The first use of a script brings its text along.
    await storage.takeToken?.('k', 1, 1);
    await storage.replace('none', '1', '2', 1000);
    await storage.deleteIf('none', '1');
    const costs: number[] = [];
    const operations = [
      () => storage.get('a'),
      () => storage.set('a', '1', 1000),
      () => storage.delete(['a', 'b']),
      () => storage.setIfAbsent('c', '1', 1000),
      () => storage.replace('c', '1', '2', 1000),
      () => storage.deleteIf('c', '2'),
      () => storage.takeToken?.('k', 1, 1),
      () => cache.check?.(never),
    ];
    for (const operation of operations) {
      proxy.sends = 0;
      await operation();
      costs.push(proxy.sends);
    }
    expect(costs).toEqual(operations.map(() => 1));
  });

  test('a server that goes away fails at once, and is used again when it is back', async () => {
    const { proxy, cache, log } = await behindProxy();
    await cache.storage.set('a', '1', undefined);
    proxy.fault = 'refuse';
    proxy.reset();
    await expect.poll(() => log.lines.length).toBeGreaterThan(0);
    const outcomes = await Promise.all([
      failure(cache.storage.get('a')),
      failure(cache.storage.set('a', '2', undefined)),
      failure(cache.storage.delete(['a'])),
      failure(cache.storage.deleteMatching('*')),
      failure(cache.storage.takeToken?.('k', 1, 1)),
      failure(cache.storage.setIfAbsent('a', '2', undefined)),
      failure(cache.storage.replace('a', '1', '2', undefined)),
      failure(cache.storage.deleteIf('a', '1')),
      failure(cache.check?.(never)),
    ]);
    expect(outcomes.map(({ code, retriable }) => ({ code, retriable }))).toEqual(
      Array(9).fill({ code: 'store_unavailable', retriable: true }),
    );
    proxy.fault = 'pass';
    await expect.poll(() => Promise.resolve(cache.storage.get('a')).catch(() => 'away'), { timeout: 10_000 }).toBe('1');
    expect(log.lines.map(({ level, message }) => ({ level, message }))).toEqual([
      { level: 'warn', message: 'the cache is away; reconnecting' },
      { level: 'info', message: 'the cache is back' },
    ]);
  });

  test('a server that does not answer is waited for no longer than the timeout', async () => {
    const { proxy, cache } = await behindProxy({ timeout: 1_000 });
    proxy.fault = 'blackhole';
    const outcomes = await Promise.all([1, 2, 3].map(() => failure(cache.storage.get('a'))));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(3).fill('store_unavailable'));
    proxy.fault = 'pass';
    await expect
      .poll(() => Promise.resolve(cache.storage.get('a')).catch(() => 'away'), { timeout: 10_000 })
      .toBe(undefined);
  });

  test('what the server refuses for its content is not taken for an absent server', async () => {
    const { storage } = await open();
    await storage.set('k', 'text', undefined);
    const refused = await failure(storage.takeToken?.('k', 1, 1));
    expect(refused.code).toBe('connector_failed');
  });

  test('a database that is not there fails at start', async () => {
    expect((await failure(open({ db: 9999 }))).code).toBe('store_unavailable');
  });
});

describe.skipIf(spawnSync('redis-server', ['--version']).status !== 0)('a server of its own', () => {
  async function start(port: number) {
    const process = spawn('redis-server', ['--port', String(port), '--save', '', '--requirepass', 'right'], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => process.once('exit', resolve));
    const stop = () => {
      process.kill('SIGKILL');
      return ended;
    };
    cleanups.push(stop);
    await expect.poll(() => isListening(port), { timeout: 10_000 }).toBe(true);
    return stop;
  }

  test('a wrong password fails at start; a restart is survived, scripts included', async () => {
    const port = await freePort();
    const stop = await start(port);
    const url = `redis://127.0.0.1:${port}`;
    for (const password of ['wrong', undefined]) {
      const refused = await failure(open({ url, password }));
      expect(refused.code).toBe('store_unavailable');
      expect(refused.message).not.toContain('wrong');
    }
    const { storage } = await open({ url, password: 'right' });
    expect(await storage.takeToken?.('k', 1, 3)).toMatchObject({ allowed: true, remaining: 2 });
    await stop();
    expect((await failure(storage.get('a'))).code).toBe('store_unavailable');
    await start(port);
    const again = () => Promise.resolve(storage.takeToken?.('k', 1, 3)).catch(() => undefined);
    await expect.poll(again, { timeout: 10_000 }).toMatchObject({ allowed: true, remaining: 2 });
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

test('an unreachable server fails start-up naming where it was looked for', async () => {
  const refused = await failure(open({ url: 'redis://u:secret@127.0.0.1:1' }));
  expect([refused.code, refused.message]).toEqual([
    'store_unavailable',
    '127.0.0.1:1: the store cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
  ]);
});

test('modes that are not built are refused by name', () => {
  const refused = () => create('c', configured(kvCache.config, { mode: 'cluster' }), connectorServices());
  expect(refused).toThrow('the mode "cluster" is not available');
  expect(kvCache.config.unavailable).toEqual(['cluster', 'sentinel']);
});

test('an address is read in every form', () => {
  const read = (written: Record<string, unknown>) => addressOf(configured(kvCache.config, written));
  const plain = { host: 'localhost', port: 6379, username: undefined, password: undefined, db: 0, tls: undefined };
  expect([
    read({}),
    read({ host: 'h', port: 1, db: 2, password: 'p' }),
    read({ url: 'redis://:p%40@[::1]:7/3' }),
    read({ url: 'rediss://u@h', db: 1 }),
  ]).toEqual([
    plain,
    { ...plain, host: 'h', port: 1, db: 2, password: 'p' },
    { ...plain, host: '::1', port: 7, password: 'p@', db: 3 },
    { ...plain, host: 'h', username: 'u', db: 1, tls: { servername: 'h', minVersion: 'TLSv1.2' } },
  ]);
  expect(() => read({ url: 'redis://' })).toThrow('"url" is no address');
});
