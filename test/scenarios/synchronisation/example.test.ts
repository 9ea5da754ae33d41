import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
