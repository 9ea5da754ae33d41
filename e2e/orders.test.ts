import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, runCommand, startService } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { copyExample, ask as request } from './example.ts';

const engine = {
  customer: ' Ada ',
  email: 'Ada@Example.org',
  item: 'Analytical engine',
  quantity: 2,
  unit_price: 907.5,
};

const { directory, remove } = copyExample('orders');
let service: RunningService;

beforeAll(async () => {
  const migrated = await runCommand(['migrate', '-c', directory]);
  expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
  service = await startService({ directory });
});

afterAll(async () => {
  await service?.stop('SIGKILL');
  remove();
});

const ask = (method: string, path: string, body?: unknown) => request(method, service.address + path, body);

describe('the orders service', () => {
  const row = {
    id: 1,
    customer: 'Ada',
    email: 'ada@example.org',
    item: 'Analytical engine',
    quantity: 2,
    unit_price: 907.5,
    total: 1815,
    status: 'open',
    note: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  };

  test('has applied its migrations, and applies none twice', async () => {
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    expect(await ask('GET', '/orders')).toEqual({ status: 200, body: { orders: [], count: 0 } });
  });

  test('creates, lists, fetches, changes and deletes', async () => {
    expect(await ask('GET', '/orders/1')).toEqual({ status: 404, body: { order: null } });
    expect(await ask('POST', '/orders', engine)).toEqual({ status: 201, body: { id: 1, href: '/orders/1' } });
    expect(await ask('GET', '/orders/1')).toEqual({ status: 200, body: { order: row } });
    expect(await ask('POST', '/orders', { ...engine, customer: 'Charles' })).toMatchObject({ status: 201 });
    const listed = await ask('GET', '/orders?limit=1');
    expect(listed).toMatchObject({ status: 200, body: { count: 1, orders: [{ id: 2, customer: 'Charles' }] } });

    expect(await ask('PATCH', '/orders/1', { status: 'paid' })).toEqual({ status: 200, body: { changed: true } });
    expect(await ask('GET', '/orders/1')).toEqual({ status: 200, body: { order: { ...row, status: 'paid' } } });
    expect(await ask('GET', '/orders?status=paid')).toMatchObject({ body: { count: 1, orders: [{ id: 1 }] } });
    expect(await ask('PATCH', '/orders/99', { status: 'paid' })).toEqual({ status: 404, body: { changed: false } });

    expect(await ask('DELETE', '/orders/1')).toEqual({ status: 200, body: { deleted: true } });
    expect(await ask('DELETE', '/orders/1')).toEqual({ status: 404, body: { deleted: false } });
    expect(await ask('GET', '/orders/1')).toEqual({ status: 404, body: { order: null } });
    expect(await ask('DELETE', '/orders/2')).toEqual({ status: 200, body: { deleted: true } });
  });

  test('names every field of a wrong body', async () => {
    const { status, body } = await ask('POST', '/orders', { ...engine, quantity: 0, item: undefined });
    const { fields } = body as { fields: { field: string; code: string }[] };
    expect(status).toBe(400);
    expect(fields.map(({ field, code }) => ({ field, code }))).toEqual([
      { field: 'item', code: 'required' },
      { field: 'quantity', code: 'min' },
    ]);
  });

  test('refuses a body that is not JSON, and a parameter that is not in the list', async () => {
    expect(await ask('POST', '/orders', '{"customer": ')).toMatchObject({ status: 400 });
    const { status, body } = await ask('GET', '/orders?status=lost');
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('status');
  });

  test('is healthy on both ports and counts its requests', async () => {
    const alive = { status: 'alive' };
    expect(await (await fetch(`${service.admin}/health/live`)).json()).toEqual(alive);
    expect(await (await fetch(`${service.address}/health/live`)).json()).toEqual(alive);
    const metrics = await (await fetch(`${service.admin}/metrics`)).text();
    expect(metrics).toMatch(/^svc_requests_total\{.*method="POST".*status="201".*\} 2$/m);
  });

  test('a broken edit under load leaves the service answering, and a good one is taken over', async () => {
    await ask('POST', '/orders', engine);
    const file = join(directory, 'flows', 'fetch-order.hcl');
    const good = readFileSync(file, 'utf8');
    const answers = new Map<number, number>();
    let loading = true;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (loading) {
          const { status } = await ask('GET', '/orders');
          answers.set(status, (answers.get(status) ?? 0) + 1);
        }
      }),
    );

    const before = service.log.length;
    writeFileSync(file, `${good}\nflow "broken" {\n  from { connector = "missing" }\n`);
    await until(() => /fetch-order\.hcl/.test(service.log.slice(before)));
    expect(await ask('GET', '/orders')).toMatchObject({ status: 200, body: { count: 1 } });

    writeFileSync(file, good.replace('order            =', 'found            ='));
    // Another order each time, since what was answered before is in the cache.
    let id = 1_000;
    await until(async () => Object.keys((await ask('GET', `/orders/${id++}`)).body as object).includes('found'));
    loading = false;
    await load;
    expect([...answers.keys()]).toEqual([200]);
  });

  test('shuts down in order when it is asked to', async () => {
    expect(await service.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
