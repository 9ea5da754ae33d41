import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, never, sql } from '../testing/parts.ts';
import { TestProxy } from '../testing/proxy.ts';
import { MysqlDatabase, mysqlConnector, mysqlUrl } from './testing/database.ts';

describe.skipIf(mysqlUrl === undefined)('a MySQL database', () => {
  let server: MysqlDatabase;
  let connector: DatabaseConnector;
  const opened: DatabaseConnector[] = [];
  const open = async (written: Readonly<Record<string, unknown>> = {}) => {
    const made = mysqlConnector({ url: server.url, ...written });
    opened.push(made);
    await made.open(never);
    return made;
  };

  beforeAll(async () => {
    server = new MysqlDatabase();
    await server.create();
    connector = await open();
    await sql(
      connector,
      'CREATE TABLE users (id INTEGER AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) UNIQUE, n INTEGER)',
    );
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await server.drop();
  });

  test.each<[string, string, unknown, unknown?]>([
    ['an unsigned integer of 64 bits', 'CAST(18446744073709551615 AS UNSIGNED)', 18446744073709551615n],
    ['a decimal with all its digits', 'CAST(12345678901234567890.10 AS DECIMAL(30,2))', '12345678901234567890.10'],
    ['a count', 'COUNT(*)', 1],
    ['a time of day', "CAST('-25:00:00' AS TIME)", '-25:00:00'],
    ['JSON', "JSON_EXTRACT('{\"a\": [9007199254740993]}', '$.a')", [9007199254740993n]],
    [
      'a moment with its microseconds',
      "CAST('2026-01-02 03:04:05.000120' AS DATETIME(6))",
      '2026-01-02T03:04:05.00012Z',
    ],
    ['a text of all planes', "'☃𝒳'", '☃𝒳'],
    ['a boolean', 'TRUE', 1],
  ])('reads %s', async (_, select, read) => {
    expect((await sql(connector, `SELECT ${select} AS v`)).rows).toEqual([{ v: read }]);
  });

  test('floats of 32 bits, years, enumerations, dates of zeros and bytes are read as they were written', async () => {
    await sql(
      connector,
      "CREATE TABLE odd (f FLOAT, y YEAR, e ENUM('a', 'b'), d DATE, z DATE, b BINARY(2), c BIT(4), j JSON)",
    );
    await server.run(
      `INSERT INTO odd VALUES (0.1, 2026, 'b', '2026-01-02', '0000-00-00', x'00ff', b'101', '{"b": 1, "a": 2.50}')`,
    );
    expect((await sql(connector, 'SELECT * FROM odd')).rows).toEqual([
      { f: 0.1, y: 2026, e: 'b', d: '2026-01-02', z: '0000-00-00', b: 'AP8=', c: 5, j: { b: 1, a: 2.5 } },
    ]);
  });

  test('integers are bound as integers: LIMIT takes them, and a division is exact', async () => {
    const read = connector.target.prepare(
      describeCall('read', {
        query: 'SELECT :n DIV 3 AS v, :n AS w FROM (SELECT 1 AS a UNION SELECT 2) t LIMIT :most',
      }),
    );
    const asked = { n: 9_007_199_254_740_993n, most: 1 };
    expect(await read({ params: asked })).toEqual({ rows: [{ v: 3002399751580331, w: 9007199254740993n }] });
  });

  test('sessions have rules of their own, whatever the server says', async () => {
    const { rows } = await sql(
      connector,
      "SELECT @@time_zone AS zone, @@sql_mode LIKE '%STRICT_TRANS_TABLES%' AS strict",
    );
    expect(rows).toEqual([{ zone: '+00:00', strict: 1 }]);
  });

  test.each([
    ['too long', { name: 'x'.repeat(21) }, 'name'],
    ['no number', { n: 'many' }, 'n'],
    ['too large', { n: 2 ** 40 }, 'n'],
  ])('a value that is %s is refused by its field', async (_, payload, field) => {
    const create = connector.target.prepare(describeCall('create', { target: 'users' }));
    expect(await failureOf(() => create({ payload }))).toMatchObject({ code: 'value_refused', fields: [field] });
  });

  test('the key of a row that is changed instead of made, and that of several, or none', async () => {
    const ids = await connector.target.transactions.run(async ({ execute }) => {
      const upsert = "INSERT INTO users (name, n) VALUES ('up', :n) ON DUPLICATE KEY UPDATE n = VALUES(n)";
      const id = async (query: string, n: number) => (await execute(query, { n }, 'required')).id;
      return [
        await id("INSERT INTO users (id, name) VALUES (70, 'before')", 0).then(() => undefined),
        await id(upsert, 1),
        await id(upsert, 2),
        await id(upsert, 2),
        await id("INSERT IGNORE INTO users (name) VALUES ('up')", 0),
        await id("INSERT INTO users (id, name) VALUES (80, 'a'), (82, 'b')", 0),
      ];
    }, undefined);
    expect(ids).toEqual([undefined, 71n, 71n, 71n, null, 82n]);
    const several = await failureOf(() =>
      connector.target.transactions.run(
        async ({ execute }) => execute("INSERT INTO users (name) VALUES ('c'), ('d')", {}, 'required'),
        undefined,
      ),
    );
    expect(several).toMatchObject({ code: 'connector_failed', retriable: false });
    expect((await sql(connector, "SELECT id FROM users WHERE name IN ('c', 'd')")).rows).toEqual([]);
  });

  test('a statement that would end the transaction is refused, and nothing is kept', async () => {
    const failure = await failureOf(() =>
      connector.target.transactions.run(async ({ execute }) => {
        await execute("INSERT INTO users (name) VALUES ('partly')", {});
        await execute('CREATE TABLE other (id INTEGER)', {});
      }, undefined),
    );
    expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
    expect((await sql(connector, "SELECT id FROM users WHERE name = 'partly'")).rows).toEqual([]);
  });

  test('of two transactions that block each other one fails, may be tried again, and keeps nothing', async () => {
    await sql(connector, "INSERT INTO users (id, name, n) VALUES (501, 'x', 0), (502, 'y', 0)");
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const cross = (first: number, second: number) =>
      connector.target.transactions.run(async ({ execute }) => {
        const add = (id: number) => execute('UPDATE users SET n = n + 1 WHERE id = :id', { id });
        await add(first);
        if (++begun === 2) both.resolve();
        await both.promise;
        try {
          await add(second);
        } catch {
          // Work that continues after the server has undone everything must not keep a part.
          await add(first);
        }
      }, undefined);
    const ended = await Promise.allSettled([cross(501, 502), cross(502, 501)]);
    const failed = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(failed).toMatchObject([{ code: 'connector_failed', retriable: true }]);
    expect((await sql(connector, 'SELECT n FROM users WHERE id > 500')).rows).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test('a lock that does not come within the time of the server is busy, and may be tried again', async () => {
    await sql(connector, "INSERT INTO users (id, name, n) VALUES (601, 'held', 0)");
    const set = (n: number) =>
      sql(connector, `SET STATEMENT innodb_lock_wait_timeout = 1 FOR UPDATE users SET n = ${n} WHERE id = 601`);
    await connector.target.transactions.run(async ({ execute }) => {
      await execute('UPDATE users SET n = 1 WHERE id = 601', {});
      expect(await failureOf(() => set(2))).toMatchObject({ code: 'connector_busy', retriable: true });
    }, undefined);
    await set(3);
    expect((await sql(connector, 'SELECT n FROM users WHERE id = 601')).rows).toEqual([{ n: 3 }]);
  });

  test('a row that is larger than the server takes is refused by its field, and nothing is unknown', async () => {
    await sql(connector, 'CREATE TABLE large (id INTEGER PRIMARY KEY, a LONGTEXT, b LONGBLOB)');
    const limit = Number((await sql(connector, 'SELECT @@max_allowed_packet AS n')).rows?.[0]?.['n']);
    const insert = connector.target.prepare(describeCall('create', { target: 'large' }));
    const a = 'x'.repeat(limit);
    for (const payload of [
      { id: 1, a },
      { id: 1, b: Buffer.alloc(limit) },
    ]) {
      const failure = await failureOf(() => insert({ payload }));
      expect(failure).toMatchObject({ code: 'value_refused', fields: ['a' in payload ? 'a' : 'b'] });
      expect(failure.message).toContain('max_allowed_packet');
    }
    const update = 'UPDATE large SET a = :a';
    expect(await failureOf(() => sql(connector, update, { a }))).toMatchObject({
      code: 'connector_failed',
      retriable: false,
    });
    // Together they are larger than one statement may be.
    const rows = [1, 2, 3].map((id) => ({ id, a: 'ä'.repeat(1_500_000) }));
    const write = await connector.target.prepareRows?.(describeCall('create', { target: 'large' }))?.(rows);
    expect(await connector.target.transactions.run(write as NonNullable<typeof write>, undefined)).toBe(3);
    expect((await sql(connector, 'SELECT sum(char_length(a)) AS n FROM large')).rows).toEqual([{ n: '4500000' }]);
  });

  test('rows go one after another into a table whose engine keeps what failed', async () => {
    await sql(connector, 'CREATE TABLE kept (id INTEGER PRIMARY KEY) ENGINE = MyISAM');
    const rows = connector.target.prepareRows?.(describeCall('create', { target: 'kept' }));
    expect(await rows?.([{ id: 1 }, { id: 2 }])).toBeUndefined();
  });

  test('a write that is late was not done when the server says so, and may have been when it says nothing', async () => {
    let mute = false;
    const proxy = new TestProxy({ host: server.host, port: server.port, lose: () => mute });
    // One connection, on which the statement is prepared before its answers are lost.
    const one = { pool: { max: 1, min: 0 }, statement_timeout: 300 };
    const limited = await open({ url: server.through(await proxy.listen()), ...one });
    const late = limited.target.prepare(
      describeCall('create', { query: "INSERT INTO users (name) SELECT CONCAT('late', SLEEP(5))" }),
    );
    expect(await failureOf(() => late({}))).toMatchObject({ code: 'connector_timeout' });
    expect((await sql(connector, "SELECT id FROM users WHERE name LIKE 'late%'")).rows).toEqual([]);
    const insert = limited.target.prepare(describeCall('create', { target: 'users' }));
    await insert({ payload: { name: 'warm' } });
    mute = true;
    expect(await failureOf(() => insert({ payload: { name: 'unheard' } }))).toMatchObject({ code: 'outcome_unknown' });
    await until(async () => (await sql(connector, "SELECT id FROM users WHERE name = 'unheard'")).rows?.length === 1);
    await proxy.close();
  });

  test('a full pool refuses after a wait, and is healthy', async () => {
    const small = await open({ pool: { max: 1, min: 0 }, connect_timeout: 200 });
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = small.target.transactions.run(async () => {
      begun.resolve();
      await held.promise;
    }, undefined);
    await begun.promise;
    expect(await failureOf(() => sql(small, 'SELECT 1'))).toMatchObject({ code: 'connector_busy', retriable: true });
    await small.check?.(never);
    held.resolve();
    await holding;
    expect((await sql(small, 'SELECT 1 AS v')).rows).toEqual([{ v: 1 }]);
  });

  test('reads go to replicas, and to the primary when none can be reached; writes go to the primary', async () => {
    const proxy = new TestProxy({ host: server.host, port: server.port });
    const port = await proxy.listen();
    const reading = await open({ replicas: [{ host: '127.0.0.1', port, weight: 1 }] });
    await sql(reading, 'SELECT 11 AS v');
    await sql(reading, "INSERT INTO users (name) VALUES ('to the primary')");
    expect([proxy.text.includes('SELECT 11'), proxy.text.includes('to the primary')]).toEqual([true, false]);
    await proxy.close();
    expect((await sql(reading, 'SELECT 12 AS v')).rows).toEqual([{ v: 12 }]);
  });

  test('numbers for columns of integers are stored exactly, and refused where they do not fit', async () => {
    await sql(connector, 'CREATE TABLE exact_numbers (t TINYINT, u INTEGER UNSIGNED, b BIGINT, l BIGINT UNSIGNED)');
    const insert = connector.target.prepare(describeCall('create', { target: 'exact_numbers' }));
    const { MAX_SAFE_INTEGER: most } = Number;
    const rows = [
      { t: 127, u: 2 ** 32 - 1, b: most, l: most },
      { t: -128, u: 0, b: -most, l: -0 },
      { t: 1, u: 1, b: 2n ** 63n - 1n, l: 2n ** 64n - 1n },
      { t: 1, u: 1, b: 2 ** 62, l: 2 ** 53 },
    ];
    for (const payload of rows) await insert({ payload });
    const exact = rows.map(({ t, u, b, l }) => [t, u, b, l].map(BigInt));
    const read = await sql(connector, 'SELECT * FROM exact_numbers', {}, true);
    expect(read.rows?.map((row) => Object.values(row))).toEqual(exact);
    for (const payload of [{ t: 128 }, { u: -1 }, { b: 2 ** 63 }, { l: -1 }])
      expect(await failureOf(() => insert({ payload }))).toMatchObject({
        code: 'value_refused',
        fields: Object.keys(payload),
      });
  });

  test('of two columns with one name the later is there, whatever their types are', async () => {
    const query =
      "SELECT CAST(1 AS SIGNED) AS a, 'x' AS a, 'y' AS b, CAST(2 AS SIGNED) AS b, CAST('z' AS BINARY) AS c, 'z' AS c";
    expect((await sql(connector, query)).rows).toEqual([{ a: 'x', b: 2, c: 'z' }]);
  });

  test('replicas get their share of the reads, or none where they are not used', async () => {
    /** Reads that each of two replicas was asked for, of eight. */
    const shares = async (weights: readonly [number, number], written: Readonly<Record<string, unknown>> = {}) => {
      const both = [0, 1].map(() => new TestProxy({ host: server.host, port: server.port }));
      const ports = await Promise.all(both.map((proxy) => proxy.listen()));
      const replicas = ports.map((port, at) => ({ host: '127.0.0.1', port, weight: weights[at] }));
      const reading = await open({ replicas, ...written });
      for (let n = 0; n < 8; n++) await sql(reading, `SELECT 'weighed ${n}' AS v`);
      const asked = both.map((proxy) => new Set(proxy.text.match(/weighed \d/g)).size);
      await Promise.all(both.map((proxy) => proxy.close()));
      return asked;
    };
    expect(await shares([1, 1])).toEqual([4, 4]);
    expect(await shares([3, 1])).toEqual([6, 2]);
    expect(await shares([1, 1], { use_replicas: false })).toEqual([0, 0]);
  });

  test('host, port, database and user need no url', async () => {
    const { username, password } = new URL(server.url);
    const proxy = new TestProxy({ host: server.host, port: server.port });
    const where = { url: undefined, host: '127.0.0.1', port: await proxy.listen(), database: server.name };
    const who = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    const named = await open({ ...where, ...who });
    expect((await sql(named, 'SELECT DATABASE() AS v')).rows).toEqual([{ v: server.name }]);
    expect(proxy.connections).toBeGreaterThan(0);
    const refused = (written: Readonly<Record<string, unknown>>) =>
      failureOf(() => open({ ...where, ...who, ...written }));
    expect((await refused({ host: 'unknown.invalid' })).message).toContain('unknown.invalid');
    expect((await refused({ port: 1 })).message).toContain('ECONNREFUSED');
    expect((await refused({ password: 'not this one' })).message).toContain('credentials');
    await proxy.close();
  });

  test.each([
    ['wrong credentials', () => ({ user: 'unknown_user', password: 'x' }), /credentials of user "unknown_user"/],
    ['a database that is not there', () => ({ database: 'nowhere_at_all' }), /has no database "nowhere_at_all"/],
    ['a server that does not know TLS', () => ({ ssl_mode: 'verify-full' }), /TLS|SSL|secure/],
  ])('%s: it does not open', async (_, written, message) => {
    const failure = await failureOf(() => open(written()));
    expect(failure).toMatchObject({ code: 'connector_refused', retriable: false });
    expect(failure.message).toMatch(message);
  });

  test('a script may hold procedures, and statements after them', async () => {
    const script =
      'CREATE PROCEDURE two() BEGIN SELECT 1; SELECT 2 AS b; END; CREATE TABLE after_it (id INTEGER); -- end';
    await connector.schema.exclusively((session) => session.script(script), undefined);
    expect(await connector.schema.tableExists('after_it')).toBe(true);
    expect((await sql(connector, 'CALL two()')).rows).toEqual([{ '1': 1 }]);
  });
});
