import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'sagas');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['vans', 'accounts']) });
});

afterAll(async () => {
  await service?.end();
});

const statusAndBody = ({ status, body }: Answer) => ({ status, body });
const rent = async (body: object) => statusAndBody(await service.ask('POST', '/rentals', body));
const get = async (path: string) => (await service.ask('GET', path)).body;
const executions = (status: string) => service.metric(`svc_saga_executions_total{saga="rent_van",status="${status}"}`);

const id = expect.stringMatching(/^saga_[0-9a-f]{32}$/);

test('a saga whose steps succeed answers with their results', async () => {
  expect(await rent({ van_id: 1, customer: 'ada', deposit: 100, mileage: 10_500, note: 'child seat' })).toEqual({
    status: 200,
    body: {
      saga_name: 'rent_van',
      instance_id: id,
      status: 'completed',
      steps: {
        hold: { id: 1, affected: 1 },
        deposit: { affected: 1 },
        note: { id: 1, affected: 1 },
        hand_out: { affected: 1 },
      },
    },
  });
  expect(await get('/holds')).toEqual([{ id: 1, van_id: 1, customer: 'ada' }]);
  expect(await get('/accounts/ada')).toEqual([{ customer: 'ada', balance: 400 }]);
  expect(await executions('completed')).toBe(1);
});

test('a step that fails undoes those before it, and a step that may fail does not', async () => {
  const { status, body } = await rent({ van_id: 2, customer: 'grace', deposit: 100, mileage: 20_000 });
  expect(status).toBe(500);
  expect(body).toMatchObject({
    saga_name: 'rent_van',
    status: 'compensated',
    error: expect.stringMatching(/^step "deposit": /),
  });
  expect(await get('/holds')).toEqual([{ id: 1, van_id: 1, customer: 'ada' }]);
  expect(await get('/accounts/grace')).toEqual([{ customer: 'grace', balance: 20 }]);
  // The note is left out, the deposit is taken and given back.
  const late = await rent({ van_id: 2, customer: 'ada', deposit: 100, mileage: -1 });
  expect(late).toMatchObject({
    status: 500,
    body: {
      status: 'compensated',
      steps: { deposit: { affected: 1 }, note: { error: expect.stringContaining('no such key: note') } },
      error: expect.stringMatching(/^step "hand_out": /),
    },
  });
  expect(await get('/holds')).toEqual([{ id: 1, van_id: 1, customer: 'ada' }]);
  expect(await get('/accounts/ada')).toEqual([{ customer: 'ada', balance: 400 }]);
  expect(await executions('compensated')).toBe(2);
});

test('what follows the end of a saga has run, and knows what went wrong', async () => {
  const events = (await get('/events')) as { text: string }[];
  expect(events.map(({ text }) => text.split(':')[0])).toEqual(['rented to ada', 'step "deposit"', 'step "hand_out"']);
});

test('a saga counts as a flow of its name', async () => {
  expect(await service.metric('svc_flow_executions_total{flow="rent_van",status="success"}')).toBe(1);
  expect(await service.metric('svc_flow_executions_total{flow="rent_van",status="error"}')).toBe(2);
});
