import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../test/support/proxy.ts';
import { redis as servers } from '../../../../test/support/servers/redis.ts';
import { until } from '../../../../test/support/until.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { addressOf } from '../net/redis/address.ts';
import { MemorySyncStore } from './memory/store.ts';
import { RedisSyncStore } from './redis/store.ts';
import type { SyncStore } from './store.ts';

/** A store under test, how its time passes, and names that no other test uses. */
interface Subject {
  readonly store: SyncStore;
  readonly pass: (milliseconds: number) => Promise<unknown>;
  readonly name: (key: string) => string;
}

const server = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;
const run = `test-${randomUUID()}`;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(async () => {
  if (server === undefined) return;
  const redis = new Redis(server);
  for await (const keys of redis.scanStream({ match: `svc:*${run}*`, count: 1000 }))
    if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
});

function named(): Subject['name'] {
  const own = `${run}:${randomUUID()}`;
  return (key) => `${own}:${key}`;
}

async function memory(): Promise<Subject> {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  await store.open();
  cleanups.push(() => store.close());
  return { store, pass: (milliseconds) => clock.pass(milliseconds), name: named() };
}

async function redis(url = server, log = recordingLog()): Promise<Subject & { readonly store: RedisSyncStore }> {
  const store = new RedisSyncStore('sync:redis', addressOf({ url, host: '', port: 0 }), log);
  cleanups.push(() => store.close());
  await store.open(never);
  const name = named();
  return { store, pass: (milliseconds) => passAt(server as string, name('*'), milliseconds), name };
}

/**
 * Time passes for these keys of a server: what they end by is earlier by it. No test waits for it then, and none has to be
 * quicker than a busy machine is.
 */
async function passAt(url: string, pattern: string, milliseconds: number): Promise<void> {
  const client = new Redis(url);
  try {
    await client.eval(passScript, 0, `svc:*${pattern}`, milliseconds);
  } finally {
    client.disconnect();
  }
}

/** ARGV: the pattern of keys, milliseconds. A pool has the ends of its leases for scores. */
const passScript = `
local by = tonumber(ARGV[2])
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local left = redis.call('PTTL', key)
  if left >= 0 and left <= by then redis.call('DEL', key)
  elseif left >= 0 then redis.call('PEXPIRE', key, left - by) end
  if redis.call('TYPE', key).ok == 'zset' then
    for _, lease in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      redis.call('ZADD', key, string.format('%.0f', redis.call('ZSCORE', key, lease) - by), lease)
    end
  end
end`;

async function behindProxy() {
  const { hostname, port } = new URL(server as string);
  const proxy: FaultProxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
  cleanups.push(() => proxy.close());
  const log = recordingLog();
  return { proxy, log, ...(await redis(`redis://127.0.0.1:${proxy.port}`, log)) };
}

async function failure(work: unknown): Promise<Failure> {
  return Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

/** What every store does; times are multiples of ten seconds, so that what shall last does so on the busiest machine. */
const subjects: readonly { readonly kind: string; readonly make: () => Promise<Subject>; readonly skip: boolean }[] = [
  { kind: 'memory', make: memory, skip: false },
  { kind: 'redis', make: redis, skip: server === undefined },
];

describe.each(subjects)('$kind', ({ make, skip }) => {
  test.skipIf(skip)('one owner has a lock until it releases it', async () => {
    const { store, name } = await make();
    const first = await store.acquire(name('k'), 600_000);
    expect(first).toBeDefined();
    expect(await store.acquire(name('k'), 600_000)).toBe(undefined);
    expect(await store.acquire(name('other'), 600_000)).toBeDefined();
    const owner = first?.owner ?? '';
    expect([
      await store.release(name('k'), 'another owner'),
      await store.release(name('k'), owner),
      await store.release(name('k'), owner),
    ]).toEqual([false, true, false]);
    expect(await store.acquire(name('k'), 600_000)).toBeDefined();
  });

  test.skipIf(skip)(
    'R-50: an owner that lost a lock can neither extend nor release that of the next owner',
    async () => {
      const { store, name, pass } = await make();
      const late = await store.acquire(name('k'), 10_000);
      await pass(15_000);
      const next = await store.acquire(name('k'), 600_000);
      expect(next).toBeDefined();
      expect(await store.extend(name('k'), late?.owner ?? '', 600_000)).toBe(false);
      expect(await store.release(name('k'), late?.owner ?? '')).toBe(false);
      expect(await store.acquire(name('k'), 600_000)).toBe(undefined);
      expect(await store.release(name('k'), next?.owner ?? '')).toBe(true);
    },
  );

  test.skipIf(skip)('a lock lasts from its last extension, and cannot be extended when it has ended', async () => {
    const { store, name, pass } = await make();
    const grant = await store.acquire(name('k'), 20_000);
    await pass(10_000);
    expect(await store.extend(name('k'), grant?.owner ?? '', 40_000)).toBe(true);
    await pass(20_000);
    expect(await store.acquire(name('k'), 20_000)).toBe(undefined);
    await pass(30_000);
    expect(await store.extend(name('k'), grant?.owner ?? '', 40_000)).toBe(false);
  });

  test.skipIf(skip)('tokens of a key grow, whether its lock was released or has ended', async () => {
    const { store, name, pass } = await make();
    const tokens: bigint[] = [];
    for (const ends of [true, false, true, false]) {
      const grant = await store.acquire(name('k'), ends ? 10_000 : 600_000);
      tokens.push(grant?.token ?? 0n);
      if (ends) await pass(15_000);
      else await store.release(name('k'), grant?.owner ?? '');
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
    expect(tokens).toHaveLength(4);
  });

  test.skipIf(skip)('a pool gives as many permits as it has, of leases that did not run out', async () => {
    const { store, name, pass } = await make();
    const [a, b] = [await store.takePermit(name('p'), 2, 600_000), await store.takePermit(name('p'), 2, 30_000)];
    expect([await store.takePermit(name('p'), 2, 600_000), await store.permitsTaken(name('p'))]).toEqual([
      undefined,
      2,
    ]);
    expect(await store.takePermit(name('other'), 1, 600_000)).toBeDefined();
    expect(await store.returnPermit(name('p'), a ?? '')).toBe(true);
    expect(await store.returnPermit(name('p'), a ?? '')).toBe(false);
    expect(await store.permitsTaken(name('p'))).toBe(1);
    await pass(10_000);
    expect(await store.extendPermit(name('p'), b ?? '', 40_000)).toBe(true);
    await pass(30_000);
    expect(await store.permitsTaken(name('p'))).toBe(1);
    await pass(20_000);
    expect(await store.permitsTaken(name('p'))).toBe(0);
    expect(await store.extendPermit(name('p'), b ?? '', 600_000)).toBe(false);
    expect(await store.returnPermit(name('p'), b ?? '')).toBe(false);
  });

  test.skipIf(skip)('a sequence only rises, beyond what a double holds too', async () => {
    const { store, name } = await make();
    const raise = (value: bigint) => store.raiseSequence(name('k'), value, undefined);
    expect(await store.sequence(name('k'))).toBe(undefined);
    expect([await raise(-9n), await raise(-10n), await raise(-2n), await raise(-2n), await raise(0n)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    const big = 9_223_372_036_854_775_806n;
    expect([await raise(10n), await raise(9n), await raise(big), await raise(big - 1n), await raise(big + 1n)]).toEqual(
      [true, false, true, false, true],
    );
    expect([await store.sequence(name('k')), await store.sequence(name('other'))]).toEqual([big + 1n, undefined]);
  });

  test.skipIf(skip)('a sequence is remembered for its time after the last raise', async () => {
    const { store, name, pass } = await make();
    await store.raiseSequence(name('k'), 1n, 20_000);
    await pass(10_000);
    await store.raiseSequence(name('k'), 2n, 40_000);
    await pass(20_000);
    expect(await store.raiseSequence(name('k'), 2n, 600_000)).toBe(false);
    expect(await store.sequence(name('k'))).toBe(2n);
    await pass(30_000);
    expect(await store.sequence(name('k'))).toBe(undefined);
  });

  test.skipIf(skip)('a signal wakes every waiter and stays for its time', async () => {
    const { store, name, pass } = await make();
    const woken: string[] = [];
    const leave = await store.onSignal(name('k'), () => woken.push('a'));
    await store.onSignal(name('k'), () => woken.push('b'));
    await store.onSignal(name('other'), () => woken.push(name('other')));
    expect(await store.signalled(name('k'))).toBe(false);
    await store.signal(name('k'), 30_000);
    await expect.poll(() => [...woken].sort()).toEqual(['a', 'b']);
    leave();
    leave();
    await store.signal(name('k'), 30_000);
    await expect.poll(() => [...woken].sort()).toEqual(['a', 'b', 'b']);
    expect(await store.signalled(name('k'))).toBe(true);
    await pass(40_000);
    expect(await store.signalled(name('k'))).toBe(false);
  });
});

test('the memory store removes expired state without a request', async () => {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  await store.open();
  await store.open();
  expect(clock.sleeping).toBe(1);
  store.acquire('k', 500);
  store.takePermit('p', 1, 500);
  store.signal('k', 500);
  store.raiseSequence('k', 1n, 500);
  await clock.pass(1_000);
  expect(store.size).toBe(1);
  for (let second = 0; second < 60; second++) await clock.pass(1_000);
  expect(store.size).toBe(0);
  await store.close();
  expect(clock.sleeping).toBe(0);
});

describe.skipIf(server === undefined)('a Redis server', () => {
  test('ends by its own clock what is not extended', async () => {
    const { store, name } = await redis();
    const [lock, permit] = [await store.acquire(name('k'), 50), await store.takePermit(name('p'), 1, 50)];
    await Promise.all([store.raiseSequence(name('s'), 1n, 50), store.signal(name('c'), 50)]);
    await until(async () => (await store.acquire(name('k'), 60_000)) !== undefined);
    await until(async () => (await store.permitsTaken(name('p'))) === 0);
    await until(async () => (await store.sequence(name('s'))) === undefined);
    await until(async () => !(await store.signalled(name('c'))));
    expect(await store.extend(name('k'), lock?.owner ?? '', 60_000)).toBe(false);
    expect(await store.extendPermit(name('p'), permit ?? '', 60_000)).toBe(false);
  });

  const everything = ({ store, name }: Pick<Subject, 'store' | 'name'>): readonly (() => unknown)[] => [
    () => store.acquire(name('k'), 1000),
    () => store.extend(name('k'), 'o', 1000),
    () => store.release(name('k'), 'o'),
    () => store.takePermit(name('p'), 2, 1000),
    () => store.extendPermit(name('p'), 'a', 1000),
    () => store.returnPermit(name('p'), 'a'),
    () => store.permitsTaken(name('p')),
    () => store.sequence(name('s')),
    () => store.raiseSequence(name('s'), 1n, 1000),
    () => store.signal(name('c'), 1000),
    () => store.signalled(name('c')),
    () => store.check?.(never),
  ];

  test('every step is one round trip', async () => {
    const { proxy, ...subject } = await behindProxy();
    const steps = everything(subject);
    for (const step of steps) await step();
    const costs: number[] = [];
    for (const step of steps) {
      proxy.sends = 0;
      await step();
      costs.push(proxy.sends);
    }
    expect(costs).toEqual(steps.map(() => 1));
  });

  test('steps of one turn are pipelined and happen in the order in which they were asked for', async () => {
    const { proxy, store, name } = await behindProxy();
    proxy.latency = 100;
    await store.acquire(name('warm'), 1000);
    proxy.turns = 0;
    const taken = store.acquire(name('k'), 60_000);
    const seen = store.sequence(name('k'));
    const raised = store.raiseSequence(name('k'), 7n, 1000);
    const after = store.sequence(name('k'));
    expect([(await taken) !== undefined, await seen, await raised, await after]).toEqual([true, undefined, true, 7n]);
    expect(proxy.turns).toBe(1);
  });

  test.skipIf(!servers.isInstalled())('they do so at a server that has no scripts yet, or has lost them', async () => {
    const own = await servers.start();
    cleanups.push(() => own.stop());
    const { store } = await redis(own.address);
    const admin = new Redis(own.address);
    cleanups.push(() => admin.disconnect());
    for (const number of [7n, 8n]) {
      const raised = store.raiseSequence('k', number, 10_000);
      const seen = store.sequence('k');
      expect([await raised, await seen]).toEqual([true, number]);
      await admin.script('FLUSH');
    }
  });

  test('a server that becomes unavailable fails every step at once, and is used again when it is back', async () => {
    const { proxy, log, ...subject } = await behindProxy();
    const { store, name } = subject;
    const grant = await store.acquire(name('held'), 60_000);
    proxy.fault = 'refuse';
    proxy.reset();
    await expect.poll(() => log.lines.length).toBeGreaterThan(0);
    const steps = [...everything(subject), () => store.onSignal(name('c'), () => undefined)];
    const outcomes = await Promise.all(steps.map((step) => failure(step())));
    expect(outcomes.map(({ code, retriable }) => ({ code, retriable }))).toEqual(
      steps.map(() => ({ code: 'store_unavailable', retriable: true })),
    );
    proxy.fault = 'pass';
    const extended = async () => store.extend(name('held'), grant?.owner ?? '', 60_000);
    await expect.poll(() => extended().catch(() => 'away')).toBe(true);
    const said = ({ level, message }: LogLine) => ({ level, message });
    expect(log.lines.map(said)).toEqual([
      { level: 'warn', message: 'the store of locks and signals is unavailable; reconnecting' },
      { level: 'info', message: 'the store of locks and signals is back' },
    ]);
  });

  test('every waiter of a signal is woken when the connection is back, since the signal may have been missed', async () => {
    const { proxy, store, name } = await behindProxy();
    let woken = 0;
    await store.onSignal(name('c'), () => woken++);
    proxy.reset();
    await expect.poll(() => woken).toBeGreaterThan(0);
    const before = woken;
    const publish = async () => {
      await Promise.resolve(store.signal(name('c'), 1000)).catch(() => undefined);
      return woken;
    };
    await expect.poll(publish).toBeGreaterThan(before);
  });

  test('a lock whose answer was lost is released', async () => {
    const { proxy, store, name } = await behindProxy();
    const other = await redis();
    await store.acquire(name('warm'), 1000);
    proxy.latency = 1_500;
    expect((await failure(store.acquire(name('k'), 60_000))).code).toBe('store_unavailable');
    expect(await other.store.acquire(name('k'), 100)).toBe(undefined);
    proxy.latency = 0;
    const free = async () => (await other.store.acquire(name('k'), 100)) !== undefined;
    await expect.poll(free).toBe(true);
  });

  test.each([
    ['a lock', 'lock', (store: SyncStore, key: string) => store.acquire(key, 60_000)],
    ['a permit', 'sem', (store: SyncStore, key: string) => store.takePermit(key, 1, 60_000)],
  ] as const)(
    'A-10: %s whose answer was lost with its connection is given back over the next one',
    async (_, kind, take) => {
      const { proxy, store, name } = await behindProxy();
      const client = new Redis(server as string);
      cleanups.push(() => client.disconnect());
      const isTaken = async () => (await client.exists(`svc:${kind}:${name('k')}`)) === 1;
      proxy.fault = 'hold';
      const taking = failure(take(store, name('k')));
      await until(isTaken);
      proxy.fault = 'refuse';
      proxy.reset();
      expect((await taking).code).toBe('store_unavailable');
      await until(() => proxy.refused > 0);
      expect(await isTaken()).toBe(true);
      proxy.fault = 'pass';
      await until(async () => !(await isTaken()));
    },
  );

  test('tokens grow although the server has lost them', async () => {
    const { store, name } = await redis();
    const client = new Redis(server as string);
    cleanups.push(() => client.disconnect());
    const before = await store.acquire(name('a'), 1000);
    await client.del('svc:lock');
    const after = await store.acquire(name('b'), 1000);
    expect((after?.token ?? 0n) > (before?.token ?? 0n)).toBe(true);
  });

  test('a server that cannot be reached fails the start, naming its address', async () => {
    const store = new RedisSyncStore(
      'sync:redis',
      addressOf({ url: 'redis://:secret@127.0.0.1:1', host: '', port: 0 }),
      recordingLog(),
    );
    const refused = await failure(store.open(never));
    expect([refused.code, refused.message]).toEqual([
      'store_unavailable',
      'the server of a storage block: 127.0.0.1:1: the store cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    ]);
    expect((await failure(store.acquire('k', 1))).code).toBe('store_unavailable');
    expect((await failure(store.check())).code).toBe('store_unavailable');
    await store.close();
  });
});
