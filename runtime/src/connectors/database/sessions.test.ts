import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseConnector } from './engine.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, sql } from './testing/parts.ts';

/** What a statement leaves on its connection reaches no other (docs/specification/databases.md#connections). */
describe.each(engines)('connections of $engine', ({ skip, start, isServer, engine: name }) => {
  describe.skipIf(skip)('are as new for each caller', () => {
    let engine: OpenEngine;
    let connector: DatabaseConnector;
    const write = async (query: string) => connector.target.prepare(describeCall('create', { query }))({});
    const value = async (query: string) => Object.values((await sql(connector, query)).rows?.[0] ?? {})[0];
    const within = (...statements: readonly string[]) =>
      connector.target.transactions.run(async ({ execute }) => {
        for (const statement of statements) await execute(statement, {});
      }, undefined);

    beforeAll(async () => {
      engine = await start(isServer ? { pool: { max: 1 } } : {});
      ({ connector } = engine);
      await sql(connector, 'CREATE TABLE kept (id INTEGER)');
    });
    afterAll(() => engine.end());

    test('a transaction that a statement would begin is refused, and what is written next is kept', async () => {
      for (const statement of ['BEGIN', 'SAVEPOINT a', 'ROLLBACK'])
        expect(await failureOf(() => write(statement))).toMatchObject({
          code: 'connector_failed',
          message: expect.stringContaining('write the statements into `transaction`'),
          retriable: false,
        });
      await write('INSERT INTO kept VALUES (1)');
      expect((await sql(await engine.another(), 'SELECT id FROM kept')).rows).toEqual([{ id: 1 }]);
    });

    test('a transaction is not ended by one of its statements', async () => {
      const failure = await failureOf(() =>
        within('INSERT INTO kept VALUES (2)', 'COMMIT', 'INSERT INTO kept VALUES (3)'),
      );
      expect(failure.message).toContain('COMMIT does not belong into a transaction');
      expect((await sql(connector, 'SELECT id FROM kept')).rows).toEqual([{ id: 1 }]);
    });

    test.runIf(name === 'postgres')('what is set, locked or made is gone for the next statement', async () => {
      await write("SELECT set_config('app.tenant', 'a', false)");
      expect(await value("SELECT current_setting('app.tenant', true) AS tenant")).toBeNull();
      await write('SELECT pg_advisory_lock(5)');
      expect(await value("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 5")).toBe(0);
      await write('CREATE TEMP TABLE mine AS SELECT 1 AS id');
      expect(await value("SELECT to_regclass('mine') AS mine")).toBeNull();
    });

    test.runIf(name === 'postgres')('what a transaction sets holds in it and ends with it', async () => {
      const seen = await connector.target.transactions.run(async ({ execute }) => {
        await execute('SET ROLE pg_monitor', {});
        await execute("SET TIME ZONE 'Asia/Tokyo'", {});
        return (await execute('SELECT current_user AS "user"', {})).rows;
      }, undefined);
      expect(seen).toEqual([{ user: 'pg_monitor' }]);
      expect(await value('SELECT current_user AS name')).not.toBe('pg_monitor');
      expect(await value('SHOW timezone')).toBe('UTC');
    });

    test.runIf(name === 'postgres')(
      'a transaction that sets something for itself alone keeps its connection',
      async () => {
        const before = await value('SELECT pg_backend_pid() AS pid');
        await within('SET LOCAL ROLE pg_monitor', "SELECT set_config('app.tenant', 'a', true)");
        expect(await value('SELECT pg_backend_pid() AS pid')).toBe(before);
        expect(await value("SELECT current_setting('app.tenant', true) AS tenant")).toBe('');
      },
    );

    test.runIf(name === 'mysql')('what is set, locked or made is gone for the next statement', async () => {
      await within("SET time_zone = '+09:00'");
      expect(await value('SELECT @@time_zone AS zone')).toBe('+00:00');
      await write("SELECT GET_LOCK('svc-test', 1)");
      expect(await value("SELECT IS_FREE_LOCK('svc-test') AS free")).toBe(1);
    });

    test.runIf(name === 'mysql')(
      'a transaction that a procedure leaves open takes nothing of others with it',
      async () => {
        await connector.schema.exclusively(async ({ script }) => {
          await script(
            'CREATE PROCEDURE fails() BEGIN START TRANSACTION; INSERT INTO kept VALUES (5); INSERT INTO nowhere VALUES (1); COMMIT; END',
          );
          await script(
            'CREATE PROCEDURE forgets() BEGIN START TRANSACTION; INSERT INTO kept VALUES (6); SELECT 1 AS one; END',
          );
        }, undefined);
        const other = await engine.another();
        expect((await failureOf(() => write('CALL fails()'))).code).toBe('connector_failed');
        await write('INSERT INTO kept VALUES (7)');
        expect((await sql(other, 'SELECT id FROM kept ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 7 }]);
        expect(await failureOf(() => write('CALL forgets()'))).toMatchObject({
          message: expect.stringContaining('a procedure left a transaction open, and what it did is undone'),
          retriable: false,
        });
        await write('INSERT INTO kept VALUES (8)');
        expect((await sql(other, 'SELECT id FROM kept ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 7 }, { id: 8 }]);
      },
    );

    test.runIf(name === 'sqlite')('what would change the one connection is refused', async () => {
      expect((await failureOf(() => write('PRAGMA foreign_keys = OFF'))).message).toContain('all flows share');
      expect(await value('PRAGMA foreign_keys')).toBe(1);
    });
  });
});
