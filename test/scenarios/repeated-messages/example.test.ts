import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type Answer, migrate, type Scenario, startScenario } from '../scenario.ts';

const example = join(import.meta.dirname, '../../../examples/repeated-messages');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

/** Asks again while the machine is too busy to be served. */
const ask = (...request: Parameters<Scenario['ask']>): Promise<Answer> =>
  until(async () => {
    const answer = await service.ask(...request);
    return (answer.body as { readonly code?: unknown } | undefined)?.code === 'overloaded' ? undefined : answer;
  });

test('a payment with a key is made once, and no other one under that key', async () => {
  const pay = (amount: number) => ask('POST', '/payments', { customer: 'Ada', amount }, { 'idempotency-key': 'p-1' });
  const [first, second, other] = [await pay(18), await pay(18), await pay(19)];
  expect([first, second].map(({ status, body, headers }) => [status, body, headers['idempotency-replayed']])).toEqual([
    [201, { id: 1 }, undefined],
    [201, { id: 1 }, 'true'],
  ]);
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
});

test('of an article, what changed is written', async () => {
  const send = async (stock: number) => (await ask('POST', '/articles', { sku: 'a', title: 'Anvil', stock })).body;
  const skipped = { skipped: true, reason: 'not changed' };
  expect([await send(3), await send(2), await send(2)]).toEqual([
    {
      results: { 'db:titles': { id: 1, affected: 1 }, 'db:stocks': { id: 1, affected: 1 } },
      errors: {},
      success: true,
    },
    { results: { 'db:titles': skipped, 'db:stocks': { id: 2, affected: 1 } }, errors: {}, success: true },
    { status: 'dropped', reason: 'dedupe_match' },
  ]);
});

test('a report is a job', async () => {
  const { status, body } = await ask('POST', '/reports', { customer: 'Ada' });
  const { job_id } = body as { job_id: string };
  expect([status, body]).toEqual([202, { job_id, status: 'pending' }]);
  const record = await until(async () => {
    const { body: job } = await ask('GET', `/jobs/${job_id}`);
    return (job as { status: string }).status === 'pending' ? undefined : job;
  });
  expect(record).toEqual({
    job_id,
    flow: 'report',
    status: 'completed',
    result: { customer: 'Ada', payments: 1, total: 18 },
  });
});
