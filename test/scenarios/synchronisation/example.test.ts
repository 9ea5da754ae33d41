import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const example = join(import.meta.dirname, '../../../examples/synchronisation');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

test('stock is taken by one request at a time, and never more than there is', async () => {
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => service.ask('POST', '/stock/ink/take', { quantity: 1 })),
  );
  const of = (status: number) => answers.filter((answer) => answer.status === status);
  expect([of(200).length, of(409).length]).toEqual([20, 5]);
  const left = of(200).map(({ body }) => (body as { left: number }).left);
  expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(await service.metric('svc_lock_acquired_total{flow="take_stock",purpose="flow"}')).toBe(25);
  expect(await service.metric('svc_lock_held{flow="take_stock",purpose="flow"}')).toBe(0);
});

test('an inventory is counted with a permit', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.ask('GET', '/inventory')));
  for (const { body } of answers)
    expect(body).toEqual({
      items: [
        { sku: 'ink', quantity: 0 },
        { sku: 'pen', quantity: 100 },
      ],
      total: 100,
    });
  expect(await service.metric('svc_semaphore_released_total{flow="inventory"}')).toBe(6);
  expect(await service.metric('svc_semaphore_available{flow="inventory"}')).toBe(2);
});

test('a line waits for its order, and one whose order is there does not', async () => {
  const early = service.ask('POST', '/orders/7/lines', { sku: 'pen' });
  await until(async () => (await service.metric('svc_coordinate_active_waits{flow="add_line"}')) === 1);
  expect((await service.ask('POST', '/orders', { id: 7, customer: 'Ada' })).status).toBe(200);
  expect((await early).body).toEqual({ id: 1, affected: 1 });
  expect((await service.ask('POST', '/orders/7/lines', { sku: 'ink' })).status).toBe(200);
  expect(await service.metric('svc_coordinate_preflight_hit_total{flow="add_line"}')).toBe(1);
  expect(await service.metric('svc_coordinate_wait_total{flow="add_line"}')).toBe(1);
});

test('prices that come in any order end with the newest', async () => {
  const set = async (revision: number) =>
    (await service.ask('PUT', '/prices/pen', { revision, cents: 100 + revision })).body;
  expect(await set(2)).toMatchObject({ affected: 1 });
  expect(await set(1)).toEqual({ status: 'dropped', reason: 'sequence_older' });
  await Promise.all([7, 3, 9, 5, 8, 4, 6].map(set));
  expect((await service.ask('GET', '/prices')).body).toEqual([{ sku: 'pen', cents: 109, revision: 9 }]);
});
