import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallRequest, Verb } from '../../contracts/target.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, sql } from './testing/parts.ts';

/** What every relational engine makes of the parameters that an operation on a table declares. */
describe.each(engines)('parameters of operations on tables of $engine', ({ skip, start }) => {
  describe.skipIf(skip)('that are declared', () => {
    let engine: OpenEngine;
    const parameters = ['limit', 'offset', 'sort', 'kind', 'page'];
    const call = async (verb: Verb, request: CallRequest, declared: readonly string[] = parameters) =>
      engine.connector.target.prepare(describeCall(verb, { target: 'items', parameters: declared }))(request);
    const ids = async (request: CallRequest, declared?: readonly string[]) =>
      (await call('read', request, declared)).rows?.map(({ id }) => id);

    beforeAll(async () => {
      engine = await start({ tables: ['items'] });
      await sql(engine.connector, `CREATE TABLE items (id ${engine.key}, kind TEXT, place INTEGER)`);
      await sql(engine.connector, 'CREATE TABLE secrets (id INTEGER)');
      await sql(
        engine.connector,
        "INSERT INTO items (id, kind, place) VALUES (1, 'a', 3), (2, 'b', 1), (3, 'a', 2), (4, 'b', 2)",
      );
    });
    afterAll(() => engine.end());

    test.each<[Record<string, unknown>, number[]]>([
      [{ sort: 'id', limit: 2 }, [1, 2]],
      [{ sort: 'id', limit: '2', offset: 1n }, [2, 3]],
      [{ sort: 'id', offset: 3 }, [4]],
      [{ sort: '-id', limit: 0 }, []],
      [{ sort: 'place,-id' }, [2, 4, 3, 1]],
      [{ sort: 'PLACE desc, id' }, [1, 3, 4, 2]],
      [{ sort: ['place', '+id'], kind: 'a' }, [3, 1]],
      [{ sort: 'id', limit: null, offset: '', kind: ['a', 'b'] }, [1, 2, 3, 4]],
      [{ sort: 'id', page: 'anything', limit: 1 }, [1]],
    ])('page, sort and find: %o', async (asked, found) => {
      expect(await ids({ filters: asked })).toEqual(found);
      expect(await ids({ params: asked })).toEqual(found);
    });

    test.each<[Record<string, unknown>, string]>([
      [{ limit: -1 }, 'limit'],
      [{ limit: '1; DROP TABLE items' }, 'limit'],
      [{ offset: 1.5 }, 'offset'],
      [{ offset: '99999999999999999999' }, 'offset'],
      [{ sort: 'nowhere' }, 'sort'],
      [{ sort: 'id; DROP TABLE items' }, 'sort'],
      [{ sort: '(SELECT 1)' }, 'sort'],
      [{ sort: Array(17).fill('id') }, 'sort'],
    ])('S-49: are refused by name: %j', async (filters, field) => {
      expect(await failureOf(() => call('read', { filters }))).toMatchObject({
        code: 'value_refused',
        fields: [field],
      });
    });

    test('are columns like any other where no parameter of that name is declared', async () => {
      const failure = await failureOf(() => ids({ filters: { limit: 1 } }, []));
      expect(failure).toMatchObject({ code: 'value_refused', fields: ['limit'] });
    });

    test('that name no column do not filter a write, which then has no filter', async () => {
      for (const verb of ['update', 'delete'] as const)
        expect(await failureOf(() => call(verb, { payload: { place: 9 }, filters: { limit: 1 } }))).toMatchObject({
          code: 'filter_missing',
        });
      expect(await call('update', { payload: { place: 2 }, filters: { limit: 1, id: 4 } })).toEqual({ affected: 1 });
    });

    test('S-49: a message names a table of the list and no other', async () => {
      const read = engine.connector.target.prepare(describeCall('read'));
      expect((await read({ target: 'items', filters: { id: 1 } })).rows?.length).toBe(1);
      for (const target of ['secrets', 'ITEMS', 'items ', 'nowhere'])
        expect(await failureOf(async () => read({ target }))).toMatchObject({
          code: 'value_refused',
          fields: ['target'],
          message: 'the message names a table that may not be used',
        });
    });

    test('names that are not columns are known', async () => {
      const { schema } = engine.connector;
      expect(await schema.missingColumns('items', parameters)).toEqual(['limit', 'offset', 'sort', 'page']);
      expect(await schema.missingColumns('nowhere', parameters)).toEqual([]);
    });
  });
});
