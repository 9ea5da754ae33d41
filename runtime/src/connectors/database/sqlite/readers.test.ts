import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../../test/support/until.ts';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, never, services, sql, sqliteConnector } from '../testing/parts.ts';
import { fileAt } from './file.ts';
import { readerProcesses } from './testing/readers.ts';

const open: DatabaseConnector[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const connector of open.splice(0)) await connector.close(AbortSignal.abort());
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-readers-'));
  folders.push(made);
  return made;
}

async function opened(written: Readonly<Record<string, unknown>> = {}, directory = folder()) {
  const connector = sqliteConnector({ database: 'app.db', ...written }, services(directory));
  open.push(connector);
  await connector.open(never);
  return connector;
}

const prepare = (connector: DatabaseConnector, query: string, timeout?: number, exact = false) =>
  connector.target.prepare(describeCall('read', { query, timeout, exact }));

const count = (most: string) =>
  `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c ${most}) SELECT count(*) AS n FROM c`;
const endless = count('');
const short = count('WHERE n < 10');
const long = { timeout: 20_000 };

/** A table of more than the size below which one pass is quick. */
const fill =
  "INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000) SELECT n, printf('%0500d', n) FROM c";

async function filled(written: Readonly<Record<string, unknown>> = {}, directory = folder()) {
  const connector = await opened(written, directory);
  await sql(connector, 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)');
  await sql(connector, fill);
  return connector;
}

describe('where a statement runs', () => {
  test('is decided by its plan: whatever finds by a key or takes the first rows is answered at once', async () => {
    const connector = await filled();
    const isLong = async (query: string) => {
      const answer = prepare(connector, query)({ params: { id: 7 } });
      await answer;
      return answer instanceof Promise;
    };
    const queries = {
      'SELECT id FROM t WHERE id = :id': false,
      'SELECT id FROM t WHERE id IN (:id, 8)': false,
      'SELECT id FROM t ORDER BY id LIMIT 3': false,
      'SELECT id FROM t LIMIT 3 OFFSET 4000': true,
      "SELECT id FROM t WHERE a = 'x' LIMIT 1": true,
      'SELECT count(*) FROM t': true,
      'SELECT u.id FROM t, t AS u WHERE t.id = u.id + :id': true,
      [short]: true,
      'SELECT :id': false,
      'SELECT last_insert_rowid() FROM t LIMIT 1': false,
    };
    const found: Record<string, boolean> = {};
    for (const query of Object.keys(queries)) found[query] = await isLong(query);
    expect(found).toEqual(queries);
  });

  test('is elsewhere after it took long, until tables change', async () => {
    const connector = await opened();
    await sql(connector, 'CREATE TABLE t (a TEXT)');
    const query = prepare(connector, 'SELECT length(hex(zeroblob(:size))) AS n FROM t');
    await sql(connector, "INSERT INTO t VALUES ('x')");
    const asked = (size: number) => query({ params: { size } });
    expect(asked(1)).toEqual({ rows: [{ n: 2 }] });
    // The second is slow as well, unless the first was very slow, and so read elsewhere.
    for (let round = 0; round < 2; round++) expect(await asked(50_000_000)).toEqual({ rows: [{ n: 100_000_000 }] });
    const elsewhere = asked(1);
    expect(elsewhere).toBeInstanceOf(Promise);
    expect(await elsewhere).toEqual({ rows: [{ n: 2 }] });
    await sql(connector, 'CREATE TABLE u (a TEXT)');
    expect(asked(1)).toEqual({ rows: [{ n: 2 }] });
  });

  test('temporary tables are read where they are', async () => {
    const connector = await filled();
    await sql(connector, 'CREATE TEMP TABLE own AS SELECT 1 AS a');
    expect(await sql(connector, 'SELECT own.a FROM own, t WHERE t.id < 2')).toEqual({ rows: [{ a: 1 }] });
  });

  test('others are answered while one is read', long, async () => {
    const connector = await filled();
    const abort = new AbortController();
    const slow = failureOf(() => prepare(connector, endless)({ signal: abort.signal }));
    await untilPassed(() => expect(readerProcesses()).toHaveLength(1));
    const byKey = prepare(connector, 'SELECT id FROM t WHERE id = :id');
    expect(byKey({ params: { id: 5 } })).toEqual({ rows: [{ id: 5 }] });
    expect(await sql(connector, 'UPDATE t SET a = 1 WHERE id = 1')).toEqual({ affected: 1 });
    abort.abort();
    expect((await slow).code).toBe('cancelled');
  });
});

describe('an answer from a reader', () => {
  test('is the one that the service itself gives', async () => {
    const directory = folder();
    const definition =
      'CREATE TABLE v (i INTEGER, big INTEGER, r REAL, s TEXT, b BLOB, yes BOOLEAN, j JSON, d DATE, at TIMESTAMP, no TEXT, __proto__ TEXT)';
    const row = `INSERT INTO v VALUES (1, 9007199254740993, 1.5, 'ä', x'00ff', 1, '{"a":[1,12345678901234567890]}', '2026-01-02', '2026-01-02 03:04:05', NULL, 'p')`;
    const query = 'SELECT v.*, :text AS text, :number AS number, :bytes AS bytes FROM v, v AS w';
    const params = { text: 'x', number: 9007199254740995n, bytes: new Uint8Array([1, 2]) };
    const answers = async (readers: number, exact: boolean) => {
      const connector = await opened({ readers, database: `${readers}${exact}.db` }, directory);
      await sql(connector, definition);
      await sql(connector, row);
      const answer = prepare(connector, query, undefined, exact)({ params });
      expect(answer instanceof Promise).toBe(readers > 0);
      return answer;
    };
    for (const exact of [false, true]) expect(await answers(1, exact)).toEqual(await answers(0, exact));
  });

  test('of many rows comes whole and in order', async () => {
    const connector = await filled();
    const { rows } = await sql(connector, 'SELECT id FROM t');
    expect(rows).toEqual(Array.from({ length: 5000 }, (_, at) => ({ id: at + 1 })));
    expect(await sql(connector, "SELECT id FROM t WHERE a = 'none'")).toEqual({ rows: [] });
  });

  test('has at most 128 MiB', long, async () => {
    const connector = await filled();
    expect(await failureOf(() => sql(connector, 'SELECT hex(zeroblob(1000000)) AS a FROM t'))).toEqual({
      code: 'connector_failed',
      message: 'the answer of database "db" is larger than 128 MiB: ask for fewer rows with LIMIT',
      retriable: false,
      fields: [],
    });
    expect(await sql(connector, 'SELECT count(*) AS n FROM t')).toEqual({ rows: [{ n: 5000 }] });
  });

  test('has what was written before, and nothing that is not committed', async () => {
    const connector = await filled();
    const total = async () => (await sql(connector, 'SELECT count(*) AS n FROM t')).rows?.[0]?.['n'];
    for (let n = 1; n <= 20; n++) {
      await sql(connector, 'INSERT INTO t (a) VALUES (1)');
      expect(await total()).toBe(5000 + n);
    }
    const within = await connector.target.transactions.run(async (statements) => {
      await statements.execute('DELETE FROM t', {});
      return total();
    }, undefined);
    expect([within, await total()]).toEqual([5020, 0]);
  });

  test('that has to be fresh comes from the connection that writes', async () => {
    const connector = await filled();
    const query = 'SELECT count(*) AS n FROM t';
    const fresh = connector.target.prepare(describeCall('read', { query, fresh: true }));
    expect(fresh({})).toMatchObject({ rows: [{ n: 5000 }] });
  });

  test('may be an error of the statement', async () => {
    const connector = await filled();
    const failure = await failureOf(() => sql(connector, "SELECT json_extract(a || '{', '$') FROM t"));
    expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
    expect(failure.message).toContain('malformed JSON');
  });
});

describe('the end of a statement', () => {
  test.each([
    ['statement_timeout', { statement_timeout: 300 }, undefined],
    ['`timeout` of its operation, which wins', { statement_timeout: 0 }, 300],
  ])('comes after %s', long, async (_, written, timeout) => {
    const connector = await opened(written);
    expect(await failureOf(() => prepare(connector, endless, timeout)({}))).toEqual({
      code: 'connector_timeout',
      message: 'database "db" did not answer within 300 ms; the statement was ended',
      retriable: true,
      fields: [],
    });
    await untilPassed(() => expect(readerProcesses()).toEqual([]));
    expect(await prepare(connector, short, 15_000)({})).toEqual({ rows: [{ n: 10 }] });
  });

  test.each([
    [10_000, { rows: [{ n: 3_000_000 }] }],
    [0, { rows: [{ n: 3_000_000 }] }],
    [20, 'connector_timeout'],
  ])('statement_timeout = %i decides whether it answers', long, async (statement_timeout, expected) => {
    const connector = await opened({ statement_timeout });
    const asked = prepare(connector, count('WHERE n < 3000000'))({}) as Promise<unknown>;
    const answer = await asked.catch(({ code }: { code: string }) => code);
    if (statement_timeout === 20) expect(['connector_timeout', 'connector_busy']).toContain(answer);
    else expect(answer).toEqual(expected);
  });

  test('comes with its caller, whether it runs or waits', long, async () => {
    const connector = await opened({ readers: 1 });
    const callers = [new AbortController(), new AbortController()];
    const failures = callers.map(({ signal }) => failureOf(() => prepare(connector, endless)({ signal })));
    await untilPassed(() => expect(readerProcesses()).toHaveLength(1));
    for (const caller of callers.reverse()) caller.abort();
    expect((await Promise.all(failures)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
    await untilPassed(() => expect(readerProcesses()).toEqual([]));
    expect((await failureOf(() => prepare(connector, endless)({ signal: AbortSignal.abort() }))).code).toBe(
      'cancelled',
    );
  });

  test.each([1, 3])('readers = %i are at work at once, and the others wait', long, async (readers) => {
    const connector = await opened({ readers });
    const caller = new AbortController();
    const begun = Array.from({ length: readers }, () =>
      failureOf(() => prepare(connector, endless)({ signal: caller.signal })),
    );
    await untilPassed(() => expect(readerProcesses()).toHaveLength(readers));
    expect(await failureOf(() => prepare(connector, short, 300)({}))).toEqual({
      code: 'connector_busy',
      message: 'every reader of database "db" was busy for 300 ms',
      retriable: true,
      fields: [],
    });
    expect(readerProcesses()).toHaveLength(readers);
    const waiting = prepare(connector, short)({});
    caller.abort();
    expect(await waiting).toEqual({ rows: [{ n: 10 }] });
    expect((await Promise.all(begun)).map(({ code }) => code)).toEqual(Array(readers).fill('cancelled'));
  });

  test('without readers, everything is answered at once', async () => {
    const connector = await filled({ readers: 0 });
    expect(prepare(connector, 'SELECT count(*) AS n FROM t')({})).toEqual({ rows: [{ n: 5000 }] });
  });
});

describe('what happens to readers', () => {
  test('one that is killed costs one statement at most', long, async () => {
    const connector = await opened();
    const asked = failureOf(() => prepare(connector, endless)({}));
    // The first loss is made good by another process, since nothing was answered yet.
    for (let lost = 0, last = 0; lost < 2; lost++) {
      const pid = await untilPassed(() => {
        const [found] = readerProcesses().filter((one) => one !== last);
        if (found === undefined) throw new Error('the reader has not started yet');
        return found;
      });
      last = pid;
      process.kill(pid, 'SIGKILL');
    }
    expect(await asked).toEqual({
      code: 'connector_failed',
      message: 'the process that read database "db" ended (SIGKILL)',
      retriable: true,
      fields: [],
    });
    expect(await prepare(connector, short)({})).toEqual({ rows: [{ n: 10 }] });
  });

  test('fifty times open, used and closed leave none', { timeout: 60_000 }, async () => {
    const directory = folder();
    for (let round = 0; round < 50; round++) {
      const connector = await opened({}, directory);
      expect(await prepare(connector, short)({})).toEqual({ rows: [{ n: 10 }] });
      await connector.close();
    }
    await untilPassed(() => expect(readerProcesses()).toEqual([]));
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap')).toEqual([]);
  });

  test('end with the service, even when that is killed while they work', long, async () => {
    const program = fileURLToPath(new URL('./sqlite-reader.ts', import.meta.url));
    const directory = folder();
    const path = join(directory, 'app.db');
    new DatabaseSync(path).exec('CREATE TABLE t (a)');
    const task = { text: endless, values: [], exact: false };
    // It says who reads when that has answered once, and has begun what never ends.
    const service = `
      const { fork } = require('node:child_process');
      const reader = fork(${JSON.stringify(program)}, ${JSON.stringify([path, fileAt(path)?.identity])}, { serialization: 'advanced' });
      reader.send(${JSON.stringify({ ...task, text: short })});
      reader.once('message', () => reader.send(${JSON.stringify(task)}, () => process.stdout.write(String(reader.pid))));`;
    const child = spawn(process.execPath, ['-e', service], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await untilPassed(() => expect(() => process.kill(Number(line), 0)).toThrow('ESRCH'));
  });

  test('closing waits for what is read, and ends it when its time is over', long, async () => {
    const connector = await opened();
    const answer = prepare(connector, count('WHERE n < 500000'))({});
    await connector.close();
    expect(await answer).toEqual({ rows: [{ n: 500_000 }] });
    await connector.open(never);
    const cut = failureOf(() => prepare(connector, endless)({}));
    await untilPassed(() => expect(readerProcesses()).toHaveLength(1));
    await connector.close(AbortSignal.abort());
    expect((await cut).code).toBe('connector_refused');
    await untilPassed(() => expect(readerProcesses()).toEqual([]));
  });

  test('a changed table is read as it is now', async () => {
    const directory = folder();
    const connector = await filled({}, directory);
    const query = prepare(connector, 'SELECT * FROM t WHERE a LIKE :a');
    const a = '%4999';
    const before = { id: 4999, a: '4999'.padStart(500, '0') };
    expect(await query({ params: { a } })).toEqual({ rows: [before] });
    const other = new DatabaseSync(join(directory, 'app.db'));
    other.exec("ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'new'");
    expect(await query({ params: { a } })).toEqual({ rows: [{ ...before, b: 'new' }] });
    other.exec('DROP TABLE t');
    other.close();
    expect((await failureOf(() => query({ params: { a } }))).message).toContain('no such table');
  });

  test('a checkpoint and a writer of another process are in the way of none', long, async () => {
    const directory = folder();
    const connector = await filled({}, directory);
    const other = new DatabaseSync(join(directory, 'app.db'));
    const abort = new AbortController();
    // It has no end, however few rows it finds: its process may start to read after they are deleted.
    const slow = failureOf(() => prepare(connector, endless.replace('FROM c', 'FROM t, c'))({ signal: abort.signal }));
    await untilPassed(() => expect(readerProcesses()).toHaveLength(1));
    other.exec('BEGIN IMMEDIATE; DELETE FROM t WHERE id > 10');
    expect(await sql(connector, 'SELECT count(*) AS n FROM t')).toEqual({ rows: [{ n: 5000 }] });
    other.exec('COMMIT; PRAGMA wal_checkpoint(PASSIVE)');
    expect(await sql(connector, 'SELECT count(*) AS n FROM t')).toEqual({ rows: [{ n: 10 }] });
    abort.abort();
    expect((await slow).code).toBe('cancelled');
    await untilPassed(() =>
      expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 }),
    );
    other.close();
  });

  test('another file in the place of the database is refused, and is unhealthy', async () => {
    const directory = folder();
    const connector = await filled({}, directory);
    const path = join(directory, 'app.db');
    await connector.check?.(never);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    const expected = {
      code: 'connector_failed',
      message: 'the file of database "db" was replaced or removed while it was open: restart the service',
      retriable: false,
      fields: [],
    };
    expect(await failureOf(() => sql(connector, 'SELECT count(*) FROM t'))).toEqual(expected);
    expect(await failureOf(() => connector.check?.(never))).toEqual(expected);
  });
});
