import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { engines, type OnEngine, startOn } from '../engines.ts';
import type { Answer, Scenario } from '../scenario.ts';

for (const engine of engines)
  describe.skipIf(engine.skip)(engine.name, () => {
    let service: Scenario;
    let running: OnEngine;

    beforeAll(async () => {
      running = await startOn(engine, import.meta.dirname);
      service = running.service;
    });

    afterAll(() => running?.end());

    const statusAndBody = ({ status, body }: Answer) => ({ status, body });
    const send = async (method: string, path: string, body?: object | string) =>
      statusAndBody(await service.ask(method, path, body));
    const get = (path: string) => send('GET', path);

    describe('rows', () => {
      const compass = {
        name: 'Compass',
        price: '12.50',
        stock: 9007199254740991,
        made: '2024-02-29T12:30:00.123Z',
        details: { colour: 'red', sizes: [1, 2.5], nothing: null },
        available: true,
      };

      test('are created, listed, fetched, changed and deleted', async () => {
        const created = await send('POST', '/products', compass);
        expect(created).toMatchObject({ status: 200, body: { id: 1 } });
        const row = {
          ...compass,
          id: 1,
          price: engine.name === 'sqlite' ? 12.5 : '12.50',
          made: expect.stringMatching(/^2024-02-29T12:30:00(\.123)?Z$/),
        };
        expect(await get('/products')).toEqual({ status: 200, body: [row] });
        expect(await get('/products/1?name=Other&id=2')).toEqual({ status: 200, body: [row] });
        expect(await send('PATCH', '/products/1', { stock: 3, id: 9 })).toEqual({ status: 200, body: { affected: 1 } });
        expect((await get('/products/1')).body).toEqual([{ ...row, stock: 3 }]);
        expect(await send('PATCH', '/products/2', { stock: 3 })).toEqual({ status: 200, body: { affected: 0 } });
        expect(await send('DELETE', '/products/1')).toEqual({ status: 200, body: { affected: 1 } });
        expect(await get('/products')).toEqual({ status: 200, body: [] });
        expect(await get('/products/1')).toEqual({ status: 200, body: [] });
      });

      test('integers beyond 2^53 keep their digits both ways', async () => {
        await send('POST', '/products', '{"id":10,"name":"Big","stock":9223372036854775807}');
        const [row] = (await get('/products/10')).body as { stock: unknown; made: unknown; details: unknown }[];
        expect(row).toMatchObject({ stock: '9223372036854775807', made: null, details: null });
        expect((await service.ask('GET', '/products/10')).text).toContain('"stock":"9223372036854775807"');
        expect(await send('DELETE', '/products/10')).toEqual({ status: 200, body: { affected: 1 } });
      });

      test('a value that the column cannot hold is 400, a broken constraint 500', async () => {
        if (engine.name === 'postgres')
          expect(await send('POST', '/products', { name: 'X', stock: 'many' })).toMatchObject({
            status: 400,
            body: { code: 'value_refused', fields: [{ field: 'stock' }] },
          });
        expect(await send('POST', '/products', { price: 1 })).toMatchObject({
          status: 500,
          body: { code: 'constraint_violated' },
        });
        for (const [method, path] of [
          ['POST', '/products'],
          ['PATCH', '/products/10'],
        ] as const)
          expect(await send(method, path, {})).toMatchObject({ status: 400, body: { code: 'nothing_to_write' } });
      });

      test('rows that a statement returns are the answer', async () => {
        await send('POST', '/products', { id: 20, name: 'Bell', stock: 1 });
        expect(await send('POST', '/restock')).toEqual({ status: 200, body: { name: 'Bell', stock: 2 } });
        await send('DELETE', '/products/20');
      });
    });

    describe('a part of the rows', () => {
      test('is chosen by the parameters that the operation declares', async () => {
        for (const [id, name] of [
          [41, 'Cup'],
          [42, 'Axe'],
          [43, 'Bow'],
        ] as const)
          await send('POST', '/products', { id, name });
        const names = async (query: string) => {
          const { status, body } = await get(`/page${query}`);
          return status === 200 ? (body as { name: string }[]).map(({ name }) => name) : [status, body];
        };
        expect(await names('')).toEqual(['Axe', 'Bow']);
        expect(await names('?limit=1&offset=1&sort=-id&page=7')).toEqual(['Axe']);
        expect(await names('?name=Cup&stock=5')).toEqual(['Cup']);
        expect(await names('?limit=101')).toMatchObject([400, { code: 'parameters_invalid' }]);
        expect(await names('?sort=id;--')).toMatchObject([400, { code: 'value_refused', fields: [{ field: 'sort' }] }]);
        for (const id of [41, 42, 43]) await send('DELETE', `/products/${id}`);
        await until(
          () =>
            service.log.includes('parameter \\"page\\" is not a column') ||
            service.log.includes('parameter "page" is not a column'),
        );
        expect(service.log).not.toMatch(/table .?"page_of_products.?" does not exist/);
      });
    });

    describe('rows that belong together', () => {
      test('know the key of the first, which the database counted', async () => {
        const { body } = await send('POST', '/bundles', { name: 'Set', parts: ['Fork', 'Knife'] });
        const bundle = (body as { captured: { bundle: number } }).captured.bundle;
        expect(bundle).toBeGreaterThan(0);
        const rows = (await get('/products')).body as { id: number; name: string; stock: number | null }[];
        expect(rows.map(({ name, stock }) => [name, stock])).toEqual([
          ['Set', null],
          ['Fork', bundle],
          ['Knife', bundle],
        ]);
        expect(rows.find(({ name }) => name === 'Set')?.id).toBe(bundle);
        for (const { id } of rows) await send('DELETE', `/products/${id}`);
      });
    });

    describe('every row', () => {
      test('an update or delete without a filter is refused before it reaches the database', async () => {
        await send('POST', '/products', { id: 30, name: 'Kept' });
        for (const [method, verb] of [
          ['PUT', 'UPDATE'],
          ['DELETE', 'DELETE'],
        ] as const) {
          const { status, body } = await send(method, '/products', { name: 'Overwritten' });
          expect([status, (body as { code: string }).code]).toEqual([500, 'filter_missing']);
          expect((body as { error: string }).error).toContain('query');
          expect((body as { error: string }).error.toUpperCase()).toContain(verb);
        }
        expect((await get('/products/30')).body).toMatchObject([{ name: 'Kept' }]);
        expect(await send('DELETE', '/products', { id: 30 })).toEqual({ status: 200, body: { affected: 1 } });
        expect(await send('POST', '/clear', {})).toMatchObject({ status: 200, body: { affected: 0 } });
      });
    });

    describe('values and names of callers', () => {
      const attacks = [
        `'; DROP TABLE products;--`,
        `" OR 1=1 --`,
        `' OR '1'='1`,
        ':name2',
        '$1',
        '?',
        '::text',
        `12:30:00`,
        `\\'; DELETE FROM products; --`,
        '/* */ UNION SELECT 1',
      ];

      test('S-48: values never become SQL', async () => {
        await send('POST', '/clear', {});
        for (const [index, name] of attacks.entries())
          expect(await send('POST', '/products', { id: 100 + index, name }), name).toMatchObject({ status: 200 });
        for (const [index, name] of attacks.entries())
          expect(await send('QUERY', '/search', { name, name2: 'unknown' }), name).toEqual({
            status: 200,
            body: [{ id: 100 + index, name, literal: ':name', twelve: 12, at: '12:30:00' }],
          });
        expect((await send('QUERY', '/search-list', { names: [] })).body).toEqual([]);
        expect((await send('QUERY', '/search-list', { names: [`') OR ('1'='1`] })).body).toEqual([]);
        expect((await send('QUERY', '/search-list', { names: attacks })).body).toHaveLength(attacks.length);
        expect(((await get('/products')).body as unknown[]).length).toBe(attacks.length);
        expect(await send('QUERY', '/search', { name: 'x' })).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining('name2') },
        });
      });

      test('S-49: names from messages never become SQL', async () => {
        for (const name of ['name) VALUES (1);--', 'name"', 'colour', 'rowid', 'constructor', '__proto__', 'NAME"--'])
          expect(await send('POST', '/products', `{"name":"x",${JSON.stringify(name)}:"1"}`), name).toMatchObject(
            name === '__proto__' ? {} : { status: 400, body: { code: 'value_refused' } },
          );
        for (const table of ['products;DROP TABLE orders', 'pg_user', 'sqlite_master', 'products--', '"products"']) {
          const { status } = await get(`/tables?table=${encodeURIComponent(table)}`);
          expect(status, table).toBeGreaterThanOrEqual(400);
        }
        expect((await get('/tables?table=orders')).status).toBe(200);
        expect((await get('/counts')).body).toEqual([{ orders: 0, lines: 0, notes: 0 }]);
      });
    });

    describe('transactions', () => {
      const lines = [
        { sku: 'a', quantity: 1, notes: ['fragile', '', 'gift'] },
        { sku: 'b', quantity: 2 },
      ];

      test('loops, captures and conditions', async () => {
        expect(await send('POST', '/orders', { customer: ' Ada ', lines })).toEqual({
          status: 200,
          body: { affected: 6, captured: { order: 1, lines: 2 } },
        });
        expect((await get('/counts')).body).toEqual([{ orders: 1, lines: 2, notes: 2 }]);
      });

      test('R-93: a statement that fails leaves nothing of the others', async () => {
        const broken = [...lines, { sku: 'c', quantity: 0 }];
        expect(await send('POST', '/orders', { customer: 'Bob', lines: broken })).toMatchObject({
          status: 500,
          body: { code: 'constraint_violated' },
        });
        expect(await send('POST', '/orders', { customer: 'Bob', lines: [{ sku: 'd' }] })).toMatchObject({
          status: 500,
          body: { code: 'expression_failed' },
        });
        expect((await get('/counts')).body).toEqual([{ orders: 1, lines: 2, notes: 2 }]);
      });

      test('R-24: a loop over something that is not a list rolls back; over nothing it does nothing', async () => {
        for (const value of ['text', 1, true, { a: 1 }])
          expect(await send('POST', '/orders/any', { lines: value })).toMatchObject({
            status: 500,
            body: { error: expect.stringContaining('list') },
          });
        expect((await get('/counts')).body).toEqual([{ orders: 1, lines: 2, notes: 2 }]);
        expect(await send('POST', '/orders/any', {})).toMatchObject({ status: 200, body: { affected: 1 } });
        expect(await send('POST', '/orders/any', { lines: null })).toMatchObject({ status: 200 });
        expect(await send('POST', '/orders/any', { lines: ['x', 'y'] })).toMatchObject({ body: { affected: 3 } });
        expect((await get('/counts')).body).toEqual([{ orders: 4, lines: 4, notes: 2 }]);
      });

      test('many at once do not mix', async () => {
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            send('POST', '/orders', { customer: `c${index}`, lines: [{ sku: `s${index}`, quantity: index }] }),
          ),
        );
        expect(all.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 500]);
        const orders = new Set(all.map(({ body }) => (body as { captured?: { order: number } }).captured?.order));
        expect(orders.size).toBe(20);
        expect((await get('/counts')).body).toEqual([{ orders: 23, lines: 23, notes: 2 }]);
      });
    });

    describe('operations', () => {
      test('a query and a table under a name', async () => {
        await send('POST', '/clear', {});
        await send('POST', '/products', { id: 500, name: 'Anvil' });
        expect(await get('/named?name=Anvil')).toEqual({ status: 200, body: [{ id: 500, name: 'Anvil' }] });
        expect(await get('/named')).toMatchObject({
          status: 400,
          body: { error: 'invalid parameters: name: is required' },
        });
        expect(await get('/named/500')).toMatchObject({ status: 200, body: [{ id: 500, name: 'Anvil' }] });
      });
    });

    test('a table that is not there is named at start, with what makes it', async () => {
      const line = await until(() => service.log.split('\n').find((each) => each.includes('svc migrate')));
      expect(line).toMatch(/WRN.*ghosts/);
      expect(await get('/ghosts')).toMatchObject({ status: 500, body: { code: 'connector_failed' } });
    });
  });
