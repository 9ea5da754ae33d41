import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallDescription, CallRequest, Verb } from '../../foundation/contracts/target.ts';
import type { DatabaseConnector } from './engine.ts';
import { checkTarget } from './statement/identifier.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, never, sql } from './testing/parts.ts';

describe.each(engines)('a table of $engine', ({ skip, start, answersInserted, name: keyText }) => {
  describe.skipIf(skip)('is read and written', () => {
    let connector: DatabaseConnector;
    let another: OpenEngine['another'];
    let end: () => Promise<void>;

    const call = async (verb: Verb, request: CallRequest, rest: Partial<CallDescription> = {}) =>
      connector.target.prepare(describeCall(verb, { target: rest.query === undefined ? 'users' : undefined, ...rest }))(
        request,
      );
    const rows = async () => (await sql(connector, 'SELECT * FROM users ORDER BY id')).rows;

    beforeAll(async () => {
      const open = await start();
      ({ connector, another, end } = open);
      const { key } = open;
      const odd = connector.dialect.quote('Odd Name');
      await sql(connector, `CREATE TABLE users (id ${key}, name TEXT NOT NULL, email ${keyText} UNIQUE, ${odd} TEXT)`);
    });
    beforeEach(async () => {
      await sql(connector, 'DELETE FROM users');
      await sql(
        connector,
        "INSERT INTO users (id, name, email) VALUES (1, 'Ada', 'ada@x'), (2, 'Bob', NULL), (3, 'Cleo', NULL)",
      );
    });
    afterAll(() => end());

    const ada = { id: 1, name: 'Ada', email: 'ada@x', 'Odd Name': null };
    const bob = { id: 2, name: 'Bob', email: null, 'Odd Name': null };
    const cleo = { id: 3, name: 'Cleo', email: null, 'Odd Name': null };

    test('filters are equal, null or one of a list', async () => {
      expect((await call('read', { filters: { id: 1 } })).rows).toEqual([ada]);
      expect((await call('read', { filters: { id: '1' } })).rows).toEqual([ada]);
      expect((await call('read', { filters: { name: 'Bob', email: null } })).rows).toEqual([bob]);
      expect((await call('read', { filters: { id: [1, 3] } })).rows).toEqual([ada, cleo]);
      expect((await call('read', { filters: { id: [] } })).rows).toEqual([]);
      expect((await call('read', { filters: { id: undefined } })).rows?.length).toBe(3);
      expect((await call('read', { filters: { ID: 2 } })).rows).toEqual([bob]);
    });

    test('one prepared call answers for changing names and comparisons', async () => {
      const read = connector.target.prepare(describeCall('read', { target: 'users' }));
      const asked: CallRequest['filters'][] = [
        { id: 1 },
        { id: [1, 2] },
        { id: [2] },
        { id: null },
        { name: 'Bob' },
        { id: 1, name: 'Ada' },
        { name: 'Ada', id: 1 },
        {},
        { id: 1 },
      ];
      const found: unknown[] = [];
      for (const filters of asked) found.push((await read({ filters })).rows?.map((row) => row['id']));
      expect(found).toEqual([[1], [1, 2], [2], [], [2], [1], [1], [1, 2, 3], [1]]);
    });

    test('integers are bigint for expressions', async () => {
      expect((await call('read', { filters: { id: 1 } }, { exact: true })).rows).toEqual([{ ...ada, id: 1n }]);
    });

    test('a row is created, changed and deleted', async () => {
      const created = await call('create', { payload: { name: 'Dan', id: 9, email: undefined } });
      const dan = { id: 9, name: 'Dan', email: null, 'Odd Name': null };
      expect(created).toEqual({ affected: 1, ...(answersInserted === 'row' ? { rows: [dan] } : { id: 9 }) });
      expect(await call('update', { payload: { name: 'Don', email: 'd@x' }, filters: { id: 9 } })).toEqual({
        affected: 1,
      });
      expect((await call('read', { filters: { id: 9 } })).rows).toEqual([{ ...dan, name: 'Don', email: 'd@x' }]);
      expect(await call('delete', { filters: { id: 9 } })).toEqual({ affected: 1 });
      expect(await call('delete', { filters: { id: 9 } })).toEqual({ affected: 0 });
      expect(await call('delete', { filters: { id: [] } })).toEqual({ affected: 0 });
      expect(await rows()).toEqual([ada, bob, cleo]);
    });

    test.each(['update', 'delete'] as const)(
      '%s without any filter is refused before it reaches the database',
      async (verb) => {
        for (const filters of [undefined, {}, { id: undefined }]) {
          const failure = await failureOf(() => call(verb, { payload: { name: 'x' }, filters }));
          expect(failure).toMatchObject({ code: 'filter_missing', message: expect.stringContaining('`query`') });
        }
        expect(await rows()).toEqual([ada, bob, cleo]);
      },
    );

    test.each(['update', 'delete'] as const)(
      '%s of a row whose key is null is refused with its field',
      async (verb) => {
        for (const filters of [{ id: null }, { name: 'Ada', id: null }, { id: [1, null] }]) {
          const failure = await failureOf(() => call(verb, { payload: { name: 'x' }, filters }));
          expect(failure).toMatchObject({ code: 'value_refused', fields: ['id'] });
        }
        expect(await rows()).toEqual([ada, bob, cleo]);
      },
    );

    test('nothing to write is a failure', async () => {
      expect((await failureOf(() => call('create', { payload: {} }))).code).toBe('nothing_to_write');
      expect((await failureOf(() => call('update', { filters: { id: 1 } }))).code).toBe('nothing_to_write');
    });

    test('S-49: names from the message that are not columns are refused, naming each', async () => {
      const hostile = [
        'name) VALUES (1);--',
        "name\" = 'x' --",
        'nope',
        '__proto__',
        'constructor',
        'na\u0000me',
        'name, email',
        '',
      ];
      for (const name of hostile) {
        const payload = JSON.parse(JSON.stringify({ name: 'x' }).replace('}', `,${JSON.stringify(name)}:1}`));
        const expected = { code: 'value_refused', fields: [name] };
        expect(await failureOf(() => call('create', { payload }))).toMatchObject(expected);
        expect(await failureOf(() => call('update', { payload, filters: { id: 1 } }))).toMatchObject(expected);
        const filters = Object.fromEntries([[name, 1]]);
        if (name !== '__proto__') expect(await failureOf(() => call('delete', { filters }))).toMatchObject(expected);
      }
      expect(await failureOf(() => call('create', { payload: { a: 1, b: 2, name: 'x' } }))).toMatchObject({
        fields: ['a', 'b'],
        message: 'users has no column "a"; users has no column "b"',
      });
      expect(await rows()).toEqual([ada, bob, cleo]);
    });

    test('S-49: two names for one column are refused', async () => {
      const failure = await failureOf(() => call('create', { payload: { name: 'x', NAME: 'y' } }));
      expect(failure).toMatchObject({ code: 'value_refused', fields: ['NAME'] });
    });

    test('a column that was added since is found', async () => {
      const create = connector.target.prepare(describeCall('create', { target: 'grown' }));
      const read = connector.target.prepare(describeCall('read', { target: 'grown' }));
      await sql(connector, 'CREATE TABLE grown (a TEXT)');
      await create({ payload: { a: 'x' } });
      await read({});
      // As another process does it: this connector is not notified.
      const other = await another();
      await sql(other, 'ALTER TABLE grown ADD COLUMN b TEXT');
      await create({ payload: { a: 'y', b: 'z' } });
      expect((await read({})).rows).toEqual([
        { a: 'x', b: null },
        { a: 'y', b: 'z' },
      ]);
      await sql(other, 'ALTER TABLE grown DROP COLUMN b');
      await failureOf(() => create({ payload: { a: 'y', b: 'z' } }));
      expect((await failureOf(() => create({ payload: { a: 'y', b: 'z' } }))).code).toBe('value_refused');
      expect((await read({})).rows).toEqual([{ a: 'x' }, { a: 'y' }]);
    });

    test('a target of the message is a plain name of an existing table', async () => {
      const read = connector.target.prepare(describeCall('read', {}));
      expect((await read({ target: 'users', filters: { id: 1 } })).rows).toEqual([ada]);
      const hostile = [
        'users; DROP TABLE users',
        'users WHERE 1=1',
        '"users"',
        'sqlite_schema',
        'pg_catalog.pg_class',
        'pg_class',
        '_svc_migrations',
        'nowhere',
        'a.b.c',
      ];
      for (const target of hostile) {
        expect(await failureOf(() => read({ target }))).toMatchObject({ code: 'value_refused', fields: ['target'] });
      }
      expect((await failureOf(() => read({}))).code).toBe('connector_failed');
    });

    test('a missing table says what to do', async () => {
      for (const failure of [
        await failureOf(() => call('read', {}, { target: 'nowhere' })),
        await failureOf(() => sql(connector, 'SELECT * FROM nowhere')),
      ]) {
        expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
        expect(failure.message).toMatch(/nowhere.*`svc migrate`/);
      }
    });

    test('constraints are reported as such', async () => {
      expect((await failureOf(() => call('create', { payload: { name: 'x', email: 'ada@x' } }))).code).toBe(
        'constraint_violated',
      );
      expect((await failureOf(() => call('create', { payload: { email: 'y@x' } }))).code).toBe('constraint_violated');
    });

    test('an unknown operation or a call is refused', async () => {
      expect(
        (await failureOf(() => call('create', { payload: { name: 'x' } }, { operation: 'MERGE' }))).message,
      ).toContain('"MERGE"');
      expect((await failureOf(() => call('call', {}))).code).toBe('connector_failed');
      expect((await call('read', {}, { operation: 'select', target: 'users' })).rows?.length).toBe(3);
      expect(
        (await call('read', { params: { id: 2 } }, { operation: 'SELECT name FROM users WHERE id = :id' })).rows,
      ).toEqual([{ name: 'Bob' }]);
    });

    describe('S-48: parameters of a query', () => {
      const ask = async (query: string, params: CallRequest['params']) => (await sql(connector, query, params)).rows;

      test('values are never read as SQL', async () => {
        const hostile = ["'; DROP TABLE users;--", ':other', '$1', '?', "12:30:00'", '\\', "E'\\''", '/*', '--', '$$'];
        for (const value of hostile) {
          expect(await ask('SELECT name FROM users WHERE name = :name', { name: value })).toEqual([]);
          await sql(connector, 'UPDATE users SET name = :name WHERE id = :id', { name: value, id: 3 });
          expect(await ask('SELECT name FROM users WHERE id = 3', {})).toEqual([{ name: value }]);
        }
        expect((await rows())?.slice(0, 2)).toEqual([ada, bob]);
      });

      test('names that begin with the same letters, and the same name several times', async () => {
        expect(
          await ask('SELECT id FROM users WHERE id = :id OR id = :id2 OR (name = :id_name AND id = :id) ORDER BY id', {
            id: 1,
            id2: 3,
            id_name: 'x',
          }),
        ).toEqual([{ id: 1 }, { id: 3 }]);
      });

      test('names inside texts, comments and identifiers stay as they are', async () => {
        const query = `SELECT ':a' AS ":b", '12:30:00' AS c /* :d */, name -- :e\n FROM users WHERE id = :id`;
        expect(await ask(query, { id: 1, a: 'x', b: 'x', d: 'x', e: 'x' })).toEqual([
          { ':b': ':a', c: '12:30:00', name: 'Ada' },
        ]);
      });

      test('a list inside IN becomes its elements, and an empty one selects nothing', async () => {
        const query = 'SELECT id FROM users WHERE id IN (:ids) AND name <> :name ORDER BY id';
        expect(await ask(query, { ids: [1, 2], name: 'Bob' })).toEqual([{ id: 1 }]);
        expect(await ask(query, { ids: [1, 2, 3], name: 'Bob' })).toEqual([{ id: 1 }, { id: 3 }]);
        expect(await ask(query, { ids: [], name: 'Bob' })).toEqual([]);
        expect(await ask(query, { ids: 3, name: 'Bob' })).toEqual([{ id: 3 }]);
      });

      test('a list of parameters binds question marks', async () => {
        expect(await ask('SELECT id FROM users WHERE name = ? AND id IN (?) ORDER BY id', ['Ada', [1, 2]])).toEqual([
          { id: 1 },
        ]);
        expect((await failureOf(() => ask('SELECT id FROM users WHERE id = ?', []))).message).toContain('parameter 1');
        expect((await failureOf(() => ask('SELECT id FROM users WHERE id = ?', [1, 2]))).message).toContain('2 values');
        expect((await failureOf(() => ask('SELECT id FROM users WHERE id = :id', [1]))).message).toContain(':id');
      });

      test('a name that the message lacks is named, with the flow', async () => {
        for (const name of ['nope', 'constructor', '__proto__', 'toString']) {
          const failure = await failureOf(() => ask(`SELECT :${name}`, { id: 1 }));
          expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
          expect(failure.message).toBe(`flow "f" (to): the query reads :${name}, and the message has no "${name}"`);
        }
      });

      test('parameters win over the payload, and the payload over the filters', async () => {
        const write = connector.target.prepare(
          describeCall('update', { query: 'UPDATE users SET name = :name, email = :email WHERE id = :id' }),
        );
        const request = {
          params: { email: 'p' },
          payload: { name: 'payload', email: 'no' },
          filters: { id: 2, name: 'no' },
        };
        expect(await write(request)).toEqual({ affected: 1 });
        expect((await call('read', { filters: { id: 2 } })).rows).toEqual([{ ...bob, name: 'payload', email: 'p' }]);
      });

      test('several statements in one query are refused', async () => {
        const failure = await failureOf(() => ask("UPDATE users SET name = 'x'; DELETE FROM users", {}));
        expect(failure.message).toContain('one statement');
        expect(await ask("SELECT ';' AS a;", {})).toEqual([{ a: ';' }]);
        expect(await rows()).toEqual([ada, bob, cleo]);
      });

      test('a write that answers rows answers rows', async () => {
        const result = await sql(connector, "INSERT INTO users (id, name) VALUES (7, 'G') RETURNING id, name");
        expect(result).toEqual({ rows: [{ id: 7, name: 'G' }], affected: 1 });
      });
    });

    test('a signal that has fired stops a statement', async () => {
      const failure = await failureOf(() => call('delete', { filters: { id: 1 }, signal: AbortSignal.abort() }));
      expect(failure.code).toBe('cancelled');
      expect(await rows()).toEqual([ada, bob, cleo]);
    });

    test('health is asked of the database', async () => {
      await connector.check?.(never);
    });
  });
});

test.each([
  ['users', true],
  ['shop.users', true],
  ['input.table', true],
  ['input.a.b', true],
  ['products WHERE id = :id', false],
  ['INSERT audit_log', false],
  ['a.b.c', false],
  ['users;', false],
  ['', false],
])('whether %s is a target', (target, fine) => {
  expect(checkTarget(target) === undefined).toBe(fine);
});
