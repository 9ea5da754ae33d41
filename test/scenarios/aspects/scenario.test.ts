import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type Answer, migrate, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const server = process.env['TEST_REDIS_URL'] ?? '';
const prefix = `scenario-${randomBytes(6).toString('hex')}`;
const folder = import.meta.dirname;

for (const engine of ['memory', 'redis'])
  describe.skipIf(engine === 'redis' && server === '')(`aspects with a ${engine} cache`, () => {
    let service: Scenario;
    let stock: Upstream;

    beforeAll(async () => {
      stock = await startUpstream();
      service = await startScenario(folder, {
        env: { STOCK_URL: stock.address, CACHE_URL: server, CACHE_PREFIX: prefix },
        prepare: async (directory) => {
          cpSync(join(directory, 'engines', engine), directory, { recursive: true });
          rmSync(join(directory, 'engines'), { recursive: true });
          await migrate(directory, ['db']);
        },
      });
    });

    afterAll(async () => {
      await service?.end();
      await stock?.close();
      if (engine !== 'redis') return;
      const redis = new Redis(server);
      const left = await redis.keys(`${prefix}:*`);
      if (left.length > 0) await redis.del(left);
      redis.disconnect();
    });

    beforeEach(() => {
      stock.received.length = 0;
      stock.react = () => ({ body: {} });
    });

    const statusAndBody = ({ status, body }: Answer) => ({ status, body });
    let clients = 0;
    const post = (path: string, body: object, client = `c${++clients}`) =>
      service.ask('POST', path, body, { 'x-client': client });
    const notes = async () => {
      const { body } = await service.ask('GET', '/notes');
      return (body as { kind?: string; flow: string; text: string }[])
        .filter(({ kind }) => kind !== undefined)
        .map(({ kind, flow, text }) => `${kind} ${flow} ${text}`);
    };
    const newNotes = async (work: () => Promise<unknown>) => {
      const before = (await notes()).length;
      await work();
      return (await notes()).slice(before);
    };
    const change = async (id: number, body: object) => statusAndBody(await service.ask('PUT', `/items/${id}`, body));

    test('a success is audited, a failure raises an alarm, a drop is reported, each once', async () => {
      const name = `anvil ${engine}`;
      expect(await newNotes(() => post('/items', { name }))).toEqual(['audit create_item POST /items items']);
      const again = newNotes(async () => expect((await post('/items', { name })).status).toBe(500));
      expect(await again).toEqual(['error create_item unknown 0']);
      const nothing = newNotes(async () => expect((await post('/items', { name: 'nothing' })).status).toBe(200));
      expect(await nothing).toEqual(['drop create_item accept']);
    });

    test('answers carry the headers and fields that aspects add', async () => {
      const listed = await service.ask('GET', '/items');
      const rows = listed.body as { name: string; _total: number }[];
      expect([listed.headers['x-items'], rows.map(({ _total }) => _total)]).toEqual([
        'v2',
        rows.map(() => rows.length),
      ]);
      const none = await service.ask('GET', '/items/999');
      expect([none.headers['x-items'], none.body]).toEqual(['v2', [{ _total: 0 }]]);
    });

    test('a cached answer is the same until the item changes', async () => {
      await post('/items', { name: `bell ${engine}` });
      const id = ((await service.ask('GET', '/items')).body as { id: number }[]).at(-1)?.id as number;
      const count = async () => ((await service.ask('GET', `/items/${id}`)).body as { count: number }[])[0]?.count;
      const hits = async () => (await service.metric('svc_cache_hits_total{cache="cache"}')) ?? 0;
      expect(await count()).toBe(0);
      const before = await hits();
      expect(await count()).toBe(0);
      expect(await hits()).toBe(before + 1);
      expect(await newNotes(() => change(id, { count: 4 }))).toEqual(['audit change_item PUT /items/:id items']);
      expect(await count()).toBe(4);
      expect(stock.received.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([['/allow', { id: String(id) }]]);
    });

    test('an action before the flow that fails fails it; one after it is logged and counted', async () => {
      stock.react = () => ({ status: 403, body: { error: 'no' } });
      const refused = newNotes(async () => expect((await change(1, { count: 9 })).status).toBe(500));
      expect(await refused).toEqual(['error change_item http 403']);
      stock.react = () => ({ body: {} });
      const series = 'svc_aspect_errors_total{aspect="broken",flow="change_item"}';
      const broken = (await service.metric(series)) ?? 0;
      expect((await change(1, { count: 3 })).status).toBe(200);
      expect(await service.metric(series)).toBe(broken + 1);
      expect(service.log).toContain('table "nowhere" does not exist');
      expect(service.log).toMatch(/WRN the action of an aspect failed.*aspect=broken flow=change_item/);
    });

    test('a limit counts each client, says when to come again, and admits no client without a name', async () => {
      for (let at = 0; at < 3; at++)
        expect((await post('/items', { name: `${engine} ${at}` }, 'greedy')).status).toBe(200);
      const refused = await post('/items', { name: 'one more' }, 'greedy');
      expect([refused.status, refused.body, Number(refused.headers['retry-after']) > 60]).toEqual([
        429,
        { error: 'rate limit exceeded', code: 'rate_limited' },
        true,
      ]);
      expect((await post('/items', { name: `${engine} other` }, 'modest')).status).toBe(200);
      expect((await service.ask('POST', '/items', { name: 'nameless' })).status).toBe(500);
    });
  });

describe('circuit breakers', () => {
  let service: Scenario;
  let stock: Upstream;

  beforeAll(async () => {
    stock = await startUpstream();
    service = await startScenario(folder, {
      env: { STOCK_URL: stock.address },
      prepare: async (directory) => {
        cpSync(join(directory, 'engines', 'memory'), directory, { recursive: true });
        rmSync(join(directory, 'engines'), { recursive: true });
        await migrate(directory, ['db']);
      },
    });
  });

  afterAll(async () => {
    await service?.end();
    await stock?.close();
  });

  beforeEach(() => {
    stock.received.length = 0;
  });

  const reserve = () => service.ask('POST', '/stock', { n: 1 });
  const state = (breaker: string) => service.metric(`svc_circuit_breaker_state{breaker="${breaker}"}`);

  test('R-91: opens after failed deliveries, tries one request at a time, and closes after successes', async () => {
    stock.react = () => ({ status: 503 });
    for (let at = 0; at < 3; at++) expect((await reserve()).status).toBe(500);
    // Tries of one delivery are one failure.
    expect([stock.received.length, await state('stock')]).toEqual([6, 2]);
    const open = await reserve();
    expect([open.status, open.headers['retry-after'], open.body]).toEqual([
      500,
      '1',
      { error: 'circuit breaker stock is open', code: 'circuit_open' },
    ]);
    expect(stock.received).toHaveLength(6);

    const answers: (() => void)[] = [];
    stock.react = () => (response) => void answers.push(() => response.end('{}'));
    let probe: Promise<Answer> | undefined;
    await until(async () => {
      const asked = reserve();
      const first = await Promise.race([asked.then(({ status }) => status), until(() => answers.length === 1)]);
      if (first === 500) return false;
      probe = asked;
      return true;
    });
    expect(await state('stock')).toBe(1);
    const beside = await Promise.all([reserve(), reserve(), reserve()]);
    expect([beside.map(({ status }) => status), answers.length]).toEqual([[500, 500, 500], 1]);
    answers.pop()?.();
    expect((await probe)?.status).toBe(200);
    expect(await state('stock')).toBe(1);
    stock.react = () => ({ body: {} });
    expect((await reserve()).status).toBe(200);
    expect(await state('stock')).toBe(0);
    expect((await Promise.all([reserve(), reserve()])).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('stays open over a reload while its name stays', async () => {
    const ask = async () => (await service.ask('POST', '/other', { n: 1 })).body as { code?: string };
    const reloads = async () => (await service.metric('svc_reloads_total')) ?? 0;
    const reload = async (text: string) => {
      const before = await reloads();
      service.write('breakers.hcl', text);
      await until(async () => (await reloads()) > before);
    };
    stock.react = () => ({ status: 500 });
    expect([(await ask()).code, (await ask()).code]).toEqual(['upstream_error', 'circuit_open']);
    const { components } = (await service.ask('GET', '/health')).body as { components: object };
    expect(Object.keys(components).sort()).toEqual(['api', 'cache', 'db', 'stock']);
    stock.react = () => ({ body: {} });
    const text = readFileSync(join(service.directory, 'breakers.hcl'), 'utf8');
    await reload(text.replace('timeout           = "1h"', 'timeout           = "2h"'));
    expect((await ask()).code).toBe('circuit_open');
    await reload(text.replace('"other"', '"another"'));
    expect((await ask()).code).toBeUndefined();
  });
});
