import { randomUUID } from 'node:crypto';
import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { memoryLog } from '../../running/testing/fakes.ts';
import { startText, type TextService } from '../../running/testing/text-service.ts';
import { notServed } from '../connection/access.ts';
import { DebugEntryPoint } from '../connection/entry-point.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const flow = (name: string, path: string, cache: string, more = '') => `flow "${name}" {
  from {
    connector = "api"
    operation = "GET ${path}"
  }
${cache}
  response {
    id    = "input.?id.orValue('none')"
    token = "'t-' + input.?id.orValue('')"
${more}
  }
}
`;
const cached = (lines: string) => `  cache {\n    storage = "kept"\n${lines}\n  }`;
const configuration = (cache: string) => `service {
  name       = "shop"
  admin_port = 0
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
connector "kept" {
  type        = "cache"
${cache}
  default_ttl = "10m"
}
${flow('order', '/orders/:id', cached('    ttl = "1m"\n    key = "order:${input.id}"'))}
${flow('all', '/all/:id', cached('    prefix = "v1"'))}
${flow('session', '/sessions/:api_key', cached('    key = "session:${input.api_key}"'))}
${flow('mixed', '/mixed/:id', cached('    key_from = "input.id"'))}
${flow('secret', '/secrets/:id', cached('    key = "secret:${input.id}"'), `    seen = "input.headers.?authorization.orValue('none')"`)}
${flow('watched', '/watched/:id', '')}
aspect "around_watched" {
  on   = ["watched"]
  when = "around"
  cache {
    storage = "kept"
    ttl     = "1m"
    key     = "\${_flow}:\${input.id}"
  }
}
`;

async function started(cache: string, masksNames = false) {
  const debug = new DebugEntryPoint({
    access: notServed,
    clock: systemClock,
    log: memoryLog().log,
    variables: {},
    masksNames,
    maxPause: 60_000,
  });
  const service = await startText(configuration(cache), {}, { debug });
  ends.push(() => service.stop());
  return { service, client: await attachedTo(debug) };
}

async function attachedTo(debug: DebugEntryPoint): Promise<WireClient> {
  const [ours, theirs] = joinedChannels();
  const client = new WireClient(ours);
  await debug.connect(theirs);
  await client.call('debug.attach', { capabilities: [] });
  return client;
}

/** The rejection's message. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: Error) => error.message,
  );

function behaves(cache: () => string, isShared: boolean) {
  let service: TextService;
  let client: WireClient;
  beforeEach(async () => {
    ({ service, client } = await started(cache()));
  });
  const near = (value: number) => expect.closeTo(value, -4) as number;

  test('S-08: what flows keep is listed, read, and dropped once it is unlocked: the next message is a miss', async () => {
    for (const id of ['1', '2', '1']) await service.ask('GET', `/orders/${id}`);
    const caches = await client.call('inspect.caches', {});
    const one = { aspect: '', ttlMs: 600_000, obstacle: null };
    expect(caches).toEqual([
      {
        connector: 'kept',
        driver: isShared ? 'redis' : 'memory',
        isShared,
        entries: isShared ? null : 2,
        ...{ hits: 1, misses: 2, unreadable: 0 },
        flows: [
          { ...one, flow: 'order', key: 'order:${input.id}', ttlMs: 60_000 },
          { ...one, flow: 'all', key: null },
          { ...one, flow: 'session', key: 'session:${input.api_key}' },
          { ...one, flow: 'mixed', key: 'input.id', obstacle: expect.stringContaining('set "prefix"') },
          { ...one, flow: 'secret', key: 'secret:${input.id}' },
          { ...one, flow: 'watched', aspect: 'around_watched', key: '${_flow}:${input.id}', ttlMs: 60_000 },
        ],
      },
    ]);
    const listed = await client.call('inspect.cacheKeys', { flow: 'order' });
    expect({ ...listed, keys: [...listed.keys].sort((a, b) => (a.shown < b.shown ? -1 : 1)) }).toEqual({
      isShared,
      keys: ['1', '2'].map((id) => ({
        key: `order:${id}`,
        shown: `order:${id}`,
        size: 24,
        leftMs: near(60_000),
        ageMs: expect.any(Number),
      })),
      next: null,
      more: false,
    });
    const read = () => client.call('inspect.cacheEntry', { flow: 'order', key: 'order:1' });
    expect(await read()).toEqual({
      found: true,
      value: { id: '1', token: 't-1' },
      status: null,
      problem: null,
      size: 24,
      leftMs: near(60_000),
      ageMs: expect.any(Number),
    });
    const drop = () => client.call('debug.dropCacheEntry', { flow: 'order', key: 'order:1' });
    expect(await refusal(drop())).toContain('debug.unlock');
    expect(await refusal(client.call('debug.dropCache', { flow: 'order' }))).toContain('debug.unlock');
    await client.call('debug.unlock', {});
    expect([await drop(), await drop(), (await read()).found]).toEqual([
      { ok: true, dropped: 1 },
      { ok: true, dropped: 0 },
      false,
    ]);
    await service.ask('GET', '/orders/1');
    expect(await client.call('inspect.caches', {})).toMatchObject([{ hits: 1, misses: 3 }]);
  });

  test('all answers of a flow are dropped, and of no other flow', async () => {
    for (const path of ['/orders/1', '/orders/2', '/all/1', '/watched/1', '/mixed/order:7:8'])
      await service.ask('GET', path);
    await client.call('debug.unlock', {});
    expect(await client.call('debug.dropCache', { flow: 'order' })).toEqual({ ok: true, dropped: 2, next: null });
    const left = async (name: string, aspect?: string) =>
      (await client.call('inspect.cacheKeys', { flow: name, ...(aspect && { aspect }) })).keys.map(
        ({ shown }) => shown,
      );
    expect([await left('order'), await left('all'), await left('watched', 'around_watched')]).toEqual([
      [],
      ['v1:all:id=1:'],
      ['watched:1'],
    ]);
    expect(await client.call('debug.dropCache', { flow: 'watched', aspect: 'around_watched' })).toMatchObject({
      dropped: 1,
    });
    // An entry that looks like another flow's is not in its reach.
    expect(await client.call('inspect.cacheEntry', { flow: 'order', key: 'v1:all:id=1:' })).toMatchObject({
      found: false,
    });
    expect(await client.call('debug.dropCacheEntry', { flow: 'order', key: 'v1:all:id=1:' })).toMatchObject({
      dropped: 0,
    });
    expect(await left('all')).toEqual(['v1:all:id=1:']);
  });

  test('a flow whose keys cannot be distinguished, without a cache, or that is not there is refused', async () => {
    const keys = (flow: string, aspect?: string) =>
      refusal(client.call('inspect.cacheKeys', { flow, ...(aspect && { aspect }) }));
    expect(await keys('mixed')).toContain('flow "mixed": its keys begin with a value');
    expect(await keys('watched')).toBe('flow "watched" keeps no answers in a cache');
    expect(await keys('watched', 'x')).toBe('flow "watched" keeps no answers in a cache for the aspect "x"');
    expect(await keys('absent')).toBe('there is no flow "absent"');
    expect(await refusal(client.call('inspect.cacheKeys', { flow: 'order', limit: 0 }))).toBe(
      '"limit" is a number from 1',
    );
  });
}

describe('answers in the memory of a process', () => {
  behaves(() => '  driver = "memory"', false);

  test('what is hidden is in neither keys nor values', async () => {
    const { service, client } = await started('  driver = "memory"', true);
    await service.ask('GET', '/sessions/geheim-1');
    await service.ask('GET', '/secrets/1');
    const session = await client.call('inspect.cacheKeys', { flow: 'session' });
    expect(session.keys).toMatchObject([{ key: null, shown: 'session:***' }]);
    expect(await client.call('inspect.cacheEntry', { flow: 'session', key: 'session:geheim-1' })).toMatchObject({
      found: false,
    });
    await client.call('debug.unlock', {});
    expect(await client.call('debug.dropCacheEntry', { flow: 'session', key: 'session:geheim-1' })).toMatchObject({
      dropped: 0,
    });
    expect(await client.call('inspect.cacheEntry', { flow: 'secret', key: 'secret:1' })).toMatchObject({
      found: true,
      value: null,
      problem: 'It is not shown: a rule of the flow reads what is hidden.',
    });
    const page = await client.call('inspect.cacheKeys', { flow: 'session', limit: 1 });
    await service.ask('GET', '/sessions/geheim-2');
    const cut = await client.call('inspect.cacheKeys', { flow: 'session', limit: 1 });
    expect([page.more, cut.next, cut.more]).toEqual([false, null, true]);
    expect(await client.call('debug.dropCache', { flow: 'session' })).toMatchObject({ dropped: 2 });
  });

  test('fifty reloads keep what is kept, and say what the newest configuration says', async () => {
    const { service, client } = await started('  driver = "memory"');
    await service.ask('GET', '/orders/1');
    for (let at = 0; at < 50; at++)
      await service.reload(configuration('  driver = "memory"').replace('ttl = "1m"', `ttl = "${at + 2}m"`));
    const [cache] = await client.call('inspect.caches', {});
    expect([cache?.entries, cache?.flows.length, cache?.flows[0]?.ttlMs]).toEqual([1, 6, 51 * 60_000]);
    expect((await client.call('inspect.cacheKeys', { flow: 'order' })).keys).toHaveLength(1);
  });
});

const redis = process.env['TEST_REDIS_URL'];

describe.skipIf(redis === undefined)('answers in Redis', () => {
  let proxy: FaultProxy;
  let prefix: string;
  beforeEach(async () => {
    const { hostname, port } = new URL(redis as string);
    proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    prefix = `svc-test:${randomUUID()}`;
    ends.push(() => proxy.close());
  });
  const text = () => `  driver = "redis"\n  url = "redis://127.0.0.1:${proxy.port}"\n  prefix = "${prefix}"`;
  behaves(text, true);

  test('two services on one server see and drop the same', async () => {
    const first = await started(text());
    const second = await started(text());
    await first.service.ask('GET', '/orders/1');
    await second.client.call('debug.unlock', {});
    expect((await second.client.call('inspect.cacheKeys', { flow: 'order' })).keys).toHaveLength(1);
    expect(await second.client.call('debug.dropCache', { flow: 'order' })).toMatchObject({ dropped: 1 });
    expect((await first.client.call('inspect.cacheKeys', { flow: 'order' })).keys).toEqual([]);
  });

  test('a server that is silent or gone is an error in time, and other questions are answered meanwhile', {
    timeout: 30_000,
  }, async () => {
    const { service, client } = await started(`${text()}\n  timeout = "60s"`);
    await service.ask('GET', '/orders/1');
    proxy.fault = 'blackhole';
    const waiting = refusal(client.call('inspect.cacheKeys', { flow: 'order' }));
    expect(await client.call('inspect.caches', {})).toMatchObject([{ connector: 'kept', misses: 1 }]);
    const others = Array.from({ length: 9 }, () => refusal(client.call('inspect.cacheKeys', { flow: 'order' })));
    expect(await Promise.race(others)).toBe('the cache has not answered what it was asked before: ask again later');
    expect(await waiting).toBe('no response within 4 s');
    await Promise.all(others);
    proxy.fault = 'refuse';
    proxy.reset();
    expect(await refusal(client.call('inspect.cacheKeys', { flow: 'order' }))).toBeTypeOf('string');
  });
});
