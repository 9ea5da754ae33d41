import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'schedules');

let service: Scenario;

beforeAll(async () => {
  service = await startScenario(folder, {
    env: { SWEEP: '* * * * * *' },
    prepare: (directory) => migrate(directory, ['db']),
  });
});

afterAll(() => service?.end());

const carts = async () => (await service.ask('GET', '/carts')).body as { customer: string; items: number }[];

test('carts whose time is over are swept, the others stay', async () => {
  await service.ask('POST', '/carts', { customer: 'Ann', minutes: 0 });
  await service.ask('POST', '/carts', { customer: 'Ben', items: 3 });
  await until(async () => (await carts()).length === 1);
  expect(await carts()).toMatchObject([{ customer: 'Ben', items: 3 }]);
  expect(await service.metric('svc_schedule_executed_total{flow="sweep_carts",status="error"}')).toBe(0);
});

test('what is scheduled for the night runs when it is asked, too', async () => {
  expect((await service.ask('POST', '/totals', {})).status).toBe(200);
  expect((await service.ask('GET', '/totals')).body).toEqual([{ carts: 1, items: 3 }]);
});

test('a cart that a type refuses is answered with the reason', async () => {
  const { status, body } = await service.ask('POST', '/carts', { customer: '', items: 0 });
  expect([status, body]).toMatchObject([
    400,
    {
      fields: [
        { field: 'customer', code: 'min_length' },
        { field: 'items', code: 'min' },
      ],
    },
  ]);
});

test('a debugger stops in a run, and no other begins meanwhile', async () => {
  const client = await debugClient(service.admin);
  const breakpoints = [{ stage: 'write', ruleIndex: -1 }];
  await client.call('debug.setBreakpoints', { flow: 'sweep_carts', breakpoints });
  const { stage, threadId } = await client.next('event.stopped');
  expect(stage).toBe('write');
  await until(() => service.log.includes('scheduled run left out: the one before has not ended'));
  await client.call('debug.setBreakpoints', { flow: 'sweep_carts', breakpoints: [] });
  await client.call('debug.continue', { threadId });
  const swept = 'svc_schedule_executed_total{flow="sweep_carts",status="success"}';
  const before = (await service.metric(swept)) ?? 0;
  await until(async () => ((await service.metric(swept)) ?? 0) > before + 1);
  await client.leave();
});
