import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, sql } from './testing/parts.ts';

/** Every relational engine reads a query page by page, each behind the last row of the page before. */
describe.each(engines)('pages of a query of $engine', ({ skip, start, key }) => {
  describe.skipIf(skip)('one after another', () => {
    let engine: OpenEngine;
    beforeAll(async () => {
      engine = await start();
    });
    afterAll(() => engine.end());
    let made = 0;
    const table = async (definitions: string, values: string) => {
      const name = `pages_${++made}`;
      await sql(engine.connector, `CREATE TABLE ${name} (${definitions})`);
      await sql(engine.connector, `INSERT INTO ${name} VALUES ${values}`);
      return name;
    };
    /** Pages of three rows; `between` runs after each. */
    const pages = async (query: string, params = {}, between: (page: number) => Promise<unknown> = async () => 0) => {
      const page = { query, limit: 'batch_limit', after: 'batch_after' };
      const counted = `${query}\nLIMIT :batch_limit OFFSET :batch_offset`;
      const read = engine.connector.target.prepare(describeCall('read', { query: counted, page, exact: true }));
      const found: Record<string, unknown>[][] = [];
      let [offset, after]: [number, Record<string, unknown> | undefined] = [0, undefined];
      for (;;) {
        const { rows = [] } = await read({
          params: { ...params, batch_limit: 3n, batch_offset: BigInt(offset) },
          after,
        });
        found.push([...rows]);
        if (rows.length < 3) return found;
        offset += rows.length;
        after = rows.at(-1);
        await between(found.length);
      }
    };
    const ids = (found: readonly (readonly Record<string, unknown>[])[]) =>
      found.map((page) => page.map((row) => Number(row['id'] ?? row['ID'])));
    const eight = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `(${id * 10}, '${'abcdefgh'[id - 1]}', ${id % 2})`).join(', ');
    const columns = `id ${key}, name VARCHAR(10), odd INTEGER`;

    test('R-95: give every row once, also when rows of earlier pages go or come', async () => {
      const name = await table(columns, eight);
      const query = `SELECT * FROM ${name} ORDER BY id`;
      expect(ids(await pages(query))).toEqual([
        [10, 20, 30],
        [40, 50, 60],
        [70, 80],
      ]);
      const found = await pages(`SELECT ID, name FROM ${name} WHERE odd = :odd OR id < 15 ORDER BY ID`, { odd: 0 });
      expect(ids(found)).toEqual([
        [10, 20, 40],
        [60, 80],
      ]);
      const changing = await pages(query, {}, (page) =>
        page === 1
          ? sql(engine.connector, `DELETE FROM ${name} WHERE id < 25`)
          : sql(engine.connector, `INSERT INTO ${name} VALUES (1, 'x', 1), (2, 'x', 1)`),
      );
      expect(ids(changing)).toEqual([
        [10, 20, 30],
        [40, 50, 60],
        [70, 80],
      ]);
    });

    test.each([
      'SELECT id, name FROM $ ORDER BY name',
      'SELECT id, name FROM $ ORDER BY id DESC',
      'SELECT id, max(odd) AS odd FROM $ GROUP BY id ORDER BY id',
      'SELECT o.id FROM $ o JOIN $ n ON n.id = o.id ORDER BY o.id',
    ])('are counted where the order or the rows are others: %s', async (query) => {
      const name = await table(columns, eight);
      const found = ids(await pages(query.replaceAll('$', name))).flat();
      expect(found.toSorted((a, b) => a - b)).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
    });

    test('are counted where a column of the order may repeat or be absent', async () => {
      const values = '(1), (1), (1), (1), (2), (2), (2), (3)';
      const name = await table('id INTEGER', values);
      expect(ids(await pages(`SELECT id FROM ${name} ORDER BY id`)).flat()).toEqual([1, 1, 1, 1, 2, 2, 2, 3]);
    });
  });
});
