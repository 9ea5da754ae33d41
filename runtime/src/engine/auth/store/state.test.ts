import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { MemoryStateStore } from './memory/state.ts';
import type { RedisStateStore } from './redis/state.ts';
import type { StateStore } from './state.ts';
import { redisStateOf } from './testing/redis-state.ts';
import { stateConformance } from './testing/state-conformance.ts';
import { at, long, many, run, type StateSubject, sessionOf, ticketOf, unique } from './testing/state-subject.ts';

const server = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(async () => {
  if (server === undefined) return;
  const redis = new Redis(server);
  for await (const keys of redis.scanStream({ match: `svc:auth:${run}:*`, count: 1000 }))
    if (keys.length > 0) await redis.del(keys as string[]);
  redis.disconnect();
});

async function memory(): Promise<StateSubject> {
  const clock = new ManualClock();
  const store = new MemoryStateStore(clock);
  await store.open();
  const pass = async (milliseconds: number) => {
    // The time of the day is set back and forth meanwhile, which changes nothing.
    clock.set(milliseconds % 10_000 === 0 ? -86_400_000 : 86_400_000);
    await clock.pass(milliseconds);
  };
  return { store, another: store, pass, close: () => store.close() };
}

async function openRedis(url = server): Promise<RedisStateStore> {
  const store = redisStateOf(url);
  await store.open(never);
  return store;
}

async function redis(): Promise<StateSubject> {
  const [store, another] = [await openRedis(), await openRedis()];
  const client = new Redis(server as string);
  const pass = (milliseconds: number) => client.eval(passScript, 0, `svc:auth:${run}:*`, milliseconds);
  const close = () => Promise.all([store.close(), another.close(), client.quit()]);
  return { store, another, pass, close };
}

/**
 * Time passes for the keys of this run: what they end by is earlier by it. No test waits for it then, and none has to be
 * quicker than a busy machine is. ARGV: the pattern of keys, milliseconds.
 */
const passScript = `
local by = tonumber(ARGV[2])
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local left = redis.call('PTTL', key)
  if left >= 0 and left <= by then redis.call('DEL', key)
  elseif left >= 0 then
    if redis.call('TYPE', key).ok == 'hash' then
      for _, field in ipairs({'ends', 'spentAt'}) do
        local time = redis.call('HGET', key, field)
        if time then redis.call('HSET', key, field, string.format('%.0f', time - by)) end
      end
    elseif string.find(key, ':rate:', 1, true) then
      redis.call('SET', key, string.format('%.0f', redis.call('GET', key) - by * 1000))
    end
    redis.call('PEXPIRE', key, left - by)
  end
end`;

interface Kind {
  readonly kind: string;
  readonly make: () => Promise<StateSubject>;
  readonly skip: boolean;
}

const subjects: readonly Kind[] = [
  { kind: 'memory', make: memory, skip: false },
  { kind: 'redis', make: redis, skip: server === undefined },
];

for (const { kind, make, skip } of subjects) describe.skipIf(skip)(kind, () => stateConformance(make));

/** Each request that a store answers. */
function requests(store: StateStore): Readonly<Record<string, () => unknown>> {
  const { sessions, attempts, tickets } = store;
  const policy = { max: 5, window: 60_000, lockout: 60_000 };
  const key = unique('key');
  const ticket = ticketOf(key, key);
  return {
    begin: () => sessions.begin(sessionOf(key), long, many, ''),
    find: () => sessions.find(key),
    use: () => sessions.use(key, at, 0),
    rotate: () => sessions.rotate(key, { from: 'a', to: 'b', client: 'c', leeway: 0, at }),
    setFacts: () => sessions.setFacts(key, {}),
    of: () => sessions.of(key),
    end: () => sessions.end(key, key),
    endAll: () => sessions.endAll(key),
    firstUse: () => sessions.firstUse(key, 1_000),
    attempt: () => attempts.attempt(key, policy),
    failed: () => attempts.failed(key, policy),
    succeeded: () => attempts.succeeded(key),
    withdrawn: () => attempts.withdrawn(key),
    issue: () => tickets.issue(ticket, 1_000, true),
    peek: () => tickets.peek('reset', ticket.digest),
    take: () => tickets.take('reset', ticket.digest),
    dropAll: () => tickets.dropAll('reset', key),
    takeToken: () => store.takeToken(key, 1, 1),
  };
}

describe.skipIf(server === undefined)('a server', () => {
  const behindProxy = async () => {
    const { hostname, port } = new URL(server as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    cleanups.push(() => proxy.close());
    const store = await openRedis(`redis://127.0.0.1:${proxy.port}`);
    cleanups.push(() => store.close());
    return { proxy, store };
  };

  test('ends by its own clock what is not used', async () => {
    const store = await openRedis();
    cleanups.push(() => store.close());
    const { sessions, attempts, tickets } = store;
    const policy = { max: 1, window: 60_000, lockout: 50 };
    const [session, ticket, key] = [sessionOf(unique('user')), ticketOf(unique('user'), unique('s')), unique('key')];
    await sessions.begin(session, { absolute: 60_000, idle: 50, extends: true }, many, '');
    await tickets.issue(ticket, 50, false);
    expect(await attempts.failed(key, policy)).toBe(true);
    await until(async () => (await sessions.find(session.id)) === undefined);
    await until(async () => (await tickets.peek(ticket.kind, ticket.digest)) === undefined);
    await until(async () => (await attempts.attempt(key, policy)).allowed);
    expect(await sessions.use(session.id, at, 0)).toBe(undefined);
  });

  test('every step is one round trip', async () => {
    const { proxy, store } = await behindProxy();
    await store.check();
    proxy.latency = 20;
    const turns: Record<string, number> = {};
    for (const [name, ask] of Object.entries(requests(store))) {
      proxy.turns = 0;
      await ask();
      turns[name] = proxy.turns;
    }
    expect(turns).toEqual(Object.fromEntries(Object.keys(turns).map((name) => [name, 1])));
    expect(Object.keys(turns)).toHaveLength(18);
  });

  test.each(['refuse', 'blackhole', 'cut'] as const)(
    'one that is unavailable (%s) fails every request',
    async (fault) => {
      const { proxy, store } = await behindProxy();
      await store.check();
      proxy.fault = fault;
      if (fault === 'refuse') proxy.reset();
      const asked = Object.values(requests(store)).map(async (ask) => ask());
      const codes = (await Promise.allSettled(asked)).map((result) =>
        result.status === 'rejected' ? (result.reason as { readonly code: string }).code : result.value,
      );
      expect(codes).toEqual(codes.map(() => 'store_unavailable'));
      proxy.fault = 'pass';
    },
  );

  test('a store that was not opened, or is closed, answers nothing', async () => {
    const store = redisStateOf(server);
    await expect(store.sessions.find('x')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.open(never);
    await store.close();
    await expect(store.sessions.find('x')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('what is kept holds no secret of a ticket, ends by itself, and has the names that are documented', async () => {
    const store = await openRedis();
    const raw = new Redis(server as string);
    cleanups.push(
      () => raw.disconnect(),
      () => store.close(),
    );
    const [user, secret] = [unique('user'), unique('secret')];
    const session = sessionOf(user);
    const ticket = ticketOf(user, secret);
    await store.sessions.begin(session, long, many, '');
    await store.tickets.issue(ticket, 60_000, true);
    await store.sessions.firstUse(user, 60_000);
    await store.attempts.attempt(user, { max: 1, window: 60_000, lockout: 60_000 });
    await store.takeToken(user, 1, 1);
    const keys = [
      `svc:auth:${run}:session:${session.id}`,
      `svc:auth:${run}:session:user:${user}`,
      `svc:auth:${run}:reset:${ticket.digest}`,
      `svc:auth:${run}:reset:user:${user}`,
      `svc:auth:${run}:token:blacklist:${user}`,
      `svc:auth:${run}:bf:attempts:${user}`,
      `svc:auth:${run}:rate:${user}`,
    ];
    for (const key of keys) {
      expect([key, (await raw.pttl(key)) > 0]).toEqual([key, true]);
      expect((await raw.dumpBuffer(key))?.includes(secret)).toBe(false);
    }
    await store.attempts.failed(user, { max: 1, window: 60_000, lockout: 60_000 });
    expect(await raw.pttl(`svc:auth:${run}:bf:lockout:${user}`)).toBeGreaterThan(50_000);
    await store.sessions.endAll(user);
    await store.tickets.take('reset', ticket.digest);
    await store.attempts.succeeded(user);
    const left = await Promise.all(keys.map(async (key) => ((await raw.exists(key)) === 1 ? [key] : [])));
    expect(left.flat()).toEqual([`svc:auth:${run}:token:blacklist:${user}`, `svc:auth:${run}:rate:${user}`]);
  });
});
