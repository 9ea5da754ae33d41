import { describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../../test/support/until.ts';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, sql } from '../testing/parts.ts';
import { postgresUrl } from '../testing/postgres.ts';
import { TestProxy } from '../testing/proxy.ts';
import { databaseOfSuite } from './testing/suite.ts';

type Fields = Readonly<Record<string, unknown>>;

describe.skipIf(postgresUrl === undefined)('COPY of rows that are written at once', () => {
  const { server, ending, opened } = databaseOfSuite();
  const ready = async (connector: DatabaseConnector, target: string, rows: readonly Fields[]) =>
    connector.target.prepareRows?.(describeCall('create', { target }))?.(rows);
  const write = async (connector: DatabaseConnector, target: string, rows: readonly Fields[], signal?: AbortSignal) => {
    const prepared = await ready(connector, target, rows);
    if (prepared === undefined) throw new Error('they are not written at once');
    return connector.target.transactions.run(prepared, signal);
  };
  const ids = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1 }));

  test('S-48: sends them apart from any statement, and triggers, defaults and partitions work', async () => {
    const proxy = new TestProxy({ host: server.host, port: server.port });
    ending.push(() => proxy.close());
    const connector = await opened({ url: server.through(await proxy.listen()) });
    for (const statement of [
      "CREATE TABLE parts (id INTEGER, name TEXT DEFAULT 'none', seen TEXT) PARTITION BY RANGE (id)",
      'CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (100)',
      'CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (100) TO (200)',
      "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.seen := NEW.name || '!'; IF NEW.id = 3 THEN RETURN NULL; END IF; RETURN NEW; END $$",
      'CREATE TRIGGER see BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION see()',
    ])
      await sql(connector, statement);
    const hostile = "'); DROP TABLE parts;--\t\\N\n\\.";
    // One of the three is left out by the trigger.
    expect(
      await write(connector, 'parts', [
        { id: 1, name: hostile },
        { id: 150, name: 'b' },
        { id: 3, name: 'c' },
      ]),
    ).toBe(2);
    expect((await sql(connector, 'SELECT * FROM parts ORDER BY id')).rows).toEqual([
      { id: 1, name: hostile, seen: `${hostile}!` },
      { id: 150, name: 'b', seen: 'b!' },
    ]);
    expect((await sql(connector, 'SELECT count(*) AS n FROM parts_high')).rows).toEqual([{ n: 1 }]);
    expect(proxy.text).toContain('COPY "public"."parts" ("id", "name") FROM STDIN');
  });

  test('leaves to INSERT what COPY would do otherwise', async () => {
    const connector = await opened();
    for (const statement of [
      'CREATE TABLE counted (id INTEGER GENERATED ALWAYS AS IDENTITY, a TEXT)',
      'CREATE TABLE ruled (id INTEGER)',
      'CREATE RULE none AS ON INSERT TO ruled DO INSTEAD NOTHING',
      'CREATE TABLE hidden (id INTEGER)',
      'ALTER TABLE hidden ENABLE ROW LEVEL SECURITY',
      'CREATE TABLE texts (id INTEGER, a TEXT)',
    ])
      await sql(connector, statement);
    for (const target of ['counted', 'ruled', 'hidden'])
      expect([target, await ready(connector, target, ids(2))]).toEqual([target, undefined]);
    expect(await ready(connector, 'texts', [{ id: 1, a: Buffer.from('x') }])).toBeUndefined();
    expect(await write(connector, 'counted', [{ a: 'x' }, { a: 'y' }])).toBe(2);
    expect((await sql(connector, 'SELECT id FROM counted ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test.each([0, 500, 999])(
    'R-93: what is refused in row %i of many pieces leaves the connection usable',
    async (at) => {
      const connector = await opened({ pool: { max: 1 } });
      await sql(connector, 'DROP TABLE IF EXISTS pieces');
      await sql(connector, 'CREATE TABLE pieces (id INTEGER NOT NULL, a TEXT)');
      const rows = ids(1000).map(({ id }) => ({ id, a: 'ä\\\t\n'.repeat(1000) }));
      const wrong = rows.map((row, index) => (index === at ? { ...row, id: null } : row));
      expect((await failureOf(() => write(connector, 'pieces', wrong))).code).toBe('constraint_violated');
      expect(await write(connector, 'pieces', rows)).toBe(1000);
      const sums = 'SELECT count(*) AS n, sum(length(a)) AS length, min(a) = max(a) AS same FROM pieces';
      expect((await sql(connector, sums)).rows).toEqual([{ n: 1000, length: 4_000_000, same: true }]);
    },
  );

  test('ends at once when its caller leaves while the server waits for a lock, and leaves no lock behind', async () => {
    const connector = await opened({ pool: { max: 2 } });
    const other = await opened();
    await sql(connector, 'CREATE TABLE waiting (id INTEGER PRIMARY KEY)');
    const caller = new AbortController();
    await other.target.transactions.run(async ({ execute }) => {
      await execute('INSERT INTO waiting (id) VALUES (500)', {});
      const failure = failureOf(() => write(connector, 'waiting', ids(900), caller.signal));
      await untilPassed(async () => {
        const waits =
          "SELECT 1 AS n FROM pg_stat_activity WHERE query LIKE 'COPY%waiting%' AND wait_event_type = 'Lock'";
        expect((await sql(other, waits)).rows).toHaveLength(1);
      });
      caller.abort(new Error('gone'));
      expect((await failure).message).toContain('the request ended');
    }, undefined);
    expect(await write(connector, 'waiting', ids(400))).toBe(400);
    expect((await sql(connector, 'SELECT count(*) AS n FROM waiting')).rows).toEqual([{ n: 401 }]);
  });

  test('A-10: an administrator ends it: nothing is written, and the pool continues', async () => {
    const connector = await opened({ pool: { max: 1 } });
    const other = await opened();
    await sql(connector, 'CREATE TABLE cut (id INTEGER PRIMARY KEY)');
    await other.target.transactions.run(async ({ execute }) => {
      await execute('INSERT INTO cut (id) VALUES (500)', {});
      const failure = failureOf(() => write(connector, 'cut', ids(900)));
      await untilPassed(async () => {
        const end =
          "SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity WHERE query LIKE 'COPY%cut%' AND wait_event_type = 'Lock'";
        expect((await sql(other, end)).rows).toEqual([{ done: true }]);
      });
      expect(await failure).toMatchObject({ code: 'connector_refused', retriable: true });
    }, undefined);
    expect(await write(connector, 'cut', ids(400))).toBe(400);
  });
});
