import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { StatementRunner } from '../../foundation/contracts/sql.ts';
import type { DatabaseConnector } from './engine.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, sql } from './testing/parts.ts';

/**
 * What transactions promise, whatever the engine (docs/specification/databases.md#transactions): all
 * statements or none, one connection, nothing of others between, answers of one shape.
 */
describe.each(engines)('transactions of $engine', ({ skip, start, isServer }) => {
  describe.skipIf(skip)('promise', () => {
    let engine: OpenEngine;
    const run = <T>(work: (statements: StatementRunner) => Promise<T>, signal?: AbortSignal) =>
      engine.connector.target.transactions.run(work, signal);
    const names = async () =>
      (await sql(engine.connector, 'SELECT id, name FROM users ORDER BY id')).rows?.map(
        ({ id, name }) => `${String(id)} ${String(name)}`,
      );
    const untouched = ['1 Ada', '2 Bob', '3 Cleo'];

    beforeAll(async () => {
      engine = await start();
      await sql(engine.connector, `CREATE TABLE users (id ${engine.key}, name TEXT NOT NULL, points BIGINT)`);
    });
    beforeEach(async () => {
      await sql(engine.connector, 'DELETE FROM users');
      await sql(engine.connector, "INSERT INTO users (id, name) VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cleo')");
    });
    afterAll(() => engine.end());

    test('all statements commit together, and each sees what those before it did', async () => {
      const seen = await run(async (statements) => {
        await statements.execute('INSERT INTO users (id, name) VALUES (:id, :name)', { id: 10, name: 'J' });
        const { affected } = await statements.execute('UPDATE users SET name = :n WHERE id = :id', { n: 'K', id: 10 });
        const { rows } = await statements.execute('SELECT id, name FROM users WHERE id = :id', { id: 10 });
        return { affected, rows };
      });
      expect(seen).toEqual({ affected: 1, rows: [{ id: 10n, name: 'K' }] });
      expect(await names()).toEqual([...untouched, '10 K']);
    });

    test('calls of the target that belong to a transaction commit and are undone with it', async () => {
      const { target } = engine.connector;
      const insert = target.prepare(describeCall('create', { target: 'users' }));
      const write = (fails: boolean) =>
        run(async (within) => {
          await insert({ payload: { id: 40, name: 'L' }, within });
          await insert({ payload: { id: fails ? 1 : 41, name: 'M' }, within });
        });
      expect(await failureOf(() => write(true))).toMatchObject({ code: 'constraint_violated' });
      expect(await names()).toEqual(untouched);
      await write(false);
      expect(await names()).toEqual([...untouched, '40 L', '41 M']);
    });

    test('what another transaction holds for too long is busy, and can be tried again', {
      timeout: 30_000,
    }, async () => {
      const other = await engine.another();
      const asked = isServer ? 'SELECT id FROM users WHERE id = 1 FOR UPDATE NOWAIT' : 'UPDATE users SET points = 2';
      await run(async ({ execute }) => {
        await execute('UPDATE users SET points = 1 WHERE id = 1', {});
        expect(await failureOf(() => sql(other, asked))).toMatchObject({ code: 'connector_busy', retriable: true });
      });
      await sql(other, asked);
    });

    test('R-93: a failure at any statement keeps nothing, and the connection stays usable', async () => {
      const statements = [
        ['DELETE FROM users WHERE id = :id', { id: 1 }],
        ["INSERT INTO users (id, name) VALUES (:id, 'x')", { id: 30 }],
        ["UPDATE users SET name = 'changed' WHERE id = :id", { id: 3 }],
      ] as const;
      const failing = ["INSERT INTO users (id, name) VALUES (:id, 'again')", { id: 2 }] as const;
      for (let at = 0; at <= statements.length; at++) {
        const failure = await failureOf(() =>
          run(async ({ execute }) => {
            for (const [query, params] of [...statements.slice(0, at), failing, ...statements.slice(at)])
              await execute(query, params);
          }),
        );
        expect({ at, code: failure.code }).toEqual({ at, code: 'constraint_violated' });
        expect(await names()).toEqual(untouched);
      }
    });

    test('R-24: an error of the caller rolls back', async () => {
      const failure = await failureOf(() =>
        run(async (statements) => {
          await statements.execute('DELETE FROM users WHERE id = 1', {});
          throw new TypeError('the list is not a list');
        }),
      );
      expect(failure.message).toBe('the list is not a list');
      expect(await names()).toEqual(untouched);
    });

    test('a statement that comes too late is refused', async () => {
      let late: (() => unknown) | undefined;
      await run(async (statements) => {
        late = () => statements.execute('DELETE FROM users', {});
      });
      expect((await failureOf(async () => late?.())).code).toBe('internal');
      expect(await names()).toEqual(untouched);
    });

    test('statements of others do not land inside, and transactions do not mix', async () => {
      const log: string[] = [];
      const held = Promise.withResolvers<void>();
      const first = run(async (statements) => {
        await statements.execute("INSERT INTO users (id, name) VALUES (20, 'first')", {});
        log.push('first inside');
        await held.promise;
        throw new Error('rolled back');
      }).catch(() => log.push('first ended'));
      await expect.poll(() => log).toEqual(['first inside']);
      const create = engine.connector.target.prepare(describeCall('create', { target: 'users' }));
      const plain = create({ payload: { id: 21, name: 'plain' } });
      const second = run(async (statements) => {
        await statements.execute("INSERT INTO users (id, name) VALUES (22, 'second')", {});
      });
      held.resolve();
      await Promise.all([first, plain, second]);
      expect(await names()).toEqual([...untouched, '21 plain', '22 second']);
    });

    test('what is not committed is seen by no other connection', async () => {
      const written = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const writing = run(async (statements) => {
        await statements.execute('DELETE FROM users', {});
        written.resolve();
        await held.promise;
      });
      await written.promise;
      // An engine with one connection lets readers wait, one with several answers with what was there before.
      const reading = names();
      const early = await Promise.race([
        reading,
        new Promise<undefined>((resolve) => setImmediate(resolve, undefined)),
      ]);
      expect([undefined, untouched]).toContainEqual(early);
      held.resolve();
      await writing;
      expect([[], untouched]).toContainEqual(await reading);
      expect(await names()).toEqual([]);
    });

    test('a signal that fired rolls back', async () => {
      const abort = new AbortController();
      const failure = await failureOf(() =>
        run(async (statements) => {
          await statements.execute('DELETE FROM users', {});
          abort.abort();
        }, abort.signal),
      );
      expect(failure.code).toBe('cancelled');
      expect(await names()).toEqual(untouched);
    });

    test('a list inside IN becomes its elements, and an empty one selects nothing', async () => {
      const found = await run(async ({ execute }) => {
        const ids = async (list: readonly number[]) =>
          (await execute('SELECT id FROM users WHERE id IN (:ids) ORDER BY id', { ids: list })).rows;
        return [await ids([1, 3]), await ids([])];
      });
      expect(found).toEqual([[{ id: 1n }, { id: 3n }], []]);
    });

    test('integers keep their digits both ways', async () => {
      const { rows } = await run(async ({ execute }): Promise<CallResult> => {
        await execute('UPDATE users SET points = :p WHERE id = 1', { p: 9_007_199_254_740_993n });
        return execute('SELECT points FROM users WHERE id = 1', {});
      });
      expect(rows).toEqual([{ points: 9_007_199_254_740_993n }]);
    });

    test('a parameter that is not given is named', async () => {
      const failure = await failureOf(() => run(async ({ execute }) => execute('SELECT :missing', {})));
      expect(failure.message).toContain('missing');
    });

    describe('R-93: whose connection breaks', () => {
      const insert = (connector: DatabaseConnector, n: number) =>
        connector.target.transactions.run(async (statements) => {
          await statements.execute('INSERT INTO broken (n) VALUES (:n)', { n });
          await statements.execute('INSERT INTO broken (n) VALUES (:n)', { n: n + 1 });
        }, undefined);
      const kept = async () => (await sql(engine.connector, 'SELECT n FROM broken ORDER BY n')).rows;
      beforeEach(async () => {
        await sql(engine.connector, 'DROP TABLE IF EXISTS broken');
        await sql(engine.connector, 'CREATE TABLE broken (n INT)');
      });

      test('at COMMIT: the outcome is unknown, whichever it was', async () => {
        if (engine.breaking === undefined) return;
        for (const [n, side] of [
          [1, 'cut'],
          [3, 'lose'],
        ] as const) {
          let committing = false;
          const connector = await engine.breaking({
            cut: (chunk) => {
              committing ||= chunk.includes('COMMIT');
              return committing && side === 'cut';
            },
            lose: () => committing && side === 'lose',
          });
          expect(await failureOf(() => insert(connector, n))).toMatchObject({
            code: 'outcome_unknown',
            retriable: true,
          });
        }
        // The first COMMIT never arrived, the second did and only its answer was lost.
        await expect.poll(kept).toEqual([{ n: 3 }, { n: 4 }]);
      });

      test('before COMMIT: nothing happened, and it can be repeated', async () => {
        if (engine.breaking === undefined) return;
        const connector = await engine.breaking({ cut: (chunk) => chunk.includes('INSERT INTO broken') });
        expect(await failureOf(() => insert(connector, 1))).toMatchObject({
          code: 'connector_refused',
          retriable: true,
        });
        expect(await kept()).toEqual([]);
      });
    });

    test('what a constraint refuses is reported as such, and is not retried', async () => {
      await sql(engine.connector, 'CREATE TABLE owners (id INTEGER PRIMARY KEY)');
      await sql(
        engine.connector,
        'CREATE TABLE held (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owners (id), n INTEGER CHECK (n > 0), code VARCHAR(20) UNIQUE)',
      );
      await sql(engine.connector, 'INSERT INTO owners VALUES (1)');
      await sql(engine.connector, "INSERT INTO held VALUES (1, 1, 1, 'a')");
      const create = engine.connector.target.prepare(describeCall('create', { target: 'held' }));
      const refused = [
        { id: 1, owner: 1 },
        { id: 2, owner: 1, code: 'a' },
        { id: 2, owner: null },
        { id: 2, owner: 7 },
        { id: 2, owner: 1, n: 0 },
      ];
      for (const payload of refused) {
        const { code, retriable } = await failureOf(() => create({ payload }));
        expect([payload, code, retriable]).toEqual([payload, 'constraint_violated', false]);
      }
      const deleting = await failureOf(() => sql(engine.connector, 'DELETE FROM owners WHERE id = 1'));
      expect(deleting.code).toBe('constraint_violated');
      const inside = await failureOf(() => run(async ({ execute }) => execute('INSERT INTO owners VALUES (1)', {})));
      expect([inside.code, inside.retriable]).toEqual(['constraint_violated', false]);
    });

    test('of two writers neither loses what the other wrote, and one of them makes a row that both want', async () => {
      const writers = [engine.connector, await engine.another()];
      const raise = ({ target }: DatabaseConnector) =>
        target.transactions.run(async ({ execute }) => {
          await execute('UPDATE users SET points = COALESCE(points, 0) + 1 WHERE id = 1', {});
        }, undefined);
      await Promise.all(Array.from({ length: 20 }, (_, at) => raise(writers[at % 2] as DatabaseConnector)));
      expect((await sql(engine.connector, 'SELECT points FROM users WHERE id = 1')).rows).toEqual([{ points: 20 }]);
      for (let id = 50; id < 55; id++) {
        const made = await Promise.allSettled(
          writers.map(async ({ target }) =>
            target.prepare(describeCall('create', { target: 'users' }))({ payload: { id, name: 'both' } }),
          ),
        );
        const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
        expect([made.filter(({ status }) => status === 'fulfilled').length, refused]).toEqual([
          1,
          ['constraint_violated'],
        ]);
      }
    });

    test('many at once are done one by one or side by side, and none is lost', async () => {
      await Promise.all(
        Array.from({ length: 25 }, (_, at) =>
          run(async ({ execute }) => {
            await execute('INSERT INTO users (id, name) VALUES (:id, :name)', { id: 100 + at, name: `n${at}` });
            await execute('UPDATE users SET points = COALESCE(points, 0) + 1 WHERE id = 1', {});
          }),
        ),
      );
      const { rows } = await sql(engine.connector, 'SELECT points FROM users WHERE id = 1');
      expect([await names().then((all) => all?.length), Number(rows?.[0]?.['points'])]).toEqual([28, 25]);
    });
  });
});
