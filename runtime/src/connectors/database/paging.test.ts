import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallRequest, Verb } from '../../foundation/contracts/target.ts';
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
      [{ sort: 'id', limit: '999999999999999999' }, [1, 2, 3, 4]],
      [{ sort: 'id', limit: 999_999_999_999_999_999n, offset: 2 }, [3, 4]],
      [{ sort: 'id', offset: 999_999_999_999_999_999n }, []],
      [{ sort: 'id', limit: '0002', offset: 0 }, [1, 2]],
      [{ sort: 'kind,-id', limit: 3 }, [3, 1, 4]],
    ])('page, sort and find: %o', async (asked, found) => {
      expect(await ids({ filters: asked })).toEqual(found);
      expect(await ids({ params: asked })).toEqual(found);
    });

    test.each<[Record<string, unknown>, string]>([
      [{ limit: -1 }, 'limit'],
      [{ limit: '1; DROP TABLE items' }, 'limit'],
      [{ offset: 1.5 }, 'offset'],
      [{ offset: '99999999999999999999' }, 'offset'],
      [{ limit: 2n ** 63n }, 'limit'],
      [{ limit: 1e21 }, 'limit'],
      [{ limit: Number.NaN }, 'limit'],
      [{ limit: Number.POSITIVE_INFINITY }, 'limit'],
      [{ limit: 'ten' }, 'limit'],
      [{ limit: '1e3' }, 'limit'],
      [{ limit: '0x10' }, 'limit'],
      [{ limit: ' 1' }, 'limit'],
      [{ limit: '٥' }, 'limit'],
      [{ limit: true }, 'limit'],
      [{ limit: [1] }, 'limit'],
      [{ limit: { toString: '1' } }, 'limit'],
      [{ offset: '-0' }, 'offset'],
      [{ offset: [[2]] }, 'offset'],
      [{ sort: 'id,,place' }, 'sort'],
      [{ sort: '--id' }, 'sort'],
      [{ sort: '-id desc nulls first' }, 'sort'],
      [{ sort: 'items.id' }, 'sort'],
      [{ sort: '"id"' }, 'sort'],
      [{ sort: 'id/**/desc' }, 'sort'],
      [{ sort: 'id\u0000' }, 'sort'],
      [{ sort: '1' }, 'sort'],
      [{ sort: { id: 1 } }, 'sort'],
      [{ sort: [['id', '(SELECT 1)']] }, 'sort'],
      [{ sort: 'x'.repeat(100_000) }, 'sort'],
      [{ sort: 'nowhere' }, 'sort'],
      [{ sort: 'id; DROP TABLE items' }, 'sort'],
      [{ sort: '(SELECT 1)' }, 'sort'],
      [{ sort: Array(17).fill('id') }, 'sort'],
    ])('S-49: are refused by name: %o', async (filters, field) => {
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
