import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, never, services, sql, sqliteConnector } from '../testing/parts.ts';
import { sqlite } from './spec.ts';

const open: DatabaseConnector[] = [];
afterEach(async () => {
  for (const connector of open.splice(0)) await connector.close();
});

async function opened(database: string, directory?: string): Promise<DatabaseConnector> {
  const connector = sqliteConnector({ database }, services(directory));
  open.push(connector);
  await connector.open(never);
  return connector;
}

const folder = () => mkdtempSync(join(tmpdir(), 'svc-sqlite-'));

describe('the database file', () => {
  test('R-20: `database` is required and names a file', () => {
    expect(sqlite.config.attributes.database).toMatchObject({ required: true, pattern: { source: '\\S' } });
    expect(Object.keys(sqlite.config.attributes)).toEqual([
      'database',
      'readers',
      'statement_timeout',
      'tables',
      'health',
    ]);
  });

  test('is made below the configuration, with its directories', async () => {
    const directory = folder();
    await opened('./data/deep/app.db', directory);
    expect(statSync(join(directory, 'data/deep/app.db')).isFile()).toBe(true);
  });

  test('is for its owner alone, and so are its journals; one that is there keeps its mode', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'old.db'), '', { mode: 0o640 });
    for (const name of ['new.db', 'old.db']) await sql(await opened(name, directory), 'CREATE TABLE t (n INTEGER)');
    const modes = ['new.db', 'new.db-wal', 'new.db-shm', 'old.db'].map((name) =>
      (statSync(join(directory, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['600', '600', '600', '640']);
  });

  test('is refused when it exists only below the working directory, naming both', async () => {
    const directory = folder();
    // The working directory of the tests is not changed: a file of it serves.
    const failure = await failureOf(() => opened('package.json', directory));
    expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
    expect(failure.message).toContain(join(directory, 'package.json'));
    expect(failure.message).toContain(join(process.cwd(), 'package.json'));
    expect(existsSync(join(directory, 'package.json'))).toBe(false);
  });

  test('that is not a database is refused', async () => {
    const directory = folder();
    writeFileSync(
      join(directory, 'app.db'),
      'this is a text and no database, long enough to be read as a header '.repeat(20),
    );
    expect(await failureOf(() => opened('app.db', directory))).toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringContaining('not an intact SQLite database'),
    });
  });

  test('that cannot be opened is refused', async () => {
    const directory = folder();
    mkdirSync(join(directory, 'app.db'));
    expect((await failureOf(() => opened('app.db', directory))).code).toBe('connector_refused');
  });

  test('is opened with write-ahead logging and foreign keys', async () => {
    const connector = await opened('app.db', folder());
    expect((await sql(connector, 'PRAGMA journal_mode')).rows).toEqual([{ journal_mode: 'wal' }]);
    expect((await sql(connector, 'PRAGMA foreign_keys')).rows).toEqual([{ foreign_keys: 1 }]);
  });
});

describe('answers', () => {
  test('come without a promise', async () => {
    const connector = await opened(':memory:');
    const query = connector.target.prepare(
      describeCall('read', { query: 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)' }),
    );
    expect(query({})).toEqual({ affected: 0 });
    const insert = connector.target.prepare(describeCall('create', { target: 't' }));
    expect(insert({ payload: { a: 'x' } })).toEqual({ affected: 1, id: 1 });
    expect(connector.target.prepare(describeCall('read', { target: 't' }))({ filters: { id: 1 } })).toEqual({
      rows: [{ id: 1, a: 'x' }],
    });
  });

  test('keep the digits of large keys', async () => {
    const connector = await opened(':memory:');
    await sql(connector, 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)');
    const insert = connector.target.prepare(describeCall('create', { target: 't' }));
    expect(insert({ payload: { id: 9007199254740993n } })).toEqual({ affected: 1, id: 9007199254740993n });
    expect(await sql(connector, 'SELECT id FROM t')).toEqual({ rows: [{ id: 9007199254740993n }] });
    expect(await sql(connector, "INSERT INTO t VALUES (9007199254740995, 'x') RETURNING *")).toEqual({
      rows: [{ id: 9007199254740995n, a: 'x' }],
      affected: 1,
    });
    expect(await sql(connector, 'SELECT count(*) AS n FROM t')).toEqual({ rows: [{ n: 2 }] });
  });

  test('bytes are base64 in any column', async () => {
    const connector = await opened(':memory:');
    await sql(connector, "CREATE TABLE t AS SELECT x'00ff' AS a, 'b' AS b");
    expect(await sql(connector, 'SELECT a, b, a || b AS c FROM t WHERE b = :b', { b: 'b' })).toMatchObject({
      rows: [{ a: 'AP8=', b: 'b' }],
    });
  });

  test('whole doubles are bound as integers', async () => {
    const connector = await opened(':memory:');
    expect(await sql(connector, 'SELECT typeof(:a) AS a, typeof(:b) AS b, :a / 2 AS c', { a: 5, b: 5.5 })).toEqual({
      rows: [{ a: 'integer', b: 'real', c: 2 }],
    });
  });
});

describe('refusals', () => {
  test('a value that a strict column cannot hold names its field', async () => {
    const connector = await opened(':memory:');
    await sql(connector, 'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER) STRICT');
    const create = connector.target.prepare(describeCall('create', { target: 't' }));
    expect(await failureOf(() => create({ payload: { n: 'abc' } }))).toEqual({
      code: 'value_refused',
      message: '"n" must be a whole number, written in plain decimal digits',
      retriable: false,
      fields: ['n'],
    });
    expect(await failureOf(() => create({ payload: { id: 'abc', n: 1 } }))).toMatchObject({
      code: 'value_refused',
      fields: ['id'],
    });
  });

  test('parameters in the manner of other drivers are refused', async () => {
    const connector = await opened(':memory:');
    expect((await failureOf(() => sql(connector, 'SELECT @a', { a: 1 }))).message).toContain('write :a');
    expect((await failureOf(() => sql(connector, 'SELECT ?', { a: 1 }))).message).toContain('must be a list');
  });

  test('a database that was never opened, or is closed', async () => {
    const connector = sqliteConnector({ database: ':memory:' });
    expect((await failureOf(() => sql(connector, 'SELECT 1'))).code).toBe('connector_refused');
    await connector.close();
    await connector.open(never);
    await connector.close();
    await connector.close();
    expect((await failureOf(() => connector.check?.(never))).code).toBe('connector_refused');
  });
});

describe('R-79: a disk or a neighbour in the way', () => {
  test('a full disk is reported, keeps nothing half done, and is recovered from', async () => {
    const connector = await opened('app.db', folder());
    await sql(connector, 'CREATE TABLE t (a TEXT)');
    await sql(connector, 'PRAGMA max_page_count = 5');
    const insert = connector.target.prepare(describeCall('create', { target: 't' }));
    const large = { payload: { a: 'x'.repeat(100_000) } };
    expect(await failureOf(() => insert(large))).toMatchObject({
      code: 'connector_failed',
      retriable: true,
      message: expect.stringContaining('no room'),
    });
    const failure = await failureOf(() =>
      connector.target.transactions.run(async (statements) => {
        await statements.execute("INSERT INTO t VALUES ('y')", {});
        await statements.execute('INSERT INTO t VALUES (:a)', large.payload);
      }, undefined),
    );
    expect(failure.message).toContain('no room');
    await sql(connector, 'PRAGMA max_page_count = 1000');
    expect(await insert({ payload: { a: 'z' } })).toEqual({ affected: 1, id: 1 });
    expect(await sql(connector, 'SELECT a FROM t')).toEqual({ rows: [{ a: 'z' }] });
  });

  test('a writer in another process is waited for without stopping this one', async () => {
    const directory = folder();
    const connector = await opened('app.db', directory);
    await sql(connector, 'CREATE TABLE t (n INTEGER)');
    const other = new DatabaseSync(join(directory, 'app.db'));
    other.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    const insert = connector.target.prepare(describeCall('create', { target: 't' }));
    const waiting = insert({ payload: { n: 2 } });
    expect(waiting).toBeInstanceOf(Promise);
    const transaction = connector.target.transactions.run(
      async (statements) => statements.execute('INSERT INTO t VALUES (3)', {}),
      undefined,
    );
    const abort = new AbortController();
    const given = insert({ payload: { n: 9 }, signal: abort.signal });
    abort.abort();
    expect((await failureOf(() => given)).code).toBe('cancelled');
    other.exec('COMMIT');
    other.close();
    await Promise.all([waiting, transaction]);
    expect((await sql(connector, 'SELECT n FROM t ORDER BY n')).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });
});

describe('one connection', () => {
  test('statements wait for a transaction in the order they came', async () => {
    const connector = await opened(':memory:');
    await sql(connector, 'CREATE TABLE t (n INTEGER)');
    const insert = connector.target.prepare(describeCall('create', { target: 't' }));
    const read = connector.target.prepare(describeCall('read', { target: 't' }));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { transactions } = connector.target;
    const first = transactions.run(async (statements) => {
      await statements.execute('INSERT INTO t VALUES (:n)', { n: 1 });
      await held;
    }, undefined);
    const seen = read({});
    const second = insert({ payload: { n: 2 } });
    const third = transactions.run(async (statements) => {
      await statements.execute('INSERT INTO t VALUES (:n)', { n: 3 });
      await Promise.resolve();
      return (await statements.execute('SELECT n FROM t', {})).rows;
    }, undefined);
    const fourth = insert({ payload: { n: 4 } });
    expect([seen, second, fourth].every((answer) => answer instanceof Promise)).toBe(true);
    release();
    expect(await seen).toEqual({ rows: [{ n: 1 }] });
    expect(await third).toEqual([{ n: 1n }, { n: 2n }, { n: 3n }]);
    await Promise.all([first, second, fourth]);
    expect(read({})).toEqual({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] });
  });

  test('one that waits goes away when its signal fires', async () => {
    const connector = await opened(':memory:');
    await sql(connector, 'CREATE TABLE t (n INTEGER)');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = connector.target.transactions.run(() => held, undefined);
    const abort = new AbortController();
    const waiting = connector.target.prepare(describeCall('create', { target: 't' }))({
      payload: { n: 1 },
      signal: abort.signal,
    });
    abort.abort();
    expect((await failureOf(() => waiting)).code).toBe('cancelled');
    release();
    await first;
    expect(await sql(connector, 'SELECT * FROM t')).toEqual({ rows: [] });
  });

  test('close waits for a transaction', async () => {
    const directory = folder();
    const connector = await opened('app.db', directory);
    await sql(connector, 'CREATE TABLE t (n INTEGER)');
    const work = connector.target.transactions.run(async (statements) => {
      await Promise.resolve();
      await statements.execute('INSERT INTO t VALUES (1)', {});
    }, undefined);
    await connector.close();
    await work;
    const other = new DatabaseSync(join(directory, 'app.db'));
    expect(other.prepare('SELECT n FROM t').all()).toEqual([expect.objectContaining({ n: 1 })]);
    other.close();
  });

  test('a number that an earlier statement left behind is the key of nothing', async () => {
    const connector = await opened(':memory:');
    await sql(connector, 'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER UNIQUE)');
    expect(await sql(connector, 'INSERT INTO t (n) VALUES (1)')).toEqual({ affected: 1, id: 1 });
    expect(await sql(connector, 'INSERT OR IGNORE INTO t (n) VALUES (1)')).toEqual({ affected: 0 });
    const upsert = 'INSERT INTO t (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET n = 1';
    expect(await sql(connector, upsert)).toEqual({ affected: 1 });
    expect(await sql(connector, 'UPDATE t SET n = 2')).toEqual({ affected: 1 });
  });
});
