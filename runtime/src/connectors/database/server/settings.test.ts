import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { mariadb, startMariadb } from '../../../../../test/support/servers/mariadb.ts';
import { postgres, startPostgres } from '../../../../../test/support/servers/postgres.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';
import { until } from '../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { DatabaseConnector } from '../engine.ts';
import { mysqlConnector } from '../mysql/testing/database.ts';
import { describeCall, failureOf, never, postgresConnector, services, sql } from '../testing/parts.ts';
import { TestProxy } from '../testing/proxy.ts';

type Written = Readonly<Record<string, unknown>>;

/** What differs between the engines, as data. */
interface Bed {
  readonly start: (certificates: string) => Promise<RunningServer>;
  /** Users `trusted`, `guarded` with the password `right`, and `certified`, who has to present a certificate. */
  readonly users: readonly string[];
  readonly administrate: (address: string, statement: string) => Promise<readonly unknown[]>;
  readonly make: (written: Written, given: ConnectorServices) => DatabaseConnector;
  readonly database: string;
  readonly sleep: string;
  /** The number of the connection that asks. */
  readonly session: string;
  /** Connections of `trusted`. */
  readonly sessions: string;
}

/** What the servers present, and the authority of clients. */
const filesOf = { ca: 'ca.pem', cert: 'server.pem', key: 'server.key' } as const;

const beds: Readonly<Record<string, Bed>> = {
  postgres: {
    start: (certificates) =>
      startPostgres((folder, user) => {
        const access = [
          'host all guarded 127.0.0.1/32 scram-sha-256',
          'hostssl all certified 127.0.0.1/32 cert',
          'host all all 127.0.0.1/32 trust',
        ];
        writeFileSync(join(folder, 'access.conf'), `${access.join('\n')}\n`);
        // The server refuses a key that others may read.
        const key = join(folder, 'server.key');
        copyFileSync(join(certificates, filesOf.key), key);
        chmodSync(key, 0o600);
        if (user.uid !== undefined && user.gid !== undefined) chownSync(key, user.uid, user.gid);
        const files = { cert: join(certificates, filesOf.cert), ca: join(certificates, filesOf.ca), key };
        const named = Object.entries(files).map(([word, file]) => `ssl_${word}_file=${file}`);
        return ['ssl=on', ...named, `hba_file=${join(folder, 'access.conf')}`];
      }),
    users: ['CREATE ROLE trusted LOGIN', "CREATE ROLE guarded LOGIN PASSWORD 'right'", 'CREATE ROLE certified LOGIN'],
    administrate: async (address, statement) => {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      return client.query({ text: statement, rowMode: 'array' }).then(
        ({ rows }) => client.end().then(() => rows.flat()),
        (error) => client.end().then(() => Promise.reject(error)),
      );
    },
    make: postgresConnector,
    database: 'postgres',
    sleep: 'SELECT pg_sleep(0.05)',
    session: 'SELECT pg_backend_pid() AS v',
    sessions: "SELECT count(*)::int FROM pg_stat_activity WHERE usename = 'trusted'",
  },
  mysql: {
    start: (certificates) =>
      startMariadb(() => Object.entries(filesOf).map(([word, file]) => `--ssl-${word}=${join(certificates, file)}`)),
    users: [
      "CREATE USER trusted@'%'",
      "CREATE USER guarded@'%' IDENTIFIED BY 'right'",
      "CREATE USER certified@'%' REQUIRE X509",
      ...['trusted', 'guarded', 'certified'].map((user) => `GRANT ALL ON mysql.* TO ${user}@'%'`),
    ],
    administrate: async (address, statement) => {
      const client = await mysql.createConnection({ uri: address, rowsAsArray: true });
      const [rows] = await client.query(statement).finally(() => client.end());
      return Array.isArray(rows) ? rows.flat() : [];
    },
    make: mysqlConnector,
    database: 'mysql',
    sleep: 'SELECT SLEEP(0.05)',
    session: 'SELECT CONNECTION_ID() AS v',
    sessions: "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'trusted'",
  },
};

const canStart: Readonly<Record<string, boolean>> = { postgres: postgres.isInstalled(), mysql: mariadb.isInstalled() };

const certificates = mkdtempSync(join(tmpdir(), 'svc-certificates-'));

beforeAll(() => {
  chmodSync(certificates, 0o755);
  if (openssl === undefined) return;
  const made = new Certificates(certificates);
  for (const authority of ['ca', 'other']) made.authority(authority);
  made.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost,IP:127.0.0.2');
  made.signed('client', '/CN=certified', 'extendedKeyUsage=clientAuth');
  made.signed('unknown', '/CN=certified', 'extendedKeyUsage=clientAuth', 'other');
});
afterAll(() => rmSync(certificates, { recursive: true, force: true }));

describe.for(Object.keys(beds).filter((name) => canStart[name] && openssl !== undefined))('a %s server', (name) => {
  const bed = beds[name] as Bed;
  const given = services(certificates);
  const opened: DatabaseConnector[] = [];
  const proxies: TestProxy[] = [];
  let server: RunningServer;
  let port: number;

  beforeAll(async () => {
    server = await bed.start(certificates);
    port = Number(new URL(server.address).port);
    for (const statement of bed.users) await bed.administrate(server.address, statement);
  });
  afterAll(() => server?.stop());
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(opened.splice(0).map((connector) => connector.close()));
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  });

  const open = async (written: Written) => {
    const where = { host: 'localhost', port, database: bed.database, user: 'trusted' };
    const connector = bed.make({ ...where, ...written }, given);
    opened.push(connector);
    await connector.open(never);
    return connector;
  };
  const answers = async (written: Written) => (await sql(await open(written), 'SELECT 1 AS v')).rows;
  const proxied = async (host?: string) => {
    const proxy = new TestProxy({ host: '127.0.0.1', port });
    proxies.push(proxy);
    return { proxy, port: await proxy.listen(host) };
  };

  test('the right password opens it, another does not', async () => {
    expect(await answers({ user: 'guarded', password: 'right' })).toEqual([{ v: 1 }]);
    for (const password of ['wrong', undefined]) {
      const failure = await failureOf(() => open({ user: 'guarded', password }));
      expect([failure.code, failure.message.includes('wrong')]).toEqual(['connector_refused', false]);
    }
  });

  test('the authority that signed its certificate is trusted, another is not', async () => {
    const trusting = (root: string) => answers({ ssl_mode: 'verify-full', ssl_root_cert: root });
    expect(await trusting('ca.pem')).toEqual([{ v: 1 }]);
    expect(await failureOf(() => trusting('other.pem'))).toMatchObject({
      code: 'connector_refused',
      message: expect.stringMatching(/^TLS with .* failed/),
    });
  });

  test('S-87: `require` encrypts, `verify-ca` asks for the authority, and `verify-full` for the name too', async () => {
    /** Whether a statement was seen on its way, or why there was no answer. */
    const seen = async (written: Written) => {
      const { proxy, port: between } = await proxied(written['host'] as string | undefined);
      try {
        const connector = await open({ port: between, ...written });
        await sql(connector, "SELECT 'a statement in clear' AS v");
        return proxy.text.includes('a statement in clear');
      } catch (error) {
        return (error as { readonly message: string }).message;
      }
    };
    const failed = expect.stringMatching(/^TLS with .* failed/);
    const [trusted, elsewhere] = [{ ssl_root_cert: 'ca.pem' }, { host: '127.0.0.1' }];
    expect({
      disable: await seen({ ssl_mode: 'disable' }),
      require: await seen({ ssl_mode: 'require', ...elsewhere }),
      unknownAuthority: await seen({ ssl_mode: 'verify-ca' }),
      anotherName: await seen({ ssl_mode: 'verify-ca', ...trusted, ...elsewhere }),
      itsName: await seen({ ssl_mode: 'verify-full', ...trusted }),
      itsAddress: await seen({ ssl_mode: 'verify-full', ...trusted, host: '127.0.0.2' }),
      wrongName: await seen({ ssl_mode: 'verify-full', ...trusted, ...elsewhere }),
    }).toEqual({
      disable: true,
      require: false,
      unknownAuthority: failed,
      anotherName: false,
      itsName: false,
      itsAddress: false,
      wrongName: failed,
    });
  });

  test('a certificate is presented with its key, where one has to be', async () => {
    const presenting = (files: Written) => answers({ user: 'certified', ssl_mode: 'require', ...files });
    expect(await presenting({ ssl_cert: 'client.pem', ssl_key: 'client.key' })).toEqual([{ v: 1 }]);
    for (const files of [
      {},
      { ssl_cert: 'unknown.pem', ssl_key: 'unknown.key' },
      { ssl_cert: 'client.pem', ssl_key: 'unknown.key' },
    ])
      expect(await failureOf(() => presenting(files))).toMatchObject({ code: expect.stringMatching(/^connector_/) });
  });

  test.each([1, 3])('%i connections stay open when idle', async (min) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    const connector = await open({ pool: { max: 4, min } });
    await Promise.all([1, 2, 3, 4].map(() => sql(connector, bed.sleep)));
    const [before] = await bed.administrate(server.address, bed.sessions);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await until(async () => (await bed.administrate(server.address, bed.sessions))[0] === min);
    expect(before).toBe(4);
  });

  test('a connection is replaced after max_lifetime, and never when that is 0', async () => {
    const sessionOf = async (connector: DatabaseConnector) => (await sql(connector, bed.session)).rows?.[0]?.['v'];
    const [short, endless] = [await open({ pool: { max_lifetime: 500 } }), await open({ pool: { max_lifetime: 0 } })];
    const [first, kept] = [await sessionOf(short), await sessionOf(endless)];
    await until(async () => (await sessionOf(short)) !== first);
    expect(await sessionOf(endless)).toBe(kept);
  });

  test('a replica is asked at its host, and the primary where that cannot be reached', async () => {
    const asked = async (host: string) => {
      const [primary, replica] = [await proxied(), await proxied()];
      const connector = await open({ host: '127.0.0.1', port: primary.port, replicas: [{ host, port: replica.port }] });
      await sql(connector, "SELECT 'which one' AS v");
      return [primary, replica].map(({ proxy }) => proxy.text.includes('which one'));
    };
    expect(await asked('127.0.0.1')).toEqual([false, true]);
    expect(await asked('replica.invalid')).toEqual([true, false]);
  });

  test.each([1, 2])('a replica is asked over %i connections at most', async (most) => {
    const replica = await proxied();
    const connector = await open({ replicas: [{ host: '127.0.0.1', port: replica.port, max_connections: most }] });
    const before = replica.proxy.connections;
    await Promise.all([1, 2, 3, 4].map(() => sql(connector, bed.sleep)));
    expect([before <= 1, replica.proxy.connections]).toEqual([true, most]);
  });

  test.runIf(name === 'mysql').each([
    ['utf8mb4', 'C3A9'],
    ['latin1', 'E9'],
  ])('with the character set %s an accented letter travels as %s', async (charset, bytes) => {
    const { rows } = await sql(await open({ charset }), "SELECT @@character_set_client AS charset, HEX('é') AS bytes");
    expect(rows).toEqual([{ charset, bytes }]);
  });

  test.runIf(name === 'mysql').each([
    ['latin1', 'é', ['€', '日', '\u0080', 'a😀']],
    ['ascii', 'e', ['é', '€', '日']],
  ])(
    'with the character set %s, what it cannot hold is refused and not written as something else',
    async (charset, held, unheld) => {
      const connector = await open({ charset });
      const table = `held_in_${charset}`;
      await sql(connector, `CREATE TABLE ${table} (name VARCHAR(20)) CHARACTER SET utf8mb4`);
      const insert = connector.target.prepare(describeCall('create', { target: table }));
      await insert({ payload: { name: held } });
      for (const name of unheld) {
        const problem = `a character that \`charset = "${charset}"\` of the connector cannot hold`;
        expect(await failureOf(() => insert({ payload: { name } }))).toMatchObject({
          code: 'value_refused',
          fields: ['name'],
          message: `"name" has ${problem}`,
        });
        expect(await failureOf(() => sql(connector, 'SELECT :name AS v', { name }))).toMatchObject({
          code: 'connector_failed',
          message: `a value of the statement has ${problem}`,
        });
        expect(await failureOf(() => sql(connector, `SELECT '${name}' AS v`))).toMatchObject({
          code: 'connector_failed',
          message: `the statement has ${problem}`,
        });
      }
      expect((await sql(connector, `SELECT name FROM ${table}`)).rows).toEqual([{ name: held }]);
    },
  );
});
