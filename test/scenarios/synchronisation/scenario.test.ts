import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../support/proxy.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Answer, ask, copyConfiguration, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const folder = import.meta.dirname;
const database = process.env['TEST_POSTGRES_URL'];
const locks = process.env['TEST_REDIS_URL'];
/** Milliseconds; that of `lock "row"`. */
const timeout = 2_000;

describe.skipIf(database === undefined || locks === undefined)('locks and permits', () => {
  const table = `counters_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(database as string);
  const redis = new Redis(locks as string, { lazyConnect: true });
  const running: Scenario[] = [];
  const cleanups: (() => unknown)[] = [];
  let remote: Upstream;
  /** Answers of the other service that a test has not given yet. */
  let held: ServerResponse[] = [];

  beforeAll(async () => {
    remote = await startUpstream();
    await client.connect();
    await redis.connect();
    await client.query(`CREATE TABLE ${table} (name text PRIMARY KEY, n bigint, author text, fence bigint)`);
  });

  afterAll(async () => {
    await client.query(`DROP TABLE ${table}`);
    await client.end();
    const keys = await redis.keys(`svc:*${table}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    await remote.close();
  });

  beforeEach(() => {
    held = [];
    remote.received.length = 0;
    remote.react = () => (response) => void held.push(response);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.end()));
    for (const clean of cleanups.splice(0)) await clean();
  });

  type Options = Parameters<typeof startScenario>[1] & { readonly env?: Readonly<Record<string, string>> };

  async function start({ env, ...options }: Options = {}): Promise<Scenario> {
    const service = await startScenario(folder, {
      ...options,
      env: {
        REMOTE_URL: remote.address,
        DATABASE_URL: database as string,
        LOCK_URL: locks as string,
        TABLE: table,
        ...env,
      },
    });
    running.push(service);
    return service;
  }

  const withoutLocal = { prepare: (directory: string) => rmSync(join(directory, 'local.hcl')) };
  const release = () => {
    for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"done":true}');
  };
  const row = async (name: string) =>
    (await client.query(`SELECT n, author FROM ${table} WHERE name = $1`, [name])).rows[0];

  async function insert(name: string): Promise<void> {
    await client.query(`INSERT INTO ${table} VALUES ($1, 0, '', 0)`, [name]);
  }

  /** Writes by a service that has to wait for a lock which ends by itself: its own timeout may end a moment before. */
  async function takeOver(service: Scenario, path: string): Promise<Answer> {
    remote.react = () => ({ body: { done: true } });
    return until(async () => {
      const answer = await service.ask('POST', path);
      return answer.status === 503 ? undefined : answer;
    });
  }

  /** Asks so often, so many at a time, and gives the statuses that came back. */
  async function askAll(times: number, atOnce: number, one: (at: number) => Promise<Answer>): Promise<Set<number>> {
    const statuses = new Set<number>();
    let next = 0;
    const work = async () => {
      while (next < times) statuses.add((await one(next++)).status);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return statuses;
  }

  test('X-04: three processes count to 3000 under one key', { timeout: 240_000 }, async () => {
    await insert('all');
    const services = await Promise.all([start(), start(), start()]);
    const statuses = await askAll(3_000, 6, (at) => (services[at % 3] as Scenario).ask('POST', '/count/all'));
    expect([...statuses]).toEqual([200]);
    expect((await row('all')).n).toBe('3000');
  });

  test('X-04: a process that was suspended for longer than its lock lives writes nothing', async () => {
    await insert('still');
    const [first, second] = await Promise.all([start(), start()]);
    const late = first.ask('POST', '/fenced/still/first');
    await until(() => held.length === 1);
    process.kill(first.pid, 'SIGSTOP');
    const stopped = performance.now();
    expect(await takeOver(second, '/fenced/still/second')).toMatchObject({ status: 200, body: { written: 1 } });
    release();
    await until(() => performance.now() - stopped > 2 * timeout);
    process.kill(first.pid, 'SIGCONT');
    expect(await late).toMatchObject({ status: 503, body: { code: 'lock_lost' } });
    expect(await row('still')).toEqual({ n: '1', author: 'second' });
    await until(() => first.log.includes('a lock was lost while the flow ran'));
  });

  test('X-04: a write that is on its way already is rejected by the token in its statement', async () => {
    await insert('late');
    remote.react = () => ({ body: { done: true } });
    const { hostname, port } = new URL(database as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5432) });
    cleanups.push(() => proxy.close());
    const slow = new URL(database as string);
    slow.host = `127.0.0.1:${proxy.port}`;
    const [first, second] = await Promise.all([start({ env: { DATABASE_URL: slow.href } }), start()]);
    expect(await first.ask('POST', '/fenced/late/first')).toMatchObject({ status: 200, body: { written: 1 } });

    remote.react = () => (response) => void held.push(response);
    const late = first.ask('POST', '/fenced/late/first');
    await until(() => held.length === 1);
    proxy.sends = 0;
    proxy.latency = 3 * timeout;
    release();
    await until(() => proxy.sends > 0);
    process.kill(first.pid, 'SIGSTOP');
    const stopped = performance.now();
    expect(await takeOver(second, '/fenced/late/second')).toMatchObject({ status: 200, body: { written: 1 } });
    await until(() => performance.now() - stopped > 2 * timeout);
    process.kill(first.pid, 'SIGCONT');
    proxy.latency = 0;
    expect(await late).toMatchObject({ status: 200, body: { written: 0 } });
    expect(await row('late')).toEqual({ n: '2', author: 'second' });
  });

  test('R-14: the lock of a process that was killed is free when its time is over', async () => {
    await insert('killed');
    const [first, second] = await Promise.all([start(), start()]);
    const lost = first.ask('POST', '/fenced/killed/first').catch(() => undefined);
    await until(() => held.length === 1);
    // It outlives its time as long as a holder keeps it.
    await new Promise((resolve) => setTimeout(resolve, 1.5 * timeout));
    const next = takeOver(second, '/fenced/killed/second');
    process.kill(first.pid, 'SIGKILL');
    const killed = performance.now();
    expect(await next).toMatchObject({ status: 200, body: { written: 1 } });
    expect(performance.now() - killed).toBeLessThan(timeout + 1_000);
    await lost;
    expect(await row('killed')).toEqual({ n: '1', author: 'second' });
  });

  test('X-01: several workers refuse locks in memory, and keep out of each other’s way through a shared store', async () => {
    const directory = copyConfiguration(folder);
    cleanups.push(() => rmSync(directory, { recursive: true }));
    for (const command of ['validate', 'start']) {
      const { code, stdout, stderr } = await runCommand([command, '-c', directory, '--workers', '2']);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain('lock of flow "local" is kept in the memory of each worker');
      expect(stdout + stderr).toContain('scope = "process"');
    }
    await insert('workers');
    const service = await start({ ...withoutLocal, args: ['--workers', '2'] });
    const statuses = await askAll(300, 6, () =>
      service.ask('POST', '/count/workers', undefined, { connection: 'close' }),
    );
    expect([...statuses]).toEqual([200]);
    expect((await row('workers')).n).toBe('300');
  });

  test('X-05: a pool of five is never more than five at once, while processes are killed', async () => {
    let now = 0;
    let most = 0;
    remote.react = () => (response) => {
      most = Math.max(most, ++now);
      response.on('close', () => now--);
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{"done":true}'), 40);
    };
    const [first, second, third] = await Promise.all([start(), start(), start()]);
    const stay = askAll(120, 8, (at) => (at % 2 === 0 ? first : second).ask('POST', '/sink'));
    const leave = askAll(1_000, 8, () => third.ask('POST', '/sink').catch(() => ({ status: 0 }) as Answer));
    await until(() => remote.received.length > 40);
    process.kill(third.pid, 'SIGKILL');
    const again = await start();
    expect([...(await askAll(60, 8, () => again.ask('POST', '/sink')))]).toEqual([200]);
    expect([...(await stay)]).toEqual([200]);
    await leave;
    expect(most).toBe(5);
  });

  test('a reload keeps the locks that are held', async () => {
    const service = await start();
    const first = service.ask('POST', '/local');
    await until(() => held.length === 1);
    service.write('version.hcl', 'constants {\n  version = "2"\n}\n');
    process.kill(service.pid, 'SIGHUP');
    await until(() => service.log.includes('reloaded'));
    expect(await service.ask('POST', '/local')).toMatchObject({ status: 503, body: { code: 'lock_taken' } });
    release();
    expect((await first).status).toBe(200);
    const second = service.ask('POST', '/local');
    await until(() => held.length === 1);
    release();
    expect((await second).status).toBe(200);
  });

  test('R-57, R-81: a service that stops gives its locks back before the store is closed', async () => {
    await insert('stopping');
    const service = await start();
    const last = service.ask('POST', '/fenced/stopping/first');
    await until(() => held.length === 1);
    const key = `svc:lock:${table}:stopping`;
    expect(await redis.exists(key)).toBe(1);
    const stopped = service.stop();
    await until(async () => (await ask('GET', `${service.admin}/health/ready`)).status === 503);
    release();
    expect(await last).toMatchObject({ status: 200, body: { written: 1 } });
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(await redis.exists(key)).toBe(0);
    expect(service.log).not.toContain('could not be released');
  });
});
