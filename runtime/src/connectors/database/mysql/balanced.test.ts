import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { mariadb, startMariadb } from '../../../../../test/support/servers/mariadb.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';
import { until } from '../../../../../test/support/until.ts';
import { failureOf, never, sql } from '../testing/parts.ts';
import { TestProxy } from '../testing/proxy.ts';
import { MysqlDatabase, mysqlConnector, mysqlUrl } from './testing/database.ts';

/** Two servers at one address, as behind a balancer: a number of a connection says nothing at the other one. */
describe.skipIf(mysqlUrl === undefined || !mariadb.isInstalled())('servers behind one address', () => {
  let other: RunningServer;
  let server: MysqlDatabase;
  beforeAll(async () => {
    other = await startMariadb();
    server = new MysqlDatabase();
    await server.create();
  });
  afterAll(async () => {
    await server?.drop();
    await other?.stop();
  });

  test('a statement is not stopped at another one', async () => {
    let port = server.port;
    const proxy = new TestProxy({
      host: '127.0.0.1',
      get port() {
        return port;
      },
    });
    const url = new URL(server.through(await proxy.listen()));
    const log = recordingLog();
    const connector = mysqlConnector({ url: url.href, pool: { max: 1, min: 0 } }, connectorServices({ log }));
    await connector.open(never);
    await sql(connector, 'SELECT 1');
    const elsewhere = mysqlConnector({ url: other.address }, connectorServices());
    await elsewhere.open(never);
    await sql(elsewhere, `CREATE DATABASE ${server.name}`);
    const running = failureOf(() => sql(connector, 'SELECT SLEEP(3)', {}));
    await until(() => proxy.text.includes('SLEEP'));
    port = Number(new URL(other.address).port);
    await connector.close(AbortSignal.abort());
    expect((await running).code).toMatch(/^connector_/);
    expect(proxy.text).not.toContain('KILL');
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        message: 'a statement could not be stopped: the server may continue with it',
        fields: expect.objectContaining({ error: 'another server answers at its address' }),
      }),
    );
    await elsewhere.close();
    await proxy.close();
  });
});
