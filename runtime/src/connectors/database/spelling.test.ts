import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import { comparisonsIn } from './statement/comparisons.ts';
import { scan } from './statement/scanner.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, sql } from './testing/parts.ts';

const others: readonly unknown[] = [true, false, '05', '5.0', '+5', ' 5', '5 ', '-0', '5e0', '0x5', '５', '', 'five'];

describe.each(engines)(
  'one spelling for a row of $engine',
  ({ skip, start, placeholder, truthIsInteger, checksUuid }) => {
    let open: OpenEngine;
    beforeAll(async () => {
      if (skip) return;
      open = await start();
      await sql(open.connector, 'CREATE TABLE accounts (id BIGINT PRIMARY KEY, note TEXT, balance INTEGER)');
      await sql(open.connector, "INSERT INTO accounts VALUES (5, '05', 100)");
    });
    afterAll(() => (skip ? undefined : open.end()));

    const prepare = (verb: 'read' | 'update' | 'delete', rest: object) =>
      open.connector.target.prepare(describeCall(verb, rest));
    const asked = (id: unknown): readonly (readonly [string, () => unknown])[] => {
      const table = (verb: 'read' | 'update' | 'delete', request: CallRequest) =>
        prepare(verb, { target: 'accounts' })(request);
      const query = (text: string) => prepare('read', { query: text })({ params: { id } });
      const listed = (text: string, before: readonly unknown[] = []) =>
        prepare('read', { query: text })({ params: [...before, id] });
      return [
        ['read', () => table('read', { filters: { id } })],
        ['update', () => table('update', { filters: { id }, payload: { note: 'x' } })],
        ['write', () => table('update', { filters: { note: 'none' }, payload: { balance: id } })],
        ['delete', () => table('delete', { filters: { id } })],
        [
          'named twice',
          () =>
            table('update', {
              filters: { id },
              naming: { made: { id: 5 }, given: {}, isCalled: true },
              payload: { note: 'x' },
            }),
        ],
        ['list', () => table('read', { filters: { id: ['7', id] } })],
        ['query', () => query('SELECT * FROM accounts WHERE id = :id')],
        ['alias', () => query('SELECT a.* FROM accounts AS a WHERE a.id=:id AND note IS NOT NULL')],
        ['reversed', () => query('SELECT * FROM accounts WHERE :id = id')],
        ['in', () => query('SELECT * FROM accounts WHERE id IN (1, :id)')],
        ['statement', () => query('UPDATE accounts SET balance = balance - 1 WHERE accounts.id = :id')],
        ['values', () => query("INSERT INTO accounts (note, id) VALUES ('a,(b', :id)")],
        ['rows', () => query('INSERT INTO accounts (id, balance) VALUES (7, lower(1, 2)), (:id, 3)')],
        ['bare values', () => query("INSERT INTO accounts VALUES (:id, 'x', 1)")],
        ['listed', () => listed(`SELECT * FROM accounts WHERE id = ?`)],
        [
          'numbered',
          () => listed(`SELECT * FROM accounts WHERE id = ${placeholder?.(2)} AND note = ${placeholder?.(1)}`, ['x']),
        ],
        ['listed values', () => listed(`INSERT INTO accounts (id) VALUES (?)`)],
        [
          'transaction',
          () =>
            open.connector.target.transactions.run(
              async (statements) =>
                statements.execute('UPDATE accounts SET balance = balance - 1 WHERE id = :id', { id }),
              undefined,
            ),
        ],
      ];
    };

    test.skipIf(skip).each(others)('refuses %j for an integer, naming the field, wherever it comes', async (id) => {
      const isValue = (way: string) => way === 'write' && truthIsInteger && typeof id === 'boolean';
      const isOdd = (way: string) => way === 'numbered' && placeholder === undefined;
      for (const [way, work] of asked(id).filter(([name]) => !isValue(name) && !isOdd(name))) {
        const failure = await failureOf(async () => work());
        expect([way, failure.code], way).toEqual([way, 'value_refused']);
        expect([way, failure.message.includes('must be a whole number'), failure.fields.length]).toEqual([
          way,
          true,
          1,
        ]);
      }
      expect(await sql(open.connector, 'SELECT * FROM accounts')).toEqual({
        rows: [{ id: 5, balance: 100, note: '05' }],
      });
    });

    test.skipIf(skip || !truthIsInteger)('keeps true and false in integer columns that name no row', async () => {
      await sql(open.connector, 'CREATE TABLE tasks (id INTEGER PRIMARY KEY, done INTEGER)');
      await open.connector.target.prepare(describeCall('create', { target: 'tasks' }))({
        payload: { id: 1, done: true },
      });
      const done = open.connector.target.prepare(
        describeCall('update', { query: 'UPDATE tasks SET done = :done WHERE id = :id' }),
      );
      expect(await prepare('read', { target: 'tasks' })({ filters: { done: true } })).toEqual({
        rows: [{ id: 1, done: 1 }],
      });
      await done({ params: { id: 1, done: false } });
      expect(await sql(open.connector, 'SELECT * FROM tasks')).toMatchObject({ rows: [{ done: 0 }] });
    });

    test.skipIf(skip)('takes plain digits and numbers, and any text for a text column', async () => {
      for (const id of ['5', 5, 5n]) {
        expect(await prepare('read', { target: 'accounts' })({ filters: { id } })).toMatchObject({
          rows: [{ balance: 100 }],
        });
        const query = prepare('read', { query: 'SELECT * FROM accounts WHERE id = :id' });
        expect(await query({ params: { id } })).toMatchObject({ rows: [{ balance: 100 }] });
      }
      expect(await prepare('read', { target: 'accounts' })({ filters: { note: '05' } })).toMatchObject({ rows: [{}] });
      const text = prepare('read', { query: 'SELECT * FROM accounts WHERE note = :id' });
      expect(await text({ params: { id: '05' } })).toMatchObject({ rows: [{}] });
      const listed = prepare('read', { query: 'SELECT * FROM accounts WHERE id = ? AND note = ?' });
      expect(await listed({ params: ['5', '05'] })).toMatchObject({ rows: [{}] });
      const negative = prepare('read', { query: 'SELECT * FROM accounts WHERE id > :id' });
      expect(await negative({ params: { id: '-7' } })).toMatchObject({ rows: [{}] });
    });

    test.skipIf(skip)('a uuid is kept and found in lower case with hyphens', async () => {
      await sql(open.connector, 'CREATE TABLE things (id UUID, name TEXT)');
      const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
      await open.connector.target.prepare(describeCall('create', { target: 'things' }))({
        payload: { id: id.toUpperCase(), name: 'x' },
      });
      for (const spelled of [
        id,
        id.toUpperCase(),
        `{${id}}`,
        id.replaceAll('-', ''),
        'A0EE-BC99-9C0B-4EF8-BB6D-6BB9-BD38-0A11',
      ])
        expect(await prepare('read', { target: 'things' })({ filters: { id: spelled } })).toEqual({
          rows: [{ id, name: 'x' }],
        });
      expect(
        !checksUuid || (await failureOf(() => prepare('read', { target: 'things' })({ filters: { id: 'x' } }))).code,
      ).not.toBe('internal');
    });
  },
);

describe.each(engines)('UUIDs in written statements of $engine', ({ placeholder, skip, start }) => {
  const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
  const others = [id.toUpperCase(), `{${id}}`, id.replaceAll('-', ''), 'A0EE-BC99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'];
  let open: OpenEngine;
  beforeAll(async () => {
    if (skip) return;
    open = await start();
    await sql(open.connector, 'CREATE TABLE parts (id UUID, note TEXT, n INTEGER)');
  });
  afterAll(() => (skip ? undefined : open.end()));
  const prepare = (verb: 'read' | 'create' | 'update' | 'delete', query: string) =>
    open.connector.target.prepare(describeCall(verb, { query }));
  const mark = placeholder?.(1) ?? '?';

  test.skipIf(skip).each(others)('are kept, compared and deleted in lower case with hyphens: %s', async (spelled) => {
    const row = { id, note: spelled, n: 1 };
    const written = prepare('create', 'INSERT INTO parts VALUES (:id, :note, 1)');
    await written({ params: { id: spelled, note: spelled } });
    const rows = { rows: [row] };
    expect(await prepare('read', 'SELECT * FROM parts WHERE id = :id')({ params: { id: spelled } })).toEqual(rows);
    expect(await prepare('read', 'SELECT * FROM parts WHERE id IN (:ids)')({ params: { ids: [spelled] } })).toEqual(
      rows,
    );
    expect(await prepare('read', `SELECT * FROM parts WHERE id = ${mark}`)({ params: [spelled] })).toEqual(rows);
    expect(await prepare('read', 'SELECT * FROM parts WHERE note = :note')({ params: { note: spelled } })).toEqual(
      rows,
    );
    await open.connector.target.transactions.run(
      async (statements) => statements.execute('DELETE FROM parts WHERE id = :id', { id: spelled }),
      undefined,
    );
    expect(await sql(open.connector, 'SELECT * FROM parts')).toEqual({ rows: [] });
  });
});

describe('an INSERT of SQLite that names no columns', () => {
  const { start } = engines.find(({ engine }) => engine === 'sqlite') as (typeof engines)[number];

  test('has values for the columns that are not generated', async () => {
    const { connector, end } = await start();
    await sql(
      connector,
      'CREATE TABLE sums (a INTEGER, twice INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL, kept INTEGER AS (a) STORED, note TEXT, b INTEGER)',
    );
    const insert = connector.target.prepare(
      describeCall('create', { query: 'INSERT INTO sums VALUES (:a, :note, :b)' }),
    );
    await insert({ params: { a: 1, note: 'x', b: 2 } });
    expect(await sql(connector, 'SELECT * FROM sums')).toEqual({
      rows: [{ a: 1, twice: 2, kept: 1, note: 'x', b: 2 }],
    });
    const refused = await failureOf(async () => insert({ params: { a: 1, note: 'x', b: '05' } }));
    expect(refused).toMatchObject({ code: 'value_refused', fields: ['b'] });
    await end();
  });
});

describe('the columns that parameters are beside', () => {
  test.each([
    ['SELECT * FROM t WHERE id = :a', [['a', 'id', ['t']]]],
    [
      'SELECT * FROM "my_t" x JOIN u ON u.n = :b WHERE x."id">=:a',
      [
        ['b', 'n', ['u']],
        ['a', 'id', ['my_t']],
      ],
    ],
    [
      'UPDATE s.t SET n = :n, m = m + :m WHERE id in (1, :a)',
      [
        ['n', 'n', ['s.t']],
        ['a', 'id', ['s.t']],
      ],
    ],
    ["SELECT ':x', 'id =' || :a FROM t", []],
    ['SELECT * FROM t WHERE lower(id) = :a AND abs(:b) = id', []],
    ['DELETE FROM t WHERE :a = t.id', [['a', 'id', ['t']]]],
    [
      'INSERT OR REPLACE INTO "T" ("Id", n) VALUES (:a, :b + 1), (\'),(\', :c) ON CONFLICT DO UPDATE SET n = :d',
      [
        ['a', 'Id', ['T']],
        ['c', 'n', ['T']],
        ['d', 'n', ['T']],
      ],
    ],
    [
      'INSERT INTO t VALUES (now(1, 2), ?, ?3)',
      [
        [0, 1, ['t']],
        [2, 2, ['t']],
      ],
    ],
  ])('%s', (text, expected) => {
    const found = comparisonsIn(scan(text, sqliteDialect.lexis).pieces, sqliteDialect.lexis);
    expect(found.map(({ parameter, column, tables }) => [parameter, column, tables])).toEqual(expected);
  });
});
