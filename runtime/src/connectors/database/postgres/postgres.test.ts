import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import selfsigned from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { describeCall, failureOf, Lines, never, services, sql } from '../testing/parts.ts';
import { postgresUrl } from '../testing/postgres.ts';
import { TestProxy } from '../testing/proxy.ts';
import { databaseOfSuite } from './testing/suite.ts';

describe.skipIf(postgresUrl === undefined)('a PostgreSQL server', () => {
  const { server, ending, opened } = databaseOfSuite();

  async function proxied(options: Omit<ConstructorParameters<typeof TestProxy>[0], 'host' | 'port'> = {}) {
    const proxy = new TestProxy({ host: server.host, port: server.port, ...options });
    ending.push(() => proxy.close());
    return { proxy, port: await proxy.listen() };
  }

  describe('on the wire', () => {
    test('S-48: values travel apart from the statement', async () => {
      const { proxy, port } = await proxied();
      const connector = await opened({ url: server.through(port) });
      await sql(connector, 'CREATE TABLE wire (name TEXT, data JSONB)');
      const value = "'; DROP TABLE wire;-- :other";
      await connector.target.prepare(describeCall('create', { target: 'wire' }))({
        payload: { name: value, data: { a: 1 } },
      });
      const query = "SELECT name FROM wire WHERE name = :name::text AND data ? 'a' AND '12:30:00' <> $q$ :name $q$";
      expect((await sql(connector, query, { name: value })).rows).toEqual([{ name: value }]);
      expect(proxy.text).toContain('INSERT INTO "public"."wire" ("data", "name") VALUES ($1, $2) RETURNING *');
      expect(proxy.text).toContain(
        "SELECT name FROM wire WHERE name = $1::text AND data ? 'a' AND '12:30:00' <> $q$ :name $q$",
      );
      const statements = proxy.text
        .split('\0')
        .filter((part) => /^(P?svc_\d+|SELECT|INSERT)/.test(part) || part.includes('FROM wire'));
      expect(statements.filter((part) => part.includes('DROP TABLE'))).toEqual([]);
    });

    test('a statement is sent once for each connection', async () => {
      const { proxy, port } = await proxied();
      const connector = await opened({ url: server.through(port), pool: { max: 1 } });
      for (let n = 0; n < 3; n++) await sql(connector, 'SELECT :n::int AS prepared_once', { n });
      expect(proxy.text.split('prepared_once').length - 1).toBe(1);
    });

    test('numbers go with JSON operators and lists', async () => {
      const connector = await opened();
      const query =
        'SELECT id FROM (VALUES (1, \'{"a": 1}\'::jsonb), (2, \'{"b": 1}\')) AS t (id, d) WHERE d ?? ? AND id = ANY(?)';
      expect((await sql(connector, query, ['a', [1, 2]])).rows).toEqual([{ id: 1 }]);
      expect((await sql(connector, 'SELECT 1 AS n WHERE 2 = ANY(:ids)', { ids: [1, 2] })).rows).toEqual([{ n: 1 }]);
      expect((await sql(connector, 'SELECT $2::int AS a, $1::int AS b', [1, 2])).rows).toEqual([{ a: 2, b: 1 }]);
    });
  });

  describe('values of a request that do not convert', () => {
    test.each([
      ['n', 'abc'],
      ['n', '99999999999'],
      ['n', 1.5],
      ['short', 'too long'],
      ['day', 'yesterdayish'],
      ['price', '123456789'],
      ['name', 'a\0b'],
      ['data', '{oops'],
      ['kind', 'c'],
    ])('%s: %s', async (field, value) => {
      const connector = await opened();
      await sql(
        connector,
        "DO $$ BEGIN CREATE TYPE kind AS ENUM ('a', 'b'); CREATE TABLE typed (n INT, short VARCHAR(5), day DATE, price NUMERIC(5,2), name TEXT, data JSONB, kind kind); EXCEPTION WHEN duplicate_object THEN END $$",
      );
      const payload = {
        n: 1,
        short: 'ok',
        day: '2026-01-02',
        price: '1.00',
        name: 'x',
        data: {},
        kind: 'a',
        [field]: value,
      };
      const create = connector.target.prepare(describeCall('create', { target: 'typed' }));
      expect(await failureOf(() => create({ payload }))).toMatchObject({
        code: 'value_refused',
        retriable: false,
        fields: [field],
      });
    });

    test('in a filter', async () => {
      const connector = await opened();
      await sql(connector, 'CREATE TABLE IF NOT EXISTS filtered (id INT)');
      const read = connector.target.prepare(describeCall('read', { target: 'filtered' }));
      expect(await failureOf(() => read({ filters: { id: 'abc' } }))).toMatchObject({
        code: 'value_refused',
        fields: ['id'],
      });
    });

    test('in a query of the author it is the fault of the service', async () => {
      const connector = await opened();
      expect((await failureOf(() => sql(connector, 'SELECT :n::int', { n: 'abc' }))).code).toBe('connector_failed');
    });
  });

  describe('connections', () => {
    test('refused, unknown and silent servers are distinguished', async () => {
      const silent: Server = createServer().listen(0, '127.0.0.1');
      ending.push(() => silent.close());
      await once(silent, 'listening');
      const { port } = silent.address() as { port: number };
      const attempt = (url: string) => failureOf(() => opened({ url, connect_timeout: 200 }));
      const closed = await attempt('postgres://u:p@127.0.0.1:1/d');
      expect(closed).toMatchObject({ code: 'connector_refused', message: expect.stringContaining('ECONNREFUSED') });
      expect(await attempt(`postgres://u:p@127.0.0.1:${port}/d`)).toMatchObject({
        code: 'connector_timeout',
        message: expect.stringContaining('did not answer within 200 ms'),
      });
      expect(closed.message).not.toContain(':p@');
    });

    test('host, port, database and user need no url', async () => {
      const { proxy, port } = await proxied();
      const { username } = new URL(server.url);
      const where = { url: undefined, host: '127.0.0.1', port, database: server.name, user: username };
      const connector = await opened(where);
      const asked = await sql(connector, 'SELECT current_database() AS database, current_user AS name');
      expect([asked.rows, proxy.connections > 0]).toEqual([[{ database: server.name, name: username }], true]);
      const refused = (written: Readonly<Record<string, unknown>>) => failureOf(() => opened({ ...where, ...written }));
      expect((await refused({ host: 'unknown.invalid' })).message).toContain('unknown.invalid');
      expect((await refused({ port: 1 })).message).toContain('ECONNREFUSED');
      expect((await refused({ user: 'unknown_user' })).message).toContain('unknown_user');
    });

    test('refused credentials and missing databases are reported', async () => {
      const url = new URL(server.url);
      url.username = 'unknown_user';
      expect(await failureOf(() => opened({ url: url.href }))).toMatchObject({
        code: 'connector_refused',
        retriable: false,
        message: expect.stringContaining('refused the credentials of user "unknown_user"'),
      });
      expect(await failureOf(() => opened({ database: 'no_such_database' }))).toMatchObject({
        code: 'connector_refused',
        message: expect.stringContaining('has no database "no_such_database"'),
      });
    });

    test('R-79: it recovers without a restart when the server comes back', async () => {
      const { proxy, port } = await proxied();
      const connector = await opened({ url: server.through(port), pool: { max: 2 } });
      await sql(connector, 'SELECT 1');
      proxy.cutAll();
      const answers: string[] = [];
      await expect
        .poll(async () => {
          answers.push(
            await sql(connector, 'SELECT 1').then(
              () => 'ok',
              (error) => error.code,
            ),
          );
          return answers.at(-1);
        })
        .toBe('ok');
      expect(answers.filter((answer) => answer !== 'ok' && answer !== 'connector_refused')).toEqual([]);
      await connector.check?.(never);
    });

    test('a signal or a timeout stops the statement on the server too', async () => {
      const connector = await opened({ pool: { max: 1 } });
      const sleep = connector.target.prepare(describeCall('read', { query: 'SELECT pg_sleep(60)' }));
      const abort = new AbortController();
      const sleeping = sleep({ signal: abort.signal });
      const running = async () =>
        (
          await server.run(
            "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()",
          )
        )[0]?.['n'];
      await expect.poll(running).toBe(1);
      abort.abort();
      expect((await failureOf(() => sleeping)).code).toBe('cancelled');
      await expect.poll(running).toBe(0);
      const limited = connector.target.prepare(describeCall('read', { query: 'SELECT pg_sleep(60)', timeout: 50 }));
      expect(await failureOf(() => limited({}))).toMatchObject({
        code: 'connector_timeout',
        message: expect.stringContaining('50 ms'),
      });
      expect((await sql(connector, 'SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
      await expect.poll(running).toBe(0);
    });

    test('a write whose answer was lost may have happened, a read has not', async () => {
      let armed = false;
      const { port } = await proxied({ lose: () => armed });
      const connector = await opened({ url: server.through(port) });
      await sql(connector, 'CREATE TABLE IF NOT EXISTS lost (n INT)');
      const create = connector.target.prepare(describeCall('create', { target: 'lost' }));
      await create({ payload: { n: 1 } });
      armed = true;
      expect(await failureOf(() => create({ payload: { n: 2 } }))).toMatchObject({
        code: 'outcome_unknown',
        retriable: true,
      });
      armed = false;
      await sql(connector, 'SELECT 1');
      armed = true;
      expect((await failureOf(() => sql(connector, 'SELECT 1'))).code).toBe('connector_refused');
    });
  });

  describe('R-93: a transaction whose connection breaks', () => {
    test('a failed statement that was ignored fails the COMMIT', async () => {
      await server.run('DROP TABLE IF EXISTS broken; CREATE TABLE broken (n INT)');
      const connector = await opened();
      const failure = await failureOf(() =>
        connector.target.transactions.run(async (statements) => {
          await statements.execute('INSERT INTO broken (n) VALUES (1)', {});
          await Promise.resolve(statements.execute('SELECT 1/0', {})).catch(() => undefined);
        }, undefined),
      );
      expect(failure.message).toContain('rolled the transaction back');
      expect(await server.run('SELECT n FROM broken')).toEqual([]);
    });
  });

  describe('S-87: ssl_mode', () => {
    async function certified(name: string, host: string) {
      const made = await selfsigned.generate([{ name: 'commonName', value: host }], {
        keySize: 2048,
        algorithm: 'sha256',
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
      });
      const { port } = await proxied({ tls: { key: made.private, cert: made.cert } });
      const given = services();
      writeFileSync(join(given.directory, `${name}.pem`), made.cert);
      const url = new URL(server.through(port));
      url.hostname = 'localhost';
      const attempt = async (written: Readonly<Record<string, unknown>>) => {
        const connector = await opened({ url: url.href, ...written }, given);
        return (await sql(connector, 'SELECT 1 AS n')).rows;
      };
      return attempt;
    }

    test('require encrypts, verify-full refuses a certificate of no known authority', async () => {
      const attempt = await certified('root', 'localhost');
      expect(await attempt({ ssl_mode: 'require' })).toEqual([{ n: 1 }]);
      for (const mode of ['verify-ca', 'verify-full']) {
        expect(await failureOf(() => attempt({ ssl_mode: mode }))).toMatchObject({
          code: 'connector_refused',
          message: expect.stringMatching(/^TLS with .* failed: .*self-signed/),
        });
      }
      expect(await attempt({ ssl_mode: 'verify-full', ssl_root_cert: 'root.pem' })).toEqual([{ n: 1 }]);
    });

    test('verify-full refuses another name, verify-ca does not ask for it', async () => {
      const attempt = await certified('root', 'db.example.org');
      expect(await failureOf(() => attempt({ ssl_mode: 'verify-full', ssl_root_cert: 'root.pem' }))).toMatchObject({
        code: 'connector_refused',
        message: expect.stringContaining('localhost'),
      });
      expect(await attempt({ ssl_mode: 'verify-ca', ssl_root_cert: 'root.pem' })).toEqual([{ n: 1 }]);
    });

    test('a server without TLS is refused, and so are files that cannot be used', async () => {
      // Nothing is sent in clear instead.
      const failure = await failureOf(() => opened({ ssl_mode: 'require' }));
      expect(failure).toMatchObject({ code: 'connector_refused', message: expect.stringContaining('TLS') });
      const given = services();
      writeFileSync(join(given.directory, 'empty.pem'), 'nothing');
      for (const file of ['absent.pem', 'empty.pem']) {
        const refused = await failureOf(() => opened({ ssl_mode: 'require', ssl_root_cert: file }, given));
        expect(refused.message).toContain(join(given.directory, file));
      }
    });

    test('a mode in the url counts, and an unknown one is refused', async () => {
      expect((await failureOf(() => opened({ url: `${server.url}?sslmode=verify-full` }))).message).toContain('TLS');
      expect((await failureOf(() => opened({ url: `${server.url}?sslmode=prefer` }))).message).toContain('"prefer"');
    });
  });

  describe('replicas', () => {
    test('reads go round them, writes and locking reads to the primary', async () => {
      const primary = await proxied();
      const [one, two] = [await proxied(), await proxied()];
      const connector = await opened({
        url: server.through(primary.port),
        replicas: [
          { host: '127.0.0.1', port: one.port },
          { host: '127.0.0.1', port: two.port },
        ],
      });
      for (let n = 0; n < 4; n++) await sql(connector, "SELECT 'plain read'");
      await sql(connector, 'CREATE TABLE IF NOT EXISTS spread (n INT)');
      await sql(connector, 'SELECT n FROM spread FOR UPDATE');
      const asked = [primary, one, two].map(({ proxy }) =>
        ['plain read', 'CREATE TABLE', 'FOR UPDATE'].map((text) => proxy.text.includes(text)),
      );
      expect(asked).toEqual([
        [false, true, true],
        [true, false, false],
        [true, false, false],
      ]);
      one.proxy.cutAll();
      for (let n = 0; n < 4; n++) expect((await sql(connector, 'SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    });

    test('get their share of the reads, or none where they are not used', async () => {
      /** Reads that each of two replicas was asked for, of eight. */
      const shares = async (weights: readonly [number, number], written: Readonly<Record<string, unknown>> = {}) => {
        const both = [await proxied(), await proxied()];
        const replicas = both.map(({ port }, at) => ({ host: '127.0.0.1', port, weight: weights[at] }));
        const connector = await opened({ replicas, ...written });
        for (let n = 0; n < 8; n++) await sql(connector, `SELECT 'weighed ${n}'`);
        return both.map(({ proxy }) => new Set(proxy.text.match(/weighed \d/g)).size);
      };
      expect(await shares([1, 1])).toEqual([4, 4]);
      expect(await shares([3, 1])).toEqual([6, 2]);
      expect(await shares([1, 1], { use_replicas: false })).toEqual([0, 0]);
    });

    test('one that cannot be reached is only warned about', async () => {
      const log = new Lines();
      const connector = await opened({ replicas: [{ host: '127.0.0.1', port: 1 }] }, services(undefined, log));
      expect((await sql(connector, 'SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
      expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
        ['warn', 'a read replica cannot be reached'],
      ]);
    });
  });

  test('text given to a list column is an array', async () => {
    const connector = await opened();
    await sql(connector, 'CREATE TABLE tagged (tags TEXT[])');
    await connector.target.prepare(describeCall('create', { target: 'tagged' }))({ payload: { tags: ['a', 'b,c'] } });
    expect((await sql(connector, 'SELECT tags, tags[2] AS second FROM tagged')).rows).toEqual([
      { tags: ['a', 'b,c'], second: 'b,c' },
    ]);
  });

  test('an array of a type of the database is a list too', async () => {
    await server.run("CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE DOMAIN small AS INT");
    const connector = await opened();
    const query = "SELECT ARRAY['good', 'bad']::mood[] AS moods, ARRAY[1, 2]::small[] AS small";
    expect((await sql(connector, query)).rows).toEqual([{ moods: ['good', 'bad'], small: [1, 2] }]);
  });

  test('an array of a type that is made later is one from its first answer on, in a transaction too', async () => {
    const connector = await opened({ pool: { max: 1 } });
    await server.run("CREATE TYPE later AS ENUM ('good', 'bad'); CREATE DOMAIN amount AS INT");
    const query =
      "SELECT NULL::later[] AS none, 'good'::later AS one, ARRAY['bad']::later[] AS few, ARRAY[1]::amount[] AS n";
    const row = { none: null, one: 'good', few: ['bad'], n: [1] };
    expect((await Promise.all([sql(connector, query), sql(connector, query)])).map(({ rows }) => rows)).toEqual([
      [row],
      [row],
    ]);
    await server.run('CREATE DOMAIN latest AS TEXT; CREATE TABLE of_latest (id int, few latest[])');
    const written = await connector.target.transactions.run(
      async ({ execute }) => (await execute("INSERT INTO of_latest VALUES (1, '{a,b}') RETURNING few", {})).rows,
      undefined,
    );
    expect(written).toEqual([{ few: ['a', 'b'] }]);
  });
});
