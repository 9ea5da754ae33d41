import { describe, expect, test, vi } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { failures } from '../../../foundation/errors/failures.ts';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, never, sql } from '../testing/parts.ts';
import { postgresUrl } from '../testing/postgres.ts';
import { databaseOfSuite } from './testing/suite.ts';

describe.skipIf(postgresUrl === undefined)('the connections to a PostgreSQL server', () => {
  const { server, ending, opened } = databaseOfSuite();

  const answers = (connector: DatabaseConnector) =>
    until(async () => (await sql(connector, 'SELECT 1 AS n')).rows?.[0]?.['n'] === 1);

  async function faulty() {
    const proxy = await faultProxy({ host: server.host, port: server.port });
    ending.push(() => proxy.close());
    return { proxy, port: proxy.port };
  }

  test('a full pool refuses after a wait, and is healthy', async () => {
    const connector = await opened({ pool: { max: 1 }, connect_timeout: 1500 });
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const transaction = connector.target.transactions.run(() => {
      begun.resolve();
      return held.promise;
    }, undefined);
    await begun.promise;
    const busy = { code: 'connector_busy', retriable: true, message: expect.stringContaining('`pool.max`') };
    expect(await failureOf(() => sql(connector, 'SELECT 1'))).toMatchObject(busy);
    const brief = connector.target.prepare(describeCall('create', { query: 'SELECT 1', timeout: 20 }));
    expect(await failureOf(() => brief({}))).toMatchObject(busy);
    expect(failures.connector_busy).toMatchObject({ status: 503, retriable: true });
    await connector.check?.(never);
    held.resolve();
    await transaction;
    await answers(connector);
  });

  test('a write that is late was not done when the server says so, and may have been when it says nothing', async () => {
    await server.run('CREATE TABLE IF NOT EXISTS late (n INT)');
    const { proxy, port } = await faulty();
    const connector = await opened({ url: server.through(port), pool: { max: 1 }, statement_timeout: 1500 });
    const slow = 'INSERT INTO late SELECT 1 FROM pg_sleep(60)';
    expect(await failureOf(() => sql(connector, slow))).toMatchObject({ code: 'connector_timeout', retriable: true });
    expect(await server.run('SELECT n FROM late')).toEqual([]);
    await answers(connector);
    proxy.fault = 'blackhole';
    expect((await failureOf(() => sql(connector, 'INSERT INTO late VALUES (1)'))).code).toBe('outcome_unknown');
    proxy.fault = 'pass';
    await answers(connector);
  });

  test('a connection whose statement was stopped takes no other: a request to stop that comes late hits none', async () => {
    const connector = await opened({ pool: { max: 1 } });
    const session = async () => (await sql(connector, 'SELECT pg_backend_pid() AS n')).rows?.[0]?.['n'];
    const first = await session();
    expect(await session()).toBe(first);
    const stop = new AbortController();
    const slow = connector.target.prepare(describeCall('read', { query: 'SELECT pg_sleep(60)' }));
    const stopped = failureOf(() => slow({ signal: stop.signal }));
    const begun = `SELECT 1 FROM pg_stat_activity WHERE pid = ${first} AND state = 'active' AND query LIKE '%pg_sleep%'`;
    await until(async () => (await server.run(begun)).length > 0);
    stop.abort();
    expect((await stopped).code).toBe('cancelled');
    expect(await session()).not.toBe(first);
    const { transactions } = connector.target;
    const within = new AbortController();
    const lost = failureOf(() =>
      transactions.run(async ({ execute }) => {
        within.abort();
        await execute('SELECT pg_sleep(60)', {});
      }, within.signal),
    );
    expect((await lost).code).toBe('cancelled');
    await answers(connector);
  });

  test('a COMMIT that is not answered in time has an unknown outcome, and the connection is free again', async () => {
    await server.run('CREATE TABLE IF NOT EXISTS mute (n INT)');
    const { proxy, port } = await faulty();
    const connector = await opened({ url: server.through(port), pool: { max: 1 }, statement_timeout: 1500 });
    const failure = await failureOf(() =>
      connector.target.transactions.run(async ({ execute }) => {
        await execute('INSERT INTO mute VALUES (1)', {});
        proxy.fault = 'blackhole';
      }, undefined),
    );
    expect(failure.code).toBe('outcome_unknown');
    proxy.fault = 'pass';
    await answers(connector);
  });

  test('a close whose time is over also stops a statement that its server reads after the request to stop it', async () => {
    const { proxy, port } = await faulty();
    const connector = await opened({ url: server.through(port), pool: { max: 1 } });
    const [{ pid }] = (await sql(connector, 'SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }];
    const { sends } = proxy;
    proxy.latency = 100;
    const stopped = failureOf(() => sql(connector, 'SELECT pg_sleep(600)'));
    await until(() => proxy.sends > sends);
    // The piece that is under way is late; the request to stop overtakes it.
    proxy.latency = 0;
    await connector.close(AbortSignal.abort());
    expect(await stopped).toMatchObject({ code: 'connector_refused', retriable: true });
    await until(async () => (await server.run(`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`)).length === 0);
  });

  test('connections that went silent while they were idle cost one short check, and no statement', async () => {
    const { proxy, port } = await faulty();
    const connector = await opened({ url: server.through(port), pool: { max: 3, min: 3 } });
    await Promise.all([1, 2, 3].map(() => sql(connector, 'SELECT pg_sleep(0.05)')));
    const silent = proxy.connections;
    proxy.silence();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    ending.push(() => void vi.restoreAllMocks());
    expect(await sql(connector, 'INSERT INTO pg_temp.none SELECT 1 WHERE false').catch(({ code }) => code)).toBe(
      'connector_failed',
    );
    expect((await sql(connector, 'SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    expect(silent).toBe(3);
    await expect.poll(() => proxy.connections).toBe(1);
  });
});
