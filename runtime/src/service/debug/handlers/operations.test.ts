import { joinedChannels, type ScheduleEntry, WireClient, type WireError } from '@svc/protocol/wire';
import { afterEach, expect, test, vi } from 'vitest';
import { load } from '../../../engine/plan/testing/service.ts';
import { WorkflowControl } from '../../../engine/workflows/api/control.ts';
import { WorkflowInspection } from '../../../engine/workflows/api/inspection.ts';
import type { HiddenValues } from '../../../engine/workflows/hidden-values.ts';
import type { SagaAction } from '../../../engine/workflows/program.ts';
import { sqliteBed } from '../../../engine/workflows/testing/beds.ts';
import { engineOn, instanceOf, programOf } from '../../../engine/workflows/testing/engines.ts';
import { stateOf } from '../../../engine/workflows/testing/store-conformance.ts';
import type { PlanWorkflows } from '../../../foundation/contracts/operations.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { memoryLog } from '../../running/testing/fakes.ts';
import { ManualClock } from '../../running/testing/manual-clock.ts';
import { notServed } from '../connection/access.ts';
import { DebugEntryPoint } from '../connection/entry-point.ts';
import type { DebuggedService } from '../inspect.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  vi.useRealTimers();
});

/** Clients of a service, attached. */
function debugging(service: Partial<DebuggedService>, masksNames = false) {
  const { log } = memoryLog();
  const given = { access: notServed, clock: new ManualClock(), log, variables: {}, masksNames, maxPause: 1 };
  const entryPoint = new DebugEntryPoint(given);
  entryPoint.serve(() => ({ project: load(''), stages: new Map(), ...service }));
  return async () => {
    const [ours, theirs] = joinedChannels();
    const client = new WireClient(ours);
    await entryPoint.connect(theirs);
    await client.call('debug.attach', {});
    return client;
  };
}

const works: SagaAction = async () => ({ id: 7n });
const rent = () =>
  programOf({
    hold: { action: works, compensate: async () => undefined },
    pickup: { await: 'keys', timeout: 1000 },
    drive: { action: works, delay: 5 },
    back: { await: 'returned' },
  });

/** Workflows in a file of SQLite, with an engine that runs them. */
async function kept(hidden?: HiddenValues, masksNames = false) {
  const bed = await sqliteBed();
  ends.push(() => bed.close());
  const store = await bed.store();
  const clock = new ManualClock();
  const program = rent();
  const { engine } = engineOn(store, [program], { clock, poll: 60_000, lease: 30_000, hidden: () => hidden });
  await engine.start();
  ends.push(() => engine.stop());
  const programs = new Map([[program.name, program]]);
  const control = new WorkflowControl({ store, sagas: programs, clock, changed: engine.wake });
  const workflows = new WorkflowInspection({ storage: 'db', store, programs, control });
  const attach = debugging({ workflows }, masksNames);
  const begin = async (input: Readonly<Record<string, unknown>> = {}) => {
    const state = { ...instanceOf(program, clock), input };
    await engine.begin(state);
    await expect.poll(async () => (await store.get(state.id))?.state.status).toBe('waiting');
    return state.id;
  };
  return { store, clock, attach, begin, engine };
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ code, message }: WireError) => [code, message],
  );

const iso = (clock: ManualClock, after = 0) => new Date(clock.now() + after).toISOString();

test('workflows are listed, and one is read with its steps, its history and what it holds', async () => {
  const { attach, begin, clock } = await kept();
  const id = await begin({ van: 7n });
  const client = await attach();
  const entry = {
    ...{ id, flow: 'rent', status: 'waiting', step: 'pickup', startedAt: iso(clock), updatedAt: iso(clock) },
    ...{ awaits: 'keys', resumesAt: null, expiresAt: iso(clock, 1000), cancelRequested: false },
  };
  expect(await client.call('inspect.workflows', {})).toEqual({
    storage: 'db',
    flows: [{ name: 'rent', events: ['keys', 'returned'] }],
    counts: [{ flow: 'rent', status: 'waiting', count: 1 }],
    workflows: [entry],
    next: null,
  });
  const step = { awaits: null, delayMs: null, compensates: false, at: null, tries: null, error: null };
  expect(await client.call('inspect.workflow', { id })).toEqual({
    ...entry,
    steps: [
      { ...step, name: 'hold', status: 'done', compensates: true, at: iso(clock), tries: 1 },
      { ...step, name: 'pickup', status: 'waiting', awaits: 'keys', at: iso(clock) },
      { ...step, name: 'drive', status: 'pending', delayMs: 5 },
      { ...step, name: 'back', status: 'pending', awaits: 'returned' },
    ],
    history: [
      { at: iso(clock), kind: 'done', step: 'hold', tries: 1 },
      { at: iso(clock), kind: 'waiting', step: 'pickup', tries: null },
    ],
    error: null,
    compensationErrors: [],
    events: ['keys', 'returned'],
    input: { van: 7 },
    results: { hold: { id: 7 } },
    signal: null,
  });
});

test('S-08: a session that is not unlocked changes nothing', async () => {
  const { attach, begin, store } = await kept();
  const id = await begin();
  const [client, other] = [await attach(), await attach()];
  await other.call('debug.unlock', {});
  const calls = [
    client.call('debug.signalWorkflow', { id, signal: 'keys' }),
    client.call('debug.cancelWorkflow', { id }),
    client.call('debug.runSchedule', { flow: 'f' }),
  ];
  for (const call of calls)
    expect(await refusal(call)).toEqual([-32004, 'it changes the state of the service: call "debug.unlock" before it']);
  await other.call('debug.lock', {});
  expect((await refusal(other.call('debug.cancelWorkflow', { id })))?.[0]).toBe(-32004);
  expect([await store.pendingSignal(id, 'keys'), (await store.get(id))?.cancelRequested]).toEqual([undefined, false]);
});

test('one that is unlocked signals and cancels; of two that signal the same, one is refused, for it came too late', async () => {
  const { attach, begin, clock, store } = await kept();
  const [id, second] = [await begin(), await begin()];
  const clients = await Promise.all([attach(), attach()] as const);
  for (const each of clients) await each.call('debug.unlock', {});
  const signals = clients.map((each) =>
    each.call('debug.signalWorkflow', { id, signal: 'keys', payload: { by: 'ann', n: 3 } }).then(
      ({ message }) => message,
      ({ code, message }: WireError) => [code, message],
    ),
  );
  expect(await Promise.all(signals)).toEqual([
    'the event "keys" was received, the workflow continues',
    [-32602, `the event "keys" of workflow "${id}" was signalled before`],
  ]);
  const [client] = clients;
  await expect
    .poll(async () => {
      await clock.pass(10);
      return (await client.call('inspect.workflow', { id })).step;
    })
    .toBe('back');
  expect(await client.call('inspect.workflow', { id })).toMatchObject({ signal: { by: 'ann', n: 3 } });
  expect((await store.get(id))?.state.signal).toEqual({ by: 'ann', n: 3n });
  expect(await client.call('debug.cancelWorkflow', { id: second })).toEqual({
    status: 'cancelled',
    message: 'the workflow is cancelled; its completed steps are undone in reverse order',
  });
  await expect
    .poll(async () => {
      await clock.pass(10);
      return (await client.call('inspect.workflow', { id: second })).status;
    })
    .toBe('cancelled');
  const { steps } = await client.call('inspect.workflow', { id: second });
  expect(steps.map(({ status }) => status)).toEqual(['compensated', 'cancelled', 'pending', 'pending']);
  expect(await refusal(client.call('debug.cancelWorkflow', { id: second }))).toEqual([
    -32602,
    `workflow "${second}" has ended: it is cancelled`,
  ]);
});

test.each<[string, 'inspect.workflows' | 'inspect.workflow' | 'debug.signalWorkflow', object, string]>([
  ['an unknown status', 'inspect.workflows', { status: 'odd' }, '"status" is one of running, waiting'],
  ['too many', 'inspect.workflows', { limit: 201 }, '"limit" is a number from 1 to 200'],
  ['another place', 'inspect.workflows', { before: 'x' }, '"before" is what "next" was'],
  ['no such workflow', 'inspect.workflow', { id: '<b>\0' }, 'there is no workflow "<b>\0"'],
  ['a list as payload', 'debug.signalWorkflow', { signal: 'keys', payload: [1] }, 'must be a JSON object'],
  [
    'a huge payload',
    'debug.signalWorkflow',
    { signal: 'keys', payload: { a: 'x'.repeat(1_048_576) } },
    'characters at',
  ],
  ['an unknown event', 'debug.signalWorkflow', { signal: 'x'.repeat(99) }, 'does not wait for the event "xxx'],
  ['an event with NUL', 'debug.signalWorkflow', { signal: 'a\0' }, '"signal" holds a character'],
])('refuses %s', async (_, method, params, message) => {
  const { attach, begin } = await kept();
  const id = await begin();
  const client = await attach();
  await client.call('debug.unlock', {});
  const given = method === 'inspect.workflows' ? params : { id, ...params };
  const [code, text] = (await refusal(client.call(method as 'inspect.workflows', given))) ?? [];
  expect([code, text]).toEqual([-32602, expect.stringContaining(message)]);
});

test('of ten thousand workflows a page is read, and the next one continues it', async () => {
  const { attach, store } = await kept();
  for (let at = 0; at < 10_000; at++)
    await store.create(stateOf(`wf_${at}`, { status: 'completed', startedAt: 1_000 + at }), undefined, undefined);
  const client = await attach();
  const first = await client.call('inspect.workflows', { limit: 200 });
  const second = await client.call('inspect.workflows', { limit: 200, before: first.next ?? '' });
  expect([first, second].map(({ workflows }) => [workflows.length, workflows[0]?.id, workflows.at(-1)?.id])).toEqual([
    [200, 'wf_9999', 'wf_9800'],
    [200, 'wf_9799', 'wf_9600'],
  ]);
});

test('what is hidden in flows is hidden in workflows, in results and failures too', async () => {
  const planted = 'Zq8vPlantedSecretKx';
  const input = { name: 'Ada Lovelace', password: planted, n: 3n };
  const state = stateOf('wf_1', { input, results: { hold: { note: `for ${planted}` } }, error: `not ${planted}` });
  const said = async (hidden: HiddenValues | undefined, masksNames: boolean) => {
    const { attach, store } = await kept(undefined, masksNames);
    await store.create({ ...state, status: 'failed', hidden }, undefined, undefined);
    const { input, results, error } = await (await attach()).call('inspect.workflow', { id: 'wf_1' });
    return [input, results, error];
  };
  const open = [{ ...input, n: 3 }, { hold: { note: `for ${planted}` } }, `not ${planted}`];
  expect(await said(undefined, false)).toEqual(open);
  expect(await said('outside_development', false)).toEqual(open);
  expect(await said(undefined, true)).toEqual([
    { name: 'Ada Lovelace', password: '***', n: 3 },
    { hold: { note: 'for ***' } },
    'not ***',
  ]);
  expect(JSON.stringify(await said('outside_development', true))).not.toMatch(/Planted|Lovelace/);
  expect(JSON.stringify(await said('always', false))).not.toMatch(/Planted|Lovelace/);
});

test('a saga that the configuration no longer has is shown without steps', async () => {
  const { attach, store } = await kept();
  await store.create(stateOf('wf_1', { saga: 'gone', status: 'waiting' }), 'hold', undefined);
  const client = await attach();
  await client.call('debug.unlock', {});
  expect(await client.call('inspect.workflow', { id: 'wf_1' })).toMatchObject({ flow: 'gone', steps: [], events: [] });
  expect(await refusal(client.call('debug.cancelWorkflow', { id: 'wf_1' }))).toEqual([
    -32602,
    'workflow "wf_1" is suspended: the configuration has no saga "gone"',
  ]);
});

test('a store that is slow or away is said to be, and is not asked more and more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let asked = 0;
  const silent = () => {
    asked++;
    return new Promise<never>(() => undefined);
  };
  const workflows = {
    storage: 'db',
    flows: () => [],
    list: silent,
    counts: async () => [],
  } as unknown as PlanWorkflows;
  const client = await debugging({ workflows })();
  const call = () => refusal(client.call('inspect.workflows', {}));
  const first = call();
  await vi.waitFor(() => expect(asked).toBe(1));
  expect(await client.call('debug.threads', {})).toEqual({ threads: [] });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await first).toEqual([-32603, 'the store of workflows did not answer within 3 s']);
  const others = Array.from({ length: 7 }, call);
  await vi.waitFor(() => expect(asked).toBe(8));
  expect(await call()).toEqual([-32603, 'the store of workflows has not answered 8 questions yet']);
  await vi.advanceTimersByTimeAsync(3_000);
  await Promise.all(others);
  const away = { ...workflows, list: () => Promise.reject(new Failure('store_unavailable', 'no connection')) };
  const other = await debugging({ workflows: away })();
  expect(await refusal(other.call('inspect.workflows', {}))).toEqual([-32603, 'no connection']);
});

test('a service without workflows and schedules says so', async () => {
  const client = await debugging({})();
  await client.call('debug.unlock', {});
  expect(await client.call('inspect.workflows', {})).toEqual({
    ...{ storage: null, flows: [], counts: [], workflows: [], next: null },
  });
  expect(await client.call('inspect.schedules', {})).toEqual({ schedules: [] });
  expect(await refusal(client.call('inspect.workflow', { id: 'wf_1' }))).toEqual([
    -32602,
    'the service keeps no workflows: its service block has no workflow block',
  ]);
  expect(await refusal(client.call('debug.runSchedule', { flow: 'f' }))).toEqual([-32602, 'no schedule runs flow "f"']);
});

test('schedules are listed, and one is run when the session is unlocked', async () => {
  const ran: string[] = [];
  const entry: ScheduleEntry = {
    ...{ flow: 'clean', expression: '@daily', timezone: 'UTC', overlap: 'skip' as const, storage: null },
    ...{ next: ['2026-01-02T00:00:00.000+00:00'], running: 0, waiting: 0, last: null },
  };
  const run = (flow: string) => {
    ran.push(flow);
    return ran.length === 1 ? ('begun' as const) : { refused: 'it runs already' };
  };
  const client = await debugging({ timer: { list: () => [entry], run } })();
  expect(await client.call('inspect.schedules', {})).toEqual({ schedules: [entry] });
  expect((await refusal(client.call('debug.runSchedule', { flow: 'clean' })))?.[0]).toBe(-32004);
  expect(ran).toEqual([]);
  await client.call('debug.unlock', {});
  expect(await client.call('debug.runSchedule', { flow: 'clean' })).toEqual({ ok: true, state: 'begun' });
  expect(await refusal(client.call('debug.runSchedule', { flow: 'clean' }))).toEqual([-32602, 'it runs already']);
});
