import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/batches');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

const make = async (body: object) => {
  const { status, body: answer } = await service.ask('POST', '/bills', { month: '2026-03', fee: 150, ...body });
  return { status, body: answer };
};
const bill = async (customer: number) => (await service.ask('GET', `/bills/${customer}`)).body;

test('bills are made of the charges of a month, except those of the chunk in which one cannot be written', async () => {
  expect(await make({})).toEqual({
    status: 200,
    body: { made: 575, failed: 25, chunks: 24, reasons: [expect.stringMatching(/^chunk 1: .*CHECK/)] },
  });
  expect(await bill(600)).toEqual([{ customer: 600, month: '2026-03', cents: 102 + 103 + 150 }]);
  expect(await bill(13)).toEqual([]);
  expect(await service.metric('svc_batch_rows_total{flow="make_bills",status="processed"}')).toBe(575);
});

test('they can be made again, from a customer on', async () => {
  expect(await make({ after: 590, fee: 200 })).toMatchObject({ status: 200, body: { made: 10, failed: 0, chunks: 1 } });
  expect(await bill(600)).toMatchObject([{ cents: 102 + 103 + 200 }]);
});

test('one month is made by one request at a time', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => make({})));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeLessThan(4);
  for (const each of refused) expect(each).toMatchObject({ status: 503, body: { code: 'lock_taken' } });
});
