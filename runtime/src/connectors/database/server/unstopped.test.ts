import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { type Fault, faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { MysqlDatabase, mysqlConnector, mysqlUrl } from '../mysql/testing/database.ts';
import { sendCancel } from '../postgres/cancel.ts';
import { failureOf, never, postgresConnector, sql } from '../testing/parts.ts';
import { postgresUrl, TestDatabase } from '../testing/postgres.ts';
import type { ServerDatabase } from '../testing/server-database.ts';

const unstopped = 'a statement could not be stopped: the server may continue with it';

interface TestedServer {
  readonly engine: string;
  readonly skip: boolean;
  readonly make: () => ServerDatabase & { run(statement: string): Promise<unknown> };
  readonly connector: typeof mysqlConnector;
  readonly sleep: string;
  readonly own: string;
  readonly kill: (id: number) => string;
}

const postgres: TestedServer = {
  engine: 'postgres',
  skip: postgresUrl === undefined,
  make: () => new TestDatabase(),
  connector: postgresConnector,
  sleep: 'SELECT pg_sleep(600)',
  own: 'SELECT pg_backend_pid() AS id',
  kill: (id) => `SELECT pg_terminate_backend(${id})`,
};
const mysql: TestedServer = {
  engine: 'mysql',
  skip: mysqlUrl === undefined,
  make: () => new MysqlDatabase(),
  connector: mysqlConnector,
  sleep: 'SELECT SLEEP(600)',
  own: 'SELECT CONNECTION_ID() AS id',
  kill: (id) => `KILL ${id}`,
};

/** Runs a statement that takes longer than it may, while new connections suffer the fault. */
async function stopping({ make, connector: made, sleep, own, kill }: TestedServer, fault: Fault) {
  const server = make();
  await server.create();
  const proxy = await faultProxy({ host: server.host, port: server.port });
  const log = recordingLog();
  const written = { url: server.through(proxy.port), statement_timeout: 400, pool: { max: 2, min: 0 } };
  const connector = made(written, connectorServices({ log }));
  await connector.open(never);
  const idOf = async () => Number((await sql(connector, own)).rows?.[0]?.['id']);
  const before = await idOf();
  const asked = failureOf(() => sql(connector, sleep));
  proxy.fault = fault;
  const failure = await asked;
  const said = () => log.lines.filter(({ message }) => message === unstopped);
  return {
    server: `127.0.0.1:${proxy.port}`,
    failure,
    before,
    idOf,
    said,
    repair: () => {
      proxy.fault = 'pass';
    },
    async end() {
      await server.run(kill(before)).catch(() => undefined);
      await connector.close(AbortSignal.abort());
      await proxy.close();
      await server.drop();
    },
  };
}

describe.each([postgres, mysql])('$engine: a request to stop a statement', (tested) => {
  const { skip } = tested;
  test.skipIf(skip)('A-15: that cannot be sent is reported, and the connection is not used again', async () => {
    const at = await stopping(tested, 'refuse');
    expect(at.failure).toMatchObject({ code: 'connector_timeout', retriable: true });
    await until(() => at.said().length > 0);
    expect(at.said()[0]).toEqual({
      level: 'warn',
      message: unstopped,
      fields: { connector: 'db', server: at.server, connection: at.before, error: expect.any(String) },
    });
    at.repair();
    expect(await at.idOf()).not.toBe(at.before);
    await at.end();
  });

  test.skipIf(skip)('that arrives is not reported', async () => {
    const at = await stopping(tested, 'pass');
    expect(await at.idOf()).not.toBe(at.before);
    expect(at.said()).toEqual([]);
    await at.end();
  });
});

test.skipIf(mysqlUrl === undefined)(
  'A-04: a request that MySQL does not answer is reported after two seconds',
  async () => {
    const at = await stopping(mysql, 'blackhole');
    await until(() => at.said().length > 0);
    expect(at.said()[0]?.fields).toMatchObject({ connector: 'db', connection: at.before });
    at.repair();
    expect(await at.idOf()).not.toBe(at.before);
    await at.end();
  },
);

test.skipIf(postgres.skip)('A-15: a close that cannot stop a statement says so once', async () => {
  const server = new TestDatabase();
  await server.create();
  const proxy = await faultProxy({ host: server.host, port: server.port });
  const log = recordingLog();
  const connector = postgresConnector({ url: server.through(proxy.port) }, connectorServices({ log }));
  await connector.open(never);
  const [{ id }] = (await sql(connector, postgres.own)).rows as [{ id: number }];
  const asked = failureOf(() => sql(connector, postgres.sleep));
  const runs = `SELECT 1 FROM pg_stat_activity WHERE pid = ${id} AND state = 'active' AND query = '${postgres.sleep}'`;
  await until(async () => (await server.run(runs)).length > 0);
  proxy.fault = 'refuse';
  await connector.close(AbortSignal.abort());
  expect(await asked).toMatchObject({ code: 'connector_refused', retriable: true });
  expect(log.lines.filter(({ message }) => message === unstopped).map(({ fields }) => fields?.['connection'])).toEqual([
    id,
  ]);
  await server.run(postgres.kill(id));
  await proxy.close();
  await server.drop();
});

test('A-04: a request that PostgreSQL does not take is given up in time, and says so', async () => {
  const silent = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  expect(await sendCancel('127.0.0.1', port, 1, 2, 50)).toMatchObject({ message: 'no answer within 50 ms' });
  silent.close();
});
