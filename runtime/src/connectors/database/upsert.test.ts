import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import type { DatabaseConnector } from './engine.ts';
import { engines } from './testing/engines.ts';
import { describeCall, failureOf, sql } from './testing/parts.ts';

describe.each(engines)('an upsert of $engine', ({ skip, start, answersInserted, name: keyText, withoutCounter }) => {
  describe.skipIf(skip)('is one statement', () => {
    let connector: DatabaseConnector;
    let end: () => Promise<void>;

    const upsert = async (
      payload: CallRequest['payload'],
      conflict: readonly string[] | undefined = ['id'],
      target = 'users',
      request: CallRequest = {},
    ) =>
      connector.target.prepare(describeCall('create', { target, operation: 'upsert', words: { conflict } }))({
        payload,
        ...request,
      });
    const rows = async (table = 'users') => (await sql(connector, `SELECT * FROM ${table} ORDER BY 1, 2`)).rows;
    const answered = (row: Readonly<Record<string, unknown>>) =>
      answersInserted === 'row' ? { affected: 1, rows: [row] } : { affected: 1, id: row['id'] };

    beforeAll(async () => {
      const open = await start();
      ({ connector, end } = open);
      const { quote } = connector.dialect;
      await sql(connector, `CREATE TABLE users (id ${open.key}, name ${keyText}, email ${keyText} UNIQUE)`);
      await sql(
        connector,
        `CREATE TABLE places (shop ${keyText} NOT NULL, ${quote('the shelf')} INTEGER NOT NULL, n INTEGER,
         PRIMARY KEY (shop, ${quote('the shelf')})) ${withoutCounter}`,
      );
      await sql(connector, `CREATE TABLE loose (code ${keyText}, n INTEGER)`);
    });
    beforeEach(async () => {
      for (const table of ['users', 'places', 'loose']) await sql(connector, `DELETE FROM ${table}`);
      await sql(connector, "INSERT INTO users (id, name, email) VALUES (1, 'Ada', 'ada@x'), (2, 'Bob', 'bob@x')");
    });
    afterAll(() => end());

    const ada = { id: 1, name: 'Ada', email: 'ada@x' };
    const bob = { id: 2, name: 'Bob', email: 'bob@x' };

    test('a row that does not exist is inserted, and one that exists is changed', async () => {
      const eve = { id: 7, name: 'Eve', email: null };
      expect(await upsert({ id: 7, name: 'Eve' })).toEqual(answered(eve));
      expect(await upsert({ name: 'Ann', id: 1 })).toEqual(answered({ ...ada, name: 'Ann' }));
      expect(await rows()).toEqual([{ ...ada, name: 'Ann' }, bob, eve]);
    });

    test('a repetition writes the same row and answers the same', async () => {
      const first = await upsert({ id: 7, name: 'Eve', email: 'eve@x' });
      expect(await upsert({ id: 7, name: 'Eve', email: 'eve@x' })).toEqual(first);
      expect(first).toEqual(answered({ id: 7, name: 'Eve', email: 'eve@x' }));
      expect(await rows()).toHaveLength(3);
    });

    test('a unique key finds the row, whose own key is answered, not that of an earlier row', async () => {
      await sql(connector, "INSERT INTO users (id, name) VALUES (9, 'Ian')");
      expect(await upsert({ email: 'ada@x', name: 'Ann' }, ['email'])).toEqual(answered({ ...ada, name: 'Ann' }));
      expect(await upsert({ email: 'ada@x', name: 'Ann' }, ['email'])).toEqual(answered({ ...ada, name: 'Ann' }));
      const made = await upsert({ email: 'new@x', name: 'New' }, ['EMAIL']);
      const [row] = (await sql(connector, "SELECT * FROM users WHERE email = 'new@x'")).rows ?? [];
      expect(made).toEqual(answered(row ?? {}));
    });

    test('a key of several columns, and a payload that is nothing but the key', async () => {
      const key = ['the shelf', 'shop'];
      for (const n of [1, 2]) await upsert({ shop: 'a', 'the shelf': 3, n }, key, 'places');
      await upsert({ shop: 'a', 'the shelf': 4 }, key, 'places');
      await upsert({ shop: 'a', 'the shelf': 3 }, key, 'places');
      expect(await rows('places')).toEqual([
        { shop: 'a', 'the shelf': 3, n: 2 },
        { shop: 'a', 'the shelf': 4, n: null },
      ]);
    });

    test('a row that another key finds is not changed', async () => {
      expect((await failureOf(() => upsert({ id: 7, name: 'Eve', email: 'ada@x' }))).code).toBe('constraint_violated');
      expect((await failureOf(() => upsert({ id: 2, name: 'Eve', email: 'ada@x' }))).code).toBe('constraint_violated');
      expect((await failureOf(() => upsert({ id: 2, email: 'ada@x' }, ['email']))).code).toBe('constraint_violated');
      expect(await rows()).toEqual([ada, bob]);
    });

    test('the same holds for a table without a primary key', async () => {
      await sql(connector, `CREATE TABLE codes (code ${keyText} UNIQUE, other ${keyText} UNIQUE, n INTEGER)`);
      for (const n of [1, 2]) await upsert({ code: 'a', other: 'b', n }, ['code'], 'codes');
      const failure = await failureOf(() => upsert({ code: 'c', other: 'b', n: 3 }, ['code'], 'codes'));
      expect(failure.code).toBe('constraint_violated');
      expect(await rows('codes')).toEqual([{ code: 'a', other: 'b', n: 2 }]);
    });

    test('expressions read its key as int', async () => {
      const call = describeCall('create', {
        target: 'users',
        operation: 'UPSERT',
        words: { conflict: ['id'] },
        exact: true,
      });
      const answer = await connector.target.prepare(call)({ payload: { id: 2, name: 'Bo' } });
      expect(answer.rows?.[0]?.['id'] ?? answer.id).toBe(2n);
    });

    test('it belongs to the transaction of its request', async () => {
      const failure = new Error('undone');
      const work = connector.target.transactions.run(async (within) => {
        await upsert({ id: 1, name: 'Ann' }, ['id'], 'users', { within });
        throw failure;
      }, undefined);
      await expect(work).rejects.toBe(failure);
      expect(await rows()).toEqual([ada, bob]);
    });

    test.each([
      ['no column of the table', ['nope'], 'users', 'users has no column "nope"'],
      ['SQL', ['id) DO NOTHING --'], 'users', 'users has no column "id) DO NOTHING --"'],
      ['a column that is not unique', ['name'], 'users', '"name" is neither the primary key nor a unique key of users'],
      ['a part of a key', ['shop'], 'places', '"shop" is neither the primary key nor a unique key of places'],
      ['more than a key', ['id', 'email'], 'users', '"id", "email" is neither the primary key nor a unique key'],
      ['no key of the table', ['code'], 'loose', '"code" is neither the primary key nor a unique key of loose'],
      ['nothing', undefined, 'users', 'UPSERT finds the row by `conflict`, which names no column'],
    ])('S-49: `conflict` names %s', async (_what, conflict, target, message) => {
      const payload = { id: 1, name: 'x', shop: 's', code: 'c', email: 'e' };
      const failure = await failureOf(() => upsert(payload, conflict ?? [], target));
      expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
      expect(failure.message).toContain(message);
      expect(await rows()).toEqual([ada, bob]);
    });

    test('a unique key that is made while the service runs is found', async () => {
      const target = 'growing';
      await sql(connector, `CREATE TABLE growing (code ${keyText} NOT NULL, n INTEGER)`);
      expect((await failureOf(() => upsert({ code: 'a', n: 1 }, ['code'], target))).code).toBe('connector_failed');
      await sql(connector, 'CREATE UNIQUE INDEX growing_code ON growing (code)');
      for (const n of [1, 2]) await upsert({ code: 'a', n }, ['code'], target);
      expect(await rows(target)).toEqual([{ code: 'a', n: 2 }]);
    });

    test('a payload without a value of the key is refused by name', async () => {
      for (const payload of [{ name: 'x' }, { id: null, name: 'x' }, { id: undefined, name: 'x' }])
        expect(await failureOf(() => upsert(payload))).toMatchObject({ code: 'value_refused', fields: ['id'] });
      expect(await failureOf(() => upsert({ id: 1, nope: 2 }))).toMatchObject({
        code: 'value_refused',
        fields: ['nope'],
      });
      expect((await failureOf(() => upsert({}))).code).toBe('nothing_to_write');
    });

    test('what is wrong with the key of a table can be asked at start', async () => {
      const { schema } = connector;
      expect(await schema.conflictProblem('users', ['email'])).toBeUndefined();
      expect(await schema.conflictProblem('later', ['id'])).toBeUndefined();
      expect(await schema.conflictProblem('users', ['name'])).toBe(
        '"name" is neither the primary key nor a unique key of users',
      );
    });
  });
});
