import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Answer, migrate, type Scenario, startScenario } from '../scenario.ts';

const server = process.env['TEST_REDIS_URL'] ?? '';
const prefix = `scenario-${randomBytes(6).toString('hex')}`;

for (const engine of ['memory', 'redis'])
  describe.skipIf(engine === 'redis' && server === '')(engine, () => {
    let service: Scenario;
    let proxy: FaultProxy | undefined;
    let redis: Redis | undefined;

    beforeAll(async () => {
      const env: Record<string, string> = {};
      if (engine === 'redis') {
        const url = new URL(server);
        redis = new Redis(server);
        proxy = await faultProxy({ host: url.hostname, port: Number(url.port || 6379) });
        url.host = `127.0.0.1:${proxy.port}`;
        Object.assign(env, { CACHE_URL: url.href, CACHE_PREFIX: prefix });
      }
      service = await startScenario(import.meta.dirname, {
        env,
        prepare: async (directory) => {
          cpSync(join(directory, 'engines', engine), directory, { recursive: true });
          rmSync(join(directory, 'engines'), { recursive: true });
          await migrate(directory, ['db']);
        },
      });
    });

    afterAll(async () => {
      await service?.end();
      await proxy?.close();
      const left = (await redis?.keys(`${prefix}:*`)) ?? [];
      if (left.length > 0) await redis?.del(left);
      redis?.disconnect();
    });

    const statusAndBody = ({ status, body }: Answer) => ({ status, body });
    const get = async (path: string) => statusAndBody(await service.ask('GET', path));
    const post = async (path: string, body: object) => statusAndBody(await service.ask('POST', path, body));
    const rename = async (id: string, name: string) =>
      expect(await post('/quietly', { id, name })).toEqual({ status: 200, body: { affected: 1 } });
    const nameOf = async (path: string): Promise<unknown> => {
      const body = (await get(path)).body as { thing: { name: string } } | { name: string }[];
      return Array.isArray(body) ? body[0]?.name : body.thing.name;
    };
    const counted = (event: 'hits' | 'misses') => service.metric(`svc_cache_${event}_total{cache="cache"}`);

    beforeEach(async () => {
      await rename('a', 'Anvil');
      await post('/drop-listed', { ids: ['a', 'b', '*'], patterns: ['*'] });
    });

    test('R-34: a hit answers what the miss answered, byte for byte, and both are counted', async () => {
      const [hits, misses] = [(await counted('hits')) ?? 0, (await counted('misses')) ?? 0];
      const missed = await service.ask('GET', '/things/a');
      await rename('a', 'Changed');
      const hit = await service.ask('GET', '/things/a');
      expect(missed.text).toBe('{"thing":{"id":"a","name":"Anvil","amount":3,"big":"9007199254740993","share":1.5}}');
      expect(hit).toEqual(missed);
      expect([await counted('hits'), await counted('misses')]).toEqual([hits + 1, misses + 1]);
    });

    test('an answer keeps its status', async () => {
      const missing = { status: 404, body: { thing: null } };
      expect(await get('/things/missing')).toEqual(missing);
      expect(await get('/things/missing')).toEqual(missing);
    });

    test('without a key, messages that differ have entries of their own', async () => {
      expect(await nameOf('/derived?id=a')).toBe('Anvil');
      expect(await nameOf('/derived?id=b')).toBe('Bell');
      await rename('a', 'Changed');
      expect(await nameOf('/derived?id=a')).toBe('Anvil');
      expect(await nameOf('/derived?id=a&other=1')).toBe('Changed');
      expect(await nameOf('/derived?other=1&id=a')).toBe('Changed');
    });

    test('key_from gives the key, and fails the request when it gives none', async () => {
      expect(await nameOf('/keyed?key=k')).toBe('Anvil');
      await rename('a', 'Changed');
      expect(await nameOf('/keyed?key=k')).toBe('Anvil');
      expect(await nameOf('/keyed?key=other')).toBe('Changed');
      for (const query of ['key=', 'key=x&key=y'])
        expect(await get(`/keyed?${query}`)).toMatchObject({
          status: 500,
          body: { error: expect.stringMatching(/flow "keyed".*key_from/) },
        });
      expect((await get('/keyed')).status).toBe(500);
    });

    test('an entry ends with its lifetime', async () => {
      expect(await nameOf('/brief')).toBe('Anvil');
      await rename('a', 'Changed');
      await until(async () => (await nameOf('/brief')) === 'Changed');
    });

    test('a failure is not kept, whatever it is answered with', async () => {
      expect((await get('/failing')).status).toBe(500);
      expect((await get('/failing')).status).toBe(500);
      expect((await get('/excused')).status).toBe(503);
      expect(await get('/excused?id=a&fail=no')).toEqual({ status: 200, body: [{ name: 'Anvil' }] });
    });

    describe('after a write', () => {
      test('keys and patterns are dropped, also behind the prefix of a named cache', async () => {
        expect([await nameOf('/things/a'), await nameOf('/shelved/a'), await nameOf('/shelved/b')]).toEqual([
          'Anvil',
          'Anvil',
          'Bell',
        ]);
        await rename('b', 'Changed');
        expect(await service.ask('PATCH', '/things/a', { name: 'Renamed' })).toMatchObject({
          status: 200,
          body: { affected: 1 },
        });
        expect([await nameOf('/things/a'), await nameOf('/shelved/a'), await nameOf('/shelved/b')]).toEqual([
          'Renamed',
          'Renamed',
          'Bell',
        ]);
        await rename('b', 'Bell');
      });

      test('keys_from and patterns_from say what is dropped', async () => {
        await nameOf('/things/a');
        await nameOf('/things/b');
        await rename('a', 'Changed');
        expect(await post('/drop-listed', { ids: ['b'] })).toEqual({ status: 200, body: { dropped: ['b'] } });
        expect(await nameOf('/things/a')).toBe('Anvil');
        expect((await post('/drop-listed', { ids: ['a'] })).status).toBe(200);
        expect(await nameOf('/things/a')).toBe('Changed');
        await rename('a', 'Again');
        await post('/drop-listed', { ids: [], patterns: ['th?ng:*'] });
        expect(await nameOf('/things/a')).toBe('Again');
      });

      test('a value that is not a list fails the request and is counted', async () => {
        const series = 'svc_cache_invalidate_errors_total{cache="cache",attr="keys_from"}';
        const before = (await service.metric(series)) ?? 0;
        for (const ids of ['a', [1], undefined])
          expect(await post('/drop-wrongly', { ids }), String(ids)).toMatchObject({ status: 500 });
        expect(await service.metric(series)).toBe(before + 3);
      });

      test('a write that failed drops nothing', async () => {
        await nameOf('/things/a');
        await rename('a', 'Changed');
        expect((await service.ask('PUT', '/things/a')).status).toBe(500);
        expect(await nameOf('/things/a')).toBe('Anvil');
      });

      test('S-89: a value of the message widens neither key nor pattern', async () => {
        await nameOf('/shelved/a');
        await nameOf('/things/a');
        expect(await nameOf('/things/*')).toBe('Star');
        await rename('a', 'Changed');
        expect((await service.ask('PATCH', '/things/*', { amount: 2 })).body).toEqual({ affected: 1 });
        expect([await nameOf('/things/a'), await nameOf('/shelved/a')]).toEqual(['Anvil', 'Anvil']);
      });
    });

    test.skipIf(engine === 'memory')('entries are stored as they are written', async () => {
      await nameOf('/things/a');
      await nameOf('/shelved/a');
      const keys = (await redis!.keys(`${prefix}:*`)).sort();
      expect(keys).toEqual([`${prefix}:shelf:item:a`, `${prefix}:thing:a`]);
      expect(await redis!.get(keys[0]!)).toMatch(/^H4sI/);
      expect(await redis!.pttl(keys[1]!)).toBeGreaterThan(3_500_000);
    });

    test.skipIf(engine === 'memory')('an entry that cannot be read is a miss, counted and logged', async () => {
      const series = 'svc_cache_decode_errors_total{cache="cache"}';
      for (const [key, path] of [
        ['thing:a', '/things/a'],
        ['shelf:item:a', '/shelved/a'],
      ] as const) {
        const before = (await service.metric(series)) ?? 0;
        await redis!.set(`${prefix}:${key}`, '{"half');
        expect(await nameOf(path)).toBe('Anvil');
        expect(await service.metric(series)).toBe(before + 1);
        await rename('a', 'Changed');
        expect(await nameOf(path)).toBe('Anvil');
        await rename('a', 'Anvil');
      }
      expect(service.log).toMatch(/WRN a cache entry cannot be read.*flow=thing cache=cache key=thing:a/);
    });

    test.skipIf(engine === 'memory')('when the cache is unavailable, requests are answered all the same', async () => {
      const series = 'svc_cache_invalidate_errors_total{cache="cache",attr="keys"}';
      proxy!.fault = 'refuse';
      proxy!.reset();
      expect(await nameOf('/things/a')).toBe('Anvil');
      await rename('a', 'Changed');
      expect(await nameOf('/things/a')).toBe('Changed');
      expect(await service.ask('PATCH', '/things/a', { name: 'Renamed' })).toMatchObject({ status: 200 });
      expect(await service.metric(series)).toBe(1);
      proxy!.fault = 'blackhole';
      expect(await nameOf('/things/a')).toBe('Renamed');
      proxy!.fault = 'pass';
      proxy!.reset();
      const hits = (await counted('hits')) ?? 0;
      await until(async () => {
        await get('/things/a');
        return ((await counted('hits')) ?? 0) > hits;
      });
    });
  });
