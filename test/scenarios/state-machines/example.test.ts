import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/state-machines');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

const send = async (ticket: number, event: object) => {
  const { status, body } = await service.ask('POST', `/tickets/${ticket}/events`, event);
  return [status, body];
};
const statusOf = async (ticket: number) => (await service.ask('GET', `/tickets/${ticket}`)).body;

test('a ticket is assigned, given back, assigned and closed', async () => {
  const moved = (from: string, to: string) => [200, { ticket: '1', from, to }];
  expect(await send(1, { event: 'assign', agent: 'ann' })).toEqual(moved('open', 'assigned'));
  expect(await send(1, { event: 'give_back' })).toEqual(moved('assigned', 'open'));
  expect(await send(1, { event: 'assign', agent: 'bob' })).toEqual(moved('open', 'assigned'));
  expect(await send(1, { event: 'close', answer: 'oiled' })).toEqual(moved('assigned', 'closed'));
  expect(await statusOf(1)).toEqual([{ id: 1, title: 'The printer hums', status: 'closed' }]);
  expect((await service.ask('GET', '/history')).body).toEqual(
    ['assigned to ann', 'assigned to bob', 'oiled'].map((text) => ({ ticket_id: 1, text })),
  );
});

test('what the machine does not allow is refused and changes nothing', async () => {
  const refused = (message: string) => [
    409,
    { error: `state_machine "ticket": ${message}`, code: 'transition_refused' },
  ];
  expect(await send(2, { event: 'close', answer: 'done' })).toEqual(
    refused('the state "open" has no event "close"; it has "assign"'),
  );
  expect(await send(2, { event: 'assign', agent: '' })).toEqual(
    refused('the guard of "assign" does not let it leave "open"'),
  );
  expect(await send(1, { event: 'assign', agent: 'ann' })).toEqual(refused('the state "closed" is final'));
  expect(await send(9, { event: 'assign', agent: 'ann' })).toEqual([
    404,
    { error: 'there is no such entity in "tickets"', code: 'not_found' },
  ]);
  expect((await send(2, { event: 'assign' }))[0]).toBe(500);
  expect(await statusOf(2)).toMatchObject([{ status: null }]);
});
