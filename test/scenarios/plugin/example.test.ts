import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { assemble } from '../../support/wasm.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/plugin');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example);
});

afterAll(() => service?.end());

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.ask(method, path, body);
  return [answer.status, answer.body];
};

test('a plugin reads, computes and checks', async () => {
  expect(await ask('GET', '/places')).toEqual([
    200,
    {
      places: [
        { name: 'Berlin', area: '10' },
        { name: 'Hamburg', area: '20' },
      ],
    },
  ]);
  expect(await ask('POST', '/addresses', { street: 'Am Markt 1', postcode: '20095' })).toEqual([
    200,
    { street: 'Am Markt 1', postcode: '20095', area: 'area 20' },
  ]);
  const refused = await service.ask('POST', '/addresses', { street: 'Am Markt 1', postcode: '2009' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('must be a postcode of five digits'),
  ]);
});

test('A-14: a breakpoint stops at a rule with a call of a module, and its value is there at the next one', async () => {
  const client = await debugClient(service.admin);
  const breakpoints = [{ stage: 'transform', ruleIndex: 1 }];
  const set = await client.call('debug.setBreakpoints', { flow: 'add_address', breakpoints });
  expect(set.breakpoints).toMatchObject([{ verified: true }]);
  await client.call('debug.ready', {});
  const answer = ask('POST', '/addresses', { street: 'Am Markt 1', postcode: '20095' });
  const { threadId, rule } = await client.next('event.stopped');
  expect(rule).toMatchObject({ target: 'area', expression: "'area ' + postcode_area(input.postcode)" });
  expect(await client.call('debug.variables', { threadId })).toMatchObject({ output: { street: 'Am Markt 1' } });
  await client.call('debug.stepInto', { threadId });
  expect(await client.next('event.stopped')).toMatchObject({ rule: { target: 'postcode' } });
  expect(await client.call('debug.variables', { threadId })).toMatchObject({ output: { area: 'area 20' } });
  await client.call('debug.continue', { threadId });
  expect(await answer).toMatchObject([200, { area: 'area 20' }]);
  await client.leave();
});

test('its tests pass, and its module is what its text says', async () => {
  const tested = await runCommand(['test', '-c', service.directory]);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('passed')]);
  const module = join(example, 'plugins/postcodes/postcodes');
  expect(readFileSync(`${module}.wasm`).equals(await assemble(readFileSync(`${module}.wat`, 'utf8')))).toBe(true);
});

test('workers share nothing of it, and each has its own', async () => {
  const worker = await startScenario(example, { args: ['--workers', '2'] });
  try {
    const answers = await Promise.all(Array.from({ length: 20 }, () => worker.ask('GET', '/places')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  } finally {
    await worker.end();
  }
});
