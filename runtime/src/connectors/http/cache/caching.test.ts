import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { client, failure, listen, run } from '../testing/peer.ts';

const get = { operation: 'GET /a' };
type Headers = Record<string, string | string[]>;

/** A peer whose answers count up, and have these headers; a request whose ETag is the current one is answered with 304. */
async function counting(
  headers: Headers,
  config: Record<string, unknown> = {},
  over: { storage?: () => Storage } = {},
) {
  const peer = { headers, status: 200, body: undefined as string | Buffer | undefined, type: 'application/json' };
  const seen: string[] = [];
  let count = 0;
  const { url } = await listen((request, response) => {
    request.resume().on('end', () => {
      const { 'if-none-match': match, 'if-modified-since': since } = request.headers;
      seen.push([request.method, request.url, match, since].filter((each) => each !== undefined).join(' '));
      const isSame = match !== undefined && match === peer.headers['etag'];
      response.writeHead(isSame ? 304 : peer.status, { 'content-type': peer.type, ...peer.headers });
      if (isSame) response.end();
      else response.end(peer.body ?? `{"n":${++count}}`);
    });
  });
  const clock = new ManualClock();
  const log = recordingLog();
  const { families } = new Metrics();
  const services = connectorServices({ clock, log, families, ...over });
  const make = (more: Record<string, unknown> = {}) =>
    client({ base_url: url, cache: {}, ...config, ...more }, services);
  const api = await make();
  const ask = async (call = get, request = {}) =>
    ((await run(api, call, request))?.value as { n: number } | undefined)?.n;
  const counts = () => [families.cacheHits.of('api').value, families.cacheMisses.of('api').value];
  return { peer, url, seen, clock, log, api, make, ask, counts };
}

describe('an answer is kept', () => {
  test.each<[string, Headers]>([
    ['max-age', { 'cache-control': 'max-age=60' }],
    ['max-age of a private cache', { 'cache-control': 'private, max-age=60, s-maxage=1' }],
    ['names in another case, in two headers', { 'cache-control': ['Private', 'MAX-AGE="60"'] }],
    ['must-revalidate', { 'cache-control': 'max-age=60, must-revalidate' }],
    ['Expires', { date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: 'Thu, 01 Jan 2026 00:01:00 GMT' }],
    ['an age of its own', { 'cache-control': 'max-age=100', age: '40' }],
  ])('for its minute: %s', async (_, headers) => {
    const { seen, clock, ask, counts } = await counting(headers);
    expect([await ask(), await ask()]).toEqual([1, 1]);
    await clock.pass(59_000);
    expect(await ask()).toBe(1);
    await clock.pass(1_500);
    expect(await ask()).toBe(2);
    expect([seen.length, counts()]).toEqual([2, [2, 2]]);
  });

  test.each<[string, Headers]>([
    ['nothing', {}],
    ['no-store', { 'cache-control': 'max-age=60, No-Store' }],
    ['no-cache', { 'cache-control': 'max-age=60, no-cache' }],
    ['max-age=0', { 'cache-control': 'max-age=0' }],
    ['a negative age', { 'cache-control': 'max-age=-60' }],
    ['an age that is not a number', { 'cache-control': 'max-age=soon' }],
    ['two ages', { 'cache-control': 'max-age=60, max-age=0' }],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }],
    ['Expires that is not a date', { expires: '0' }],
    ['Last-Modified alone', { 'last-modified': 'Thu, 01 Jan 2015 00:00:00 GMT' }],
  ])('not without being asked for again: %s', async (_, headers) => {
    const { seen, ask } = await counting(headers);
    expect([await ask(), await ask()]).toEqual([1, 2]);
    expect(seen.length).toBe(2);
  });

  test('only when it answers a GET with success, without a redirect, and is not a file or too large', async () => {
    const { peer, seen, ask, api } = await counting({ 'cache-control': 'max-age=60' });
    for (const operation of ['HEAD /a', 'OPTIONS /a', 'QUERY /a']) {
      await run(api, { operation });
      await run(api, { operation });
    }
    expect(seen.length).toBe(6);
    peer.status = 404;
    for (const _ of [1, 2]) await failure(ask());
    peer.status = 200;
    peer.type = 'application/pdf';
    for (const _ of [1, 2]) await run(api, get);
    peer.type = 'text/plain';
    peer.body = Buffer.alloc(1024 * 1024 + 1, 'a');
    for (const _ of [1, 2]) await run(api, get);
    expect(seen.length).toBe(12);
    peer.body = Buffer.alloc(1024 * 1024, 'a');
    for (const _ of [1, 2]) await run(api, get);
    expect(seen.length).toBe(13);
    const { url } = await listen((request, response) => {
      if (request.url === '/there') return response.setHeader('cache-control', 'max-age=60').end(`"${seen.push('')}"`);
      return response.writeHead(302, { location: '/there' }).end();
    });
    const moved = await client({ base_url: url, cache: {} });
    expect(await run(moved, get)).not.toEqual(await run(moved, get));
  });

  test('in 32 MB: what was unused for longest goes', async () => {
    const { peer, seen, api, clock } = await counting({ 'cache-control': 'max-age=60' });
    peer.type = 'text/plain';
    peer.body = Buffer.alloc(1024 * 1024, 'a');
    for (let at = 0; at < 30; at++) await run(api, { operation: `GET /${at}` });
    await run(api, { operation: 'GET /29' });
    expect(seen.length).toBe(30);
    await run(api, { operation: 'GET /0' });
    expect(seen.length).toBe(31);
    await clock.pass(0);
  });

  test('A-09: and ages by the time that passed in memory, whatever becomes of the time of the day', async () => {
    const { clock, ask } = await counting({ 'cache-control': 'max-age=60' });
    await ask();
    clock.set(3_600_000);
    expect(await ask()).toBe(1);
    clock.set(-7_200_000);
    await clock.pass(60_000);
    expect(await ask()).toBe(2);
  });
});

describe('A-01: who asks with something else', () => {
  test('S-89: gets nothing that another got: address, headers, credentials', async () => {
    const { ask } = await counting({ 'cache-control': 'public, max-age=60' });
    const answers = [
      await ask(),
      await ask(get, { params: { q: 1 } }),
      await ask(get, { headers: { 'X-Tenant': 'a' } }),
      await ask(get, { headers: { 'X-Tenant': 'b' } }),
      await ask(get, { headers: { Authorization: 'Bearer a' } }),
      await ask(get, { headers: { Authorization: 'Bearer b' } }),
      await ask({ operation: 'GET /A' }),
      await ask({ operation: 'GET /a', words: { format: 'xml' } } as never),
    ];
    expect(answers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await ask(get, { headers: { Authorization: 'Bearer a' } })).toBe(5);
    expect(await ask(get, { traceparent: '00-a-b-01' })).toBe(1);
  });

  test.each([
    ['max-age=60', [1, 2]],
    ['private, max-age=60', [1, 2]],
    ['public, max-age=60', [1, 1]],
    ['s-maxage=60', [1, 1]],
    ['max-age=60, must-revalidate', [1, 1]],
  ])('an answer to credentials of a message with %s is kept where that is allowed', async (control, expected) => {
    const { ask } = await counting({ 'cache-control': control });
    const request = { headers: { authorization: 'Bearer a' } };
    expect([await ask(get, request), await ask(get, request)]).toEqual(expected);
  });

  test.each([
    { 'Cache-Control': 'no-cache' },
    { Pragma: 'no-cache' },
    { Range: 'bytes=0-1' },
    { 'If-None-Match': '"x"' },
  ])('a message that mentions caches itself (%o) passes by', async (headers) => {
    const { ask } = await counting({ 'cache-control': 'max-age=60' });
    expect([await ask(), await ask(get, { headers }), await ask()]).toEqual([1, 2, 1]);
  });

  test('clients with other credentials share a storage and no answer; a client like it finds its own', async () => {
    const storage = new MemoryStorage({ eviction: 'lru', maxItems: 100, defaultTtl: undefined }, new ManualClock());
    const shared = { cache: { storage: 'c' } };
    const { make, ask } = await counting({ 'cache-control': 'max-age=60' }, shared, { storage: () => storage });
    const token = (client_id: string) => ({ auth: { type: 'api_key', api_key: client_id, api_key_query: 'k' } });
    const read = async (config: object) => (await run(await make({ ...shared, ...config }), get))?.value;
    expect(await ask()).toBe(1);
    expect([await read({}), await read(token('x')), await read(token('y')), await read(token('x'))]).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
      { n: 2 },
    ]);
  });

  test('A-11: a storage is shown no credentials: no address, no header, no cookie', async () => {
    const kept: string[] = [];
    const storage = new MemoryStorage({ eviction: 'lru', maxItems: 100, defaultTtl: undefined }, new ManualClock());
    const { set, setIfAbsent } = storage;
    storage.set = (...all) => {
      kept.push(all.join());
      return set.apply(storage, all);
    };
    storage.setIfAbsent = (...all) => {
      kept.push(all.join());
      return setIfAbsent.apply(storage, all);
    };
    const auth = { type: 'basic', username: 'u', password: 'secret-1' };
    const headers = { 'cache-control': 'public, max-age=60', 'set-cookie': 'id=secret-2', vary: 'x-key' };
    const { ask } = await counting(headers, { auth, cache: { storage: 'c' } }, { storage: () => storage });
    await ask({ operation: 'GET /a?key=secret-3' }, { headers: { 'X-Key': 'secret-4', Cookie: 'secret-5' } });
    expect(kept.length).toBe(2);
    expect(kept.join()).not.toMatch(/secret|dTpzZWNyZXQ/);
  });
});

describe('an answer that is not fresh', () => {
  test('is asked for again by its ETag, and used when it is the same', async () => {
    const { peer, seen, clock, ask } = await counting({ 'cache-control': 'max-age=60', etag: '"v1"' });
    await ask();
    await clock.pass(60_000);
    peer.headers = { 'cache-control': 'max-age=100', etag: '"v1"' };
    expect(await ask()).toBe(1);
    await clock.pass(99_000);
    expect(await ask()).toBe(1);
    await clock.pass(1_000);
    peer.headers = { 'cache-control': 'no-store', etag: '"v2"' };
    expect([await ask(), await ask()]).toEqual([2, 3]);
    expect(seen).toEqual(['GET /a', 'GET /a "v1"', 'GET /a "v1"', 'GET /a']);
  });

  test('is asked for again by its Last-Modified', async () => {
    const at = 'Thu, 01 Jan 2015 00:00:00 GMT';
    const { seen, ask } = await counting({ 'cache-control': 'no-cache', 'last-modified': at });
    expect([await ask(), await ask()]).toEqual([1, 2]);
    expect(seen).toEqual(['GET /a', `GET /a ${at}`]);
  });

  test('is asked for without conditions when a 304 is about something else', async () => {
    let asked = 0;
    const { url } = await listen((request, response) => {
      if (request.headers['if-none-match'] !== undefined) return response.writeHead(304, { etag: '"other"' }).end();
      response.setHeader('content-type', 'application/json').setHeader('etag', '"v1"');
      return response.end(`{"n":${++asked}}`);
    });
    const api = await client({ base_url: url, cache: {} });
    expect([await run(api, get), await run(api, get)]).toEqual([{ value: { n: 1 } }, { value: { n: 2 } }]);
  });

  test.each([
    [{ 'cache-control': 'max-age=60, stale-if-error=60' }, 1],
    [{ 'cache-control': 'max-age=60', etag: '"v"' }, 'upstream_error'],
    [{ 'cache-control': 'max-age=60, stale-if-error=60, must-revalidate' }, 'upstream_error'],
  ])('with %o is used instead of an error where it says so', async (headers: Headers, expected) => {
    const { peer, clock, ask } = await counting(headers);
    await ask();
    peer.status = 503;
    peer.headers = {};
    await clock.pass(119_000);
    expect(await ask().catch(({ code }) => code)).toBe(expected);
    await clock.pass(2_000);
    expect((await failure(ask())).code).toBe('upstream_error');
  });

  test('is used while a circuit breaker is open, where it says so', async () => {
    const config = { circuit_breaker: { failures: 1 } };
    const { peer, seen, clock, ask } = await counting({ 'cache-control': 'stale-if-error=600, max-age=1' }, config);
    await ask();
    await clock.pass(2_000);
    peer.status = 500;
    expect([await ask(), await ask(), await ask()]).toEqual([1, 1, 1]);
    expect(seen.length).toBe(2);
  });

  test.each([404, 403])('is never used after a %i', async (status) => {
    const { peer, clock, ask } = await counting({ 'cache-control': 'max-age=1, stale-if-error=600' });
    await ask();
    await clock.pass(2_000);
    peer.status = status;
    expect((await failure(ask())).upstream?.status).toBe(status);
    peer.status = 500;
    expect((await failure(ask())).upstream?.status).toBe(500);
  });
});

describe('what is kept of an address', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is forgotten with a %s there, and nowhere else', async (method) => {
    const { ask, api } = await counting({ 'cache-control': 'max-age=60' });
    const other = { operation: 'GET /b' };
    expect([await ask(), await ask(other)]).toEqual([1, 2]);
    await run(api, { operation: `${method} /a` });
    expect([await ask(), await ask(other)]).toEqual([4, 2]);
  });

  test('is forgotten although the write failed: it may have taken effect', async () => {
    const { peer, ask, api } = await counting({ 'cache-control': 'max-age=60' });
    await ask();
    peer.status = 500;
    await failure(run(api, { operation: 'PUT /a' }));
    peer.status = 200;
    expect(await ask()).not.toBe(1);
  });

  test('is not what was asked before a write and came after it', async () => {
    const held: (() => void)[] = [];
    let count = 0;
    const { url } = await listen((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('cache-control', 'max-age=60').setHeader('content-type', 'application/json');
        const body = `{"n":${++count}}`;
        if (request.method === 'GET' && count === 1) held.push(() => response.end(body));
        else response.end(body);
      });
    });
    const api = await client({ base_url: url, cache: {} });
    const early = run(api, get);
    await expect.poll(() => held.length).toBe(1);
    await run(api, { operation: 'PUT /a' });
    held[0]?.();
    expect([await early, await run(api, get)]).toEqual([{ value: { n: 1 } }, { value: { n: 3 } }]);
  });
});

describe('a storage', () => {
  const memory = (clock: ManualClock) =>
    new MemoryStorage({ eviction: 'lru', maxItems: 100, defaultTtl: undefined }, clock);
  const config = { cache: { storage: 'c' } };

  test('that is unavailable keeps nothing and fails no call; one line says so', async () => {
    const away = () => Promise.reject(new Failure('store_unavailable', 'it is unavailable'));
    const storage = { get: away, set: away, setIfAbsent: away, delete: away } as unknown as Storage;
    const { ask, log, api } = await counting({ 'cache-control': 'max-age=60' }, config, { storage: () => storage });
    expect([await ask(), await ask()]).toEqual([1, 2]);
    await run(api, { operation: 'PUT /a' });
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual(['answers are not cached: the storage is unavailable']);
  });

  test.each(['', '{', 'null', '{"version":1}', '{"version":2}', '[1]'])(
    'that holds %j is not believed',
    async (text) => {
      const storage = memory(new ManualClock());
      const { get: read } = storage;
      const { ask } = await counting({ 'cache-control': 'max-age=60' }, config, { storage: () => storage });
      await ask();
      storage.get = (key) => (read.call(storage, key) === undefined ? undefined : text);
      expect(await ask()).toBe(2);
    },
  );

  test('A-09: keeps nothing of the future, when the clock is set back', async () => {
    const { ask, clock } = await counting({ 'cache-control': 'max-age=60' }, config, {
      storage: () => storage,
    });
    const storage = memory(clock);
    expect([await ask(), await ask()]).toEqual([1, 1]);
    clock.set(-3_600_000);
    expect(await ask()).toBe(2);
  });

  test('that lost the mark of an address has nothing of it', async () => {
    const storage = memory(new ManualClock());
    const { ask } = await counting({ 'cache-control': 'max-age=60' }, config, { storage: () => storage });
    await ask();
    const keys: string[] = [];
    const { get: read } = storage;
    storage.get = (key) => {
      keys.push(key);
      return read.call(storage, key);
    };
    await ask();
    storage.delete([keys.reduce((a, b) => (a.length < b.length ? a : b))]);
    expect(await ask()).toBe(2);
  });
});
