import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type OpenEngine } from './testing/engines.ts';
import { never, sql } from './testing/parts.ts';

/** What every relational engine tells editors of its tables. */
describe.each(engines)('tables of $engine for editors', ({ skip, start, key, name, standard }) => {
  describe.skipIf(skip)('are shown', () => {
    let engine: OpenEngine;
    beforeAll(async () => {
      engine = await start();
      for (const script of [
        `CREATE TABLE orders (id ${key}, title ${name}, total INTEGER)`,
        'CREATE TABLE _svc_own (id INTEGER)',
        `CREATE TABLE ${engine.connector.dialect.quote('Order Lines')} (id INTEGER)`,
        'CREATE VIEW cheap AS SELECT id, title FROM orders',
      ])
        await sql(engine.connector, script);
    }, 60_000);
    afterAll(() => engine.end());

    test('with their columns in order, and views; none that no call can name or that the runtime made', async () => {
      expect(await engine.connector.knownTargets?.(never)).toEqual([
        { name: 'cheap', kind: 'view', columns: ['id', 'title'] },
        { name: 'orders', kind: 'table', columns: ['id', 'title', 'total'] },
      ]);
    });

    test('as they are now, also when another connection made them', async () => {
      const another = await engine.another();
      await sql(engine.connector, 'CREATE TABLE later (id INTEGER)');
      expect((await another.knownTargets?.(never))?.map(({ name: each }) => each)).toEqual([
        'cheap',
        'later',
        'orders',
      ]);
      await sql(engine.connector, 'DROP TABLE later');
    });

    test('a connector that is closed fails', async () => {
      const another = await engine.another();
      await another.close();
      const asked = async () => another.knownTargets?.(never);
      await expect(asked()).rejects.toThrow('database "db" is not open');
    });
  });

  describe.skipIf(skip)('are many', () => {
    test('1,000 of them at most, and 10,000 columns', { timeout: 120_000 }, async () => {
      const engine = await start();
      try {
        const columns = Array.from({ length: 12 }, (_, at) => `${at} AS c${at}`).join(', ');
        const scripts = Array.from(
          { length: 1_010 },
          (_, at) => `CREATE VIEW t${String(at).padStart(4, '0')} AS SELECT ${columns}`,
        );
        if (standard)
          await engine.connector.target.transactions.run(async ({ execute }) => {
            for (const script of scripts) await execute(script, {});
          }, undefined);
        else for (const script of scripts) await sql(engine.connector, script);
        const known = (await engine.connector.knownTargets?.(never)) ?? [];
        expect([known.length, known.at(0)?.name]).toEqual([1_000, 't0000']);
        const listed = known.flatMap((target) => target.columns ?? []).length;
        expect([listed > 9_000, listed <= 10_000]).toEqual([true, true]);
      } finally {
        await engine.end();
      }
    });
  });
});
