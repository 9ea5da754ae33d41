import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { addressOf } from '../../../platform/net/redis/address.ts';
import { describeCall } from '../../database/testing/parts.ts';
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
  test('R-61: many processes share one bucket: no more than rate times window plus burst pass', async () => {
    const prefix = `svc-test:${randomUUID()}`;
    const caches = await Promise.all([open({ prefix }), open({ prefix }), open({ prefix })]);
    const started = performance.now();
    let [passed, asked] = [0, 0];
    // A busy machine asks less in that time than it could be given.
    while (performance.now() - started < 600 || asked < 60) {
      const answers = await Promise.all(
        caches.flatMap(({ storage }) => [1, 2].map(() => storage.takeToken?.('k', 50, 10))),
      );
      passed += answers.filter((answer) => answer?.allowed).length;
      asked += answers.length;
    }
    const seconds = (performance.now() - started) / 1000;
    expect(passed).toBeGreaterThanOrEqual(20);
    expect(passed).toBeLessThanOrEqual(50 * seconds + 10);
  });

  test('a token reports how many are left and when the next one is available', async () => {
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
    await storage.add('n', 1n, 1000);
    const costs: number[] = [];
    const operations = [
      () => storage.get('a'),
      () => storage.set('a', '1', 1000),
      () => storage.delete(['a', 'b']),
      () => storage.setIfAbsent('c', '1', 1000),
      () => storage.replace('c', '1', '2', 1000),
      () => storage.deleteIf('c', '2'),
      () => storage.has('a'),
      () => storage.remaining('a'),
      () => storage.add('n', 1n, 1000),
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

  test('a server that does not answer is waited for no longer than the timeout', async () => {
    const { proxy, cache } = await behindProxy({ timeout: 1_000 });
    proxy.fault = 'blackhole';
    const outcomes = await Promise.all([1, 2, 3].map(() => failure(cache.storage.get('a'))));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(3).fill('store_unavailable'));
    proxy.fault = 'pass';
    await expect.poll(() => Promise.resolve(cache.storage.get('a')).catch(() => 'away')).toBe(undefined);
  });

  test('A-10: a count that was sent and not answered may have happened, and says so; one that was not sent does not', async () => {
    const { proxy, cache } = await behindProxy({ timeout: 1_000 });
    const count = cache.target?.prepare(describeCall('call', { operation: 'increment' }));
    const read = cache.target?.prepare(describeCall('call', { operation: 'get' }));
    const request = { params: { key: 'n' } };
    expect(await count?.(request)).toEqual({ value: 1 });
    proxy.fault = 'blackhole';
    const outcomes = await Promise.all([failure(count?.(request)), failure(read?.(request))]);
    expect(outcomes.map(({ code }) => code)).toEqual(['outcome_unknown', 'connector_timeout']);
    proxy.fault = 'refuse';
    proxy.reset();
    await expect.poll(async () => (await failure(count?.(request))).code).toBe('connector_refused');
  });

  test('what the server refuses for its content is not taken for an absent server', async () => {
    const { storage } = await open();
    await storage.set('k', 'text', undefined);
    const refused = await failure(storage.takeToken?.('k', 1, 1));
    expect(refused.code).toBe('connector_failed');
  });

  test('prefixes and databases keep their entries apart', async () => {
    const prefix = `svc-test:${randomUUID()}`;
    const [one, same, other, elsewhere] = await Promise.all([
      open({ prefix }),
      open({ prefix }),
      open({ prefix: `${prefix}:b` }),
      open({ prefix, db: 1 }),
    ]);
    await one.storage.set('k', 'kept', 60_000);
    const found = [same, other, elsewhere].map(({ storage }) => storage.get('k'));
    expect(await Promise.all(found)).toEqual(['kept', undefined, undefined]);
  });

  test('an entry that does not say it lives as long as default_ttl', async () => {
    const [brief, lasting] = [await open({ default_ttl: 20 }), await open()];
    for (const { storage } of [brief, lasting]) await storage.set('k', 'kept', undefined);
    await until(async () => (await brief.storage.get('k')) === undefined);
    expect(await lasting.storage.get('k')).toBe('kept');
  });

  test('a database that is not there fails at start', async () => {
    expect((await failure(open({ db: 9999 }))).code).toBe('store_unavailable');
  });
});

describe.skipIf(spawnSync('redis-server', ['--version']).status !== 0)('a server of its own', () => {
  const user = ['--user', 'app', 'on', '>theirs', '~*', '&*', '+@all'];

  async function start(port: number) {
    const process = spawn('redis-server', ['--port', String(port), '--save', '', '--requirepass', 'right', ...user], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => process.once('exit', resolve));
    const stop = () => {
      process.kill('SIGKILL');
      return ended;
    };
    cleanups.push(stop);
    await expect.poll(() => isListening(port)).toBe(true);
    return stop;
  }

  test('a user has a name and a password of their own', async () => {
    const port = await freePort();
    await start(port);
    const url = `redis://127.0.0.1:${port}`;
    const isOpen = (who: Record<string, unknown>) =>
      open({ url, ...who }).then(
        () => true,
        () => false,
      );
    expect([
      await isOpen({ username: 'app', password: 'theirs' }),
      await isOpen({ username: 'app', password: 'right' }),
      await isOpen({ password: 'theirs' }),
      await isOpen({ password: 'right' }),
    ]).toEqual([true, false, false, true]);
  });

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
    await expect.poll(again).toMatchObject({ allowed: true, remaining: 2 });
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

test('host and port are where it is looked for', async () => {
  const looked = async (host: string, port: number) =>
    (await failure(open({ url: undefined, host, port }))).message.split(': ')[0];
  const [one, other] = [await freePort(), await freePort()];
  expect([await looked('127.0.0.1', one), await looked('127.0.0.1', other), await looked('localhost', one)]).toEqual([
    `127.0.0.1:${one}`,
    `127.0.0.1:${other}`,
    `localhost:${one}`,
  ]);
});

test('a connection that is not made in time ends the start', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, 'localhost', resolve));
  cleanups.push(() => silent.close());
  const url = `rediss://localhost:${(silent.address() as AddressInfo).port}`;
  const given = new AbortController();
  const slow = create(
    'c',
    configured(kvCache.config, { url, timeout: 600_000, pool: { connect_timeout: 600_000 } }),
    connectorServices(),
  );
  let hasEnded = false;
  const waiting = Promise.resolve(slow.open(given.signal)).catch(() => void (hasEnded = true));
  const refused = await failure(open({ url, timeout: 600_000, pool: { connect_timeout: 50 } }));
  expect([refused.code, hasEnded]).toEqual(['store_unavailable', false]);
  given.abort();
  await waiting;
  await slow.close();
});

test('what the client cannot do is refused by name', () => {
  const { pool, cluster, sentinel } = kvCache.config.blocks;
  expect([pool.unavailable, cluster.unavailable, sentinel.unavailable]).toEqual([
    ['max_connections', 'min_idle', 'max_idle_time'],
    ['route_by_latency'],
    ['route_by_latency', 'route_randomly'],
  ]);
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
  expect(() => read({ url: 'redis://' })).toThrow('"url" is not the address');
});
