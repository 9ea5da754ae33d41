import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const database = process.env['TEST_POSTGRES_URL'] ?? '';
const cache = process.env['TEST_REDIS_URL'] ?? '';
const name = `svc_scenario_${randomBytes(6).toString('hex')}`;

const url = new URL(database === '' ? 'postgres://absent' : database);
url.pathname = `/${name}`;

async function statement(address: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(address);
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

const ask = (text: string) => statement(url.href, text);

/** How often a flow ran. */
async function runs(flow: string): Promise<number> {
  const [row] = await ask(`SELECT count(*) AS runs FROM runs WHERE flow = '${flow}'`);
  return Number(row?.['runs']);
}

/** How many ticks since a moment in milliseconds were claimed. */
async function claimedInTable(flow: string, since: number): Promise<number> {
  const [row] = await ask(
    `SELECT count(*) AS claims FROM svc_schedule_ticks WHERE flow = '${flow}' AND tick >= ${since}`,
  );
  return Number(row?.['claims']);
}

describe.skipIf(database === '' || cache === '')('three processes', () => {
  const running: Scenario[] = [];
  let proxy: FaultProxy;
  let redis: Redis;

  const claimsOf = async (flow: string, since: number): Promise<number> => {
    if (flow === 'in_table') return claimedInTable(flow, since);
    const keys = await redis.keys(`${name}:svc:schedule:ticking:${flow}:*`);
    return keys.filter((key) => Number(key.split(':').at(-1)) >= since).length;
  };

  const start = async () => {
    const address = new URL(cache);
    address.host = `127.0.0.1:${proxy.port}`;
    const env = { DATABASE_URL: url.href, CACHE_URL: address.href, CACHE_PREFIX: name };
    const service = await startScenario(import.meta.dirname, { env });
    running.push(service);
    return service;
  };

  beforeAll(async () => {
    const { hostname, port } = new URL(cache);
    proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    redis = new Redis(cache);
    await statement(database, `CREATE DATABASE ${name}`);
    await ask('CREATE TABLE runs (id serial PRIMARY KEY, flow text NOT NULL, at timestamptz NOT NULL DEFAULT now())');
    await Promise.all([start(), start(), start()]);
  });

  afterAll(async () => {
    await Promise.all(running.map((service) => service.end()));
    await proxy?.close();
    const left = (await redis?.keys(`${name}:*`)) ?? [];
    if (left.length > 0) await redis?.del(left);
    redis?.disconnect();
    await statement(database, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

  test('X-10: run each tick once, whichever of them dies', { timeout: 60_000 }, async () => {
    await ask('DELETE FROM runs');
    const began = Date.now();
    for (let round = 0; round < 4; round++) {
      const seen = await runs('in_table');
      await until(async () => (await runs('in_table')) >= seen + 2);
      const [victim] = running.splice(Math.floor(Math.random() * running.length), 1);
      await victim?.end();
      await start();
    }
    const ran = { in_table: await runs('in_table'), in_cache: await runs('in_cache') };
    const seconds = (Date.now() - began) / 1000;
    for (const [flow, count] of Object.entries(ran)) {
      const claims = await claimsOf(flow, began - 1000);
      // A tick runs where it was claimed, so more runs than claims would be a tick that ran twice.
      expect([flow, count <= claims]).toEqual([flow, true]);
      expect(claims).toBeLessThanOrEqual(Math.ceil(seconds) + 2);
      // A process that dies between claim and work takes the tick with it.
      expect(count).toBeGreaterThanOrEqual(Math.floor(seconds) - 5);
    }
  });

  test('R-34: count their runs, and say how many schedules they have', async () => {
    const [service] = running as [Scenario];
    const counted = () => service.metric('svc_schedule_executed_total{flow="in_table",status="success"}');
    expect(await service.metric('svc_scheduled_flows')).toBe(3);
    await until(async () => ((await counted()) ?? 0) > 0);
    expect(await service.metric('svc_flow_executions_total{flow="in_table",status="success"}')).toBeGreaterThan(0);
  });

  test('a flow with from and when runs by either', async () => {
    const [service] = running as [Scenario];
    const before = await runs('either');
    expect((await service.ask('POST', '/run', {})).status).toBe(200);
    expect(await runs('either')).toBe(before + 1);
  });

  test('R-96: a store that is unavailable keeps ticks from running; the others run, and health is degraded', async () => {
    const [service] = running as [Scenario];
    const failed = 'svc_schedule_executed_total{flow="in_cache",status="error"}';
    proxy.fault = 'refuse';
    proxy.reset();
    await until(async () => ((await service.metric(failed)) ?? 0) > 1);
    const health = (await (await fetch(`${service.admin}/health`)).json()) as {
      components: Record<string, { status: string; message?: string }>;
    };
    expect(health.components['schedules']).toMatchObject({
      status: 'degraded',
      message: 'ticks cannot be claimed in "claims", and flows do not run',
    });
    const [cached, table] = [await runs('in_cache'), await runs('in_table')];
    await until(async () => (await runs('in_table')) >= table + 2);
    expect(await runs('in_cache')).toBe(cached);
    proxy.fault = 'pass';
    await until(async () => (await runs('in_cache')) > cached);
  });

  test('R-96: a reload neither doubles nor loses a tick', { timeout: 30_000 }, async () => {
    await Promise.all(running.splice(1).map((service) => service.end()));
    const [service] = running as [Scenario];
    await ask('DELETE FROM svc_schedule_ticks; DELETE FROM runs');
    const reloads = async () => (await service.metric('svc_reloads_total')) ?? 0;
    for (let round = 0; (await runs('in_table')) < 4; round++) {
      const before = await reloads();
      service.write('more.hcl', `constants {\n  round = ${round}\n}\n`);
      await until(async () => (await reloads()) > before);
    }
    // The service stops between two ticks, so that every claim has its run.
    await service.stop();
    const [row] = await ask(
      "SELECT count(*) AS claims, (max(tick) - min(tick)) / 1000 + 1 AS ticks FROM svc_schedule_ticks WHERE flow = 'in_table'",
    );
    const claims = Number(row?.['claims']);
    expect(claims).toBeGreaterThan(2);
    expect([Number(row?.['ticks']), await runs('in_table')]).toEqual([claims, claims]);
  });
});
