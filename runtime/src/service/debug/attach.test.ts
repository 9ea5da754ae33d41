import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { load } from '../../engine/plan/testing/service.ts';
import type { EventSource, Intake } from '../../foundation/contracts/events.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import { notServed } from './connection/access.ts';
import { DebugEntryPoint } from './connection/entry-point.ts';
import { longestHold } from './gate.ts';
import type { DebuggedService } from './inspect.ts';

/** The debugger of a service that is starting; `begin` ends its start. */
function starting(suspend = false) {
  const clock = new ManualClock();
  const { log } = memoryLog();
  const entryPoint = new DebugEntryPoint({
    access: notServed,
    clock,
    log,
    variables: {},
    masksNames: false,
    maxPause: 1,
    suspend,
  });
  const intakes: Intake[] = [];
  const source: EventSource = {
    type: 'any',
    name: 'n',
    prefetch: undefined,
    unsettled: 0,
    admit: (intake) => void intakes.push(intake),
  };
  let service: DebuggedService | undefined;
  entryPoint.serve(() => service);
  const events = new Map([['stream', source]]);
  const begin = async () => {
    entryPoint.gate.prepare(events);
    service = { project: load(''), stages: new Map([['f', []]]), events, startEvents: async () => new Map() };
    await entryPoint.gate.follow();
  };
  const connect = async () => {
    const [ours, theirs] = joinedChannels();
    const wire = new WireClient(ours);
    await entryPoint.connect(theirs);
    return wire;
  };
  return { entryPoint, clock, intakes, begin, connect };
}

test('a client that comes while the service starts is answered when it has started, and holds its sources', async () => {
  const { clock, intakes, begin, connect } = starting();
  const wire = await connect();
  const attached = wire.call('debug.attach', { capabilities: ['holdIntake'] });
  await expect.poll(() => clock.sleeping).toBe(1);
  await begin();
  expect(await attached).toMatchObject({ flows: ['f'], capabilities: expect.arrayContaining(['holdIntake']) });
  expect(new Set(intakes)).toEqual(new Set(['demand']));
  await clock.pass(longestHold - 1);
  expect(intakes.at(-1)).toBe('demand');
  await wire.call('debug.ready', {});
  expect(intakes.at(-1)).toBe('single');
  // The same session does not hold again.
  await wire.call('debug.attach', { capabilities: ['holdIntake'] });
  expect(intakes.at(-1)).toBe('single');
});

test('a client that is never ready holds nothing five seconds after its answer', async () => {
  const { clock, intakes, begin, connect } = starting();
  await begin();
  const wire = await connect();
  await wire.call('debug.attach', { capabilities: ['holdIntake'] });
  expect(intakes.at(-1)).toBe('demand');
  await clock.pass(longestHold);
  expect(intakes.at(-1)).toBe('single');
});

test('a suspended start waits for debug.ready alone', async () => {
  const { entryPoint, clock, begin, connect } = starting(true);
  await begin();
  const wire = await connect();
  await wire.call('debug.attach', { capabilities: ['holdIntake'] });
  await clock.pass(longestHold * 10);
  expect(entryPoint.gate.suspended).toBe(true);
  await wire.call('debug.ready', {});
  expect(entryPoint.gate.suspended).toBe(false);
});

test('a client that leaves while it waits holds nothing and has no session', async () => {
  const { clock, intakes, begin, connect, entryPoint } = starting();
  const wire = await connect();
  const attached = wire.call('debug.attach', { capabilities: ['holdIntake'] }).catch((error: Error) => error);
  await expect.poll(() => clock.sleeping).toBe(1);
  wire.close();
  await begin();
  expect(await attached).toBeInstanceOf(Error);
  await expect.poll(() => intakes.at(-1)).toBe('open');
  expect(entryPoint.probe.attached).toBe(false);
});

test('a service that does not start in ten seconds is said to be starting', async () => {
  const { clock, connect } = starting();
  const wire = await connect();
  const attached = wire.call('debug.attach', {}).catch((error: Error) => error.message);
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.pass(10_000);
  expect(await attached).toBe('the service is still starting');
});
