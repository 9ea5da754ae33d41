import { once } from 'node:events';
import { joinedChannels, socketChannel, WireClient } from '@svc/protocol/wire';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { load, messageOf } from '../../engine/plan/testing/service.ts';
import { AdminServer } from '../admin/server.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import type { AccessRules } from './connection/access.ts';
import { EventGate } from './gate.ts';
import { startDebugger } from './live.ts';
import { client, type Debugged, debugged, fine, next, stopAt } from './testing/debugged.ts';

const development: AccessRules = { enabled: true, trustsLoopback: true, token: 'right', origin: undefined };

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function served({ entryPoint }: Debugged): Promise<string> {
  const server = new AdminServer({ port: 0, host: '127.0.0.1', routes: [], log: memoryLog().log, debug: entryPoint });
  const { port } = await server.listen();
  close = async () => {
    await entryPoint.close();
    await server.close();
  };
  return `ws://127.0.0.1:${port}/debug`;
}

const wait = () => new Promise((resolve) => setImmediate(resolve));

test('a page of a foreign origin cannot drive the debugger: it never becomes a client', async () => {
  const service = await debugged(fine, { access: development });
  const page = new WebSocket(await served(service), { origin: 'http://evil.test' });
  const [error] = (await once(page, 'error')) as [Error];
  expect([error.message, service.entryPoint.probe.attached]).toEqual(['Unexpected server response: 403', false]);
});

test('a stop is not lost behind a million ruleEval events to a client that does not read', async () => {
  const service = await debugged(fine, { access: development });
  const socket = new WebSocket(await served(service));
  await once(socket, 'open');
  const wire = new WireClient(socketChannel(socket));
  await wire.call('debug.attach', { capabilities: ['dropped'] });
  await stopAt(wire, { stage: 'write', ruleIndex: -1 });
  let evaluated = 0;
  wire.on('event.ruleEval', () => void evaluated++);
  const [started, stopped, dropped] = [
    next(wire, 'event.flowStart'),
    next(wire, 'event.stopped'),
    next(wire, 'event.dropped'),
  ];
  const { probe } = service.entryPoint;
  const rule = { index: 0, target: 'a', expression: 'input.n + 1.0' };
  const flooded = { stage: 'transform', name: '', rules: [rule] };
  const thread = probe.begin('flood', { input: {}, message: messageOf({}) });
  await started;
  socket.pause();
  const before = process.memoryUsage().heapUsed;
  const result = 'x'.repeat(1_000);
  for (let at = 0; at < 1_000_000; at++) {
    probe.leave(thread, flooded, rule, {}, undefined, result);
    if (at % 10_000 === 0) await wait();
  }
  const grown = process.memoryUsage().heapUsed - before;
  const outcome = service.deliver('f', { n: 1 });
  await wait();
  socket.resume();
  const { threadId, stage } = await stopped;
  expect([stage, grown < 256 * 1_048_576]).toEqual(['write', true]);
  await wire.call('debug.continue', { threadId: threadId as string });
  await service.clock.pass(1_000);
  const { count } = await dropped;
  // Those of the flow that was stopped found no room either: two rules, and the stages before it.
  expect(count as number).toBeGreaterThanOrEqual(1_000_000 - evaluated);
  expect(count as number).toBeLessThan(1_000_000 - evaluated + 20);
  expect(await outcome).toMatchObject({ kind: 'reply' });
  wire.close();
  await wire.closed;
});

test('next stops at the next stage, from a stage and from inside one, and does not behave as continue', async () => {
  const service = await debugged();
  const wire = await client(service);
  await stopAt(wire, { stage: 'input', ruleIndex: -1 }, { stage: 'transform', ruleIndex: 0 });
  const stops: unknown[] = [];
  const over = Promise.withResolvers<void>();
  wire.on('event.stopped', ({ threadId, stage, rule, reason }) => {
    stops.push([stage, rule?.index, reason]);
    void wire.call(stage === 'write' ? 'debug.continue' : 'debug.next', { threadId });
  });
  wire.on('event.flowEnd', () => over.resolve());
  await service.deliver('f', { n: 1 });
  await over.promise;
  expect(stops).toEqual([
    ['input', undefined, 'breakpoint'],
    ['sanitize', undefined, 'step'],
    ['validate_input', undefined, 'step'],
    ['transform', undefined, 'step'],
    ['transform', 0, 'breakpoint'],
    ['write', undefined, 'step'],
  ]);
});

test("a second client's breakpoints are not ignored, and each may resume what the other holds", async () => {
  const service = await debugged();
  const [first, second] = [await client(service), await client(service)];
  await stopAt(first, { stage: 'transform', ruleIndex: 0 });
  await stopAt(second, { stage: 'transform', ruleIndex: 1 });
  const rules: unknown[] = [];
  first.on('event.stopped', ({ threadId, rule }) => {
    rules.push(['first is notified', rule?.index]);
    if (rule?.index === 1) void first.call('debug.continue', { threadId });
  });
  second.on('event.stopped', ({ threadId, rule }) => {
    rules.push(['second is notified', rule?.index]);
    if (rule?.index === 0) void second.call('debug.continue', { threadId });
  });
  expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
  expect(rules).toEqual([
    ['first is notified', 0],
    ['second is notified', 0],
    ['first is notified', 1],
    ['second is notified', 1],
  ]);
});

test('attaching and detaching a thousand times, with breakpoints and held threads, leaves nothing in the hub', async () => {
  const place = { stage: 'transform', name: '', rules: [] };
  const project = load(fine);
  const attached: boolean[] = [];
  const { hub, endpoint } = startDebugger({
    service: () => ({ project, stages: new Map([['f', [place]]]) }),
    clock: new ManualClock(),
    log: memoryLog().log,
    variables: {},
    masksNames: false,
    maxPause: 1_000,
    gate: new EventGate(memoryLog().log, false),
    attachedChanged: (now) => void attached.push(now),
  });
  for (let at = 0; at < 1_000; at++) {
    const [ours, theirs] = joinedChannels();
    endpoint.connect(theirs);
    const wire = new WireClient(ours);
    await wire.call('debug.attach', {});
    await stopAt(wire, { stage: 'transform', ruleIndex: -1 });
    const frame = { input: {}, message: messageOf({}) };
    const held = hub.enter(hub.begin('f', frame), place, undefined, frame);
    expect(held).toBeInstanceOf(Promise);
    if (at % 2 === 0) await wire.call('debug.detach', {});
    wire.close();
    await wire.closed;
    await held;
  }
  const hit = hub.breakpoints.match('f', place, undefined, () => ({}), hub.secrecy);
  expect([hub.sessions.size, hub.threads.size, endpoint.connections, hit]).toEqual([0, 0, 0, undefined]);
  expect(attached).toEqual(Array.from({ length: 2_000 }, (_, at) => at % 2 === 0));
});

test('a thread does not pause any more after its client has gone', async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const asked = fine.replace(
    '  transform {',
    '  step "slow" {\n    connector = "db"\n    target = "t"\n  }\n  transform {',
  );
  const service = await debugged(asked, {
    answer: ({ description }) => {
      if (description.verb === 'create') return { affected: 1 };
      reached.resolve();
      return gate.promise.then(() => ({ rows: [] }));
    },
  });
  const wire = await client(service);
  await stopAt(wire, { stage: 'transform', ruleIndex: -1 }, { stage: 'write', ruleIndex: -1 });
  const outcome = service.deliver('f', { n: 1 });
  await reached.promise;
  wire.close();
  await wire.closed;
  gate.resolve();
  expect(await outcome).toMatchObject({ kind: 'reply' });
});

test('a stop at a stage shows all that the flow has, not only its input', async () => {
  const service = await debugged(
    fine.replace('  transform {', '  step "s" {\n    connector = "db"\n    target = "t"\n  }\n  transform {'),
    { answer: ({ description }) => (description.verb === 'read' ? { rows: [{ id: 7 }] } : { affected: 1 }) },
  );
  const wire = await client(service);
  await stopAt(wire, { stage: 'write', ruleIndex: -1 });
  const stopped = next(wire, 'event.stopped');
  const outcome = service.deliver('f', { n: 1 });
  const { threadId } = (await stopped) as { threadId: string };
  expect(await wire.call('debug.variables', { threadId })).toMatchObject({
    input: { n: 1 },
    output: { a: 2, b: 1 },
    enriched: {},
    steps: { s: { id: 7 } },
  });
  await wire.call('debug.continue', { threadId });
  await outcome;
});

test('unknown flows, stages, names and rules are not accepted', async () => {
  const wire = await client(await debugged());
  await expect(wire.call('debug.setBreakpoints', { flow: 'g', breakpoints: [] })).rejects.toMatchObject({
    code: -32002,
  });
  const wanted = [
    { stage: 'transmogrify', ruleIndex: -1 },
    { stage: 'transform', ruleIndex: 2 },
    { stage: 'write', ruleIndex: -1, name: 'nowhere' },
    { stage: 'transform', ruleIndex: 1 },
  ];
  const { breakpoints } = await wire.call('debug.setBreakpoints', { flow: 'f', breakpoints: wanted });
  expect(breakpoints.map(({ verified, message }) => [verified, message.length > 0])).toEqual([
    [false, true],
    [false, true],
    [false, true],
    [true, false],
  ]);
});

test.each([
  [['pause'], 'pause'],
  [[], 'step'],
])('debug.pause stops a running thread at its next stage; who understands %j reads %s', async (understands, reason) => {
  const gate = Promise.withResolvers<void>();
  const service = await debugged(
    fine.replace('  transform {', '  step "slow" {\n    connector = "db"\n    target = "t"\n  }\n  transform {'),
    {
      answer: ({ description }) =>
        description.verb === 'create' ? { affected: 1 } : gate.promise.then(() => ({ rows: [] })),
    },
  );
  const wire = await client(service, understands);
  const [started, stopped] = [next(wire, 'event.flowStart'), next(wire, 'event.stopped')];
  const outcome = service.deliver('f', { n: 1 });
  const { threadId } = (await started) as { threadId: string };
  expect(await wire.call('debug.pause', { threadId })).toEqual({ ok: true });
  gate.resolve();
  expect(await stopped).toMatchObject({ threadId, stage: 'transform', reason });
  expect(await wire.call('debug.threads', {})).toMatchObject({ threads: [{ id: threadId, paused: true }] });
  await wire.call('debug.continue', { threadId });
  expect(await outcome).toMatchObject({ kind: 'reply' });
});

test('events tell what changed in place: by a stage, or by a client while the thread was held', async () => {
  const service = await debugged();
  const wire = await client(service);
  await stopAt(wire, { stage: 'transform', ruleIndex: -1 });
  const received: unknown[] = [];
  wire.on('event.stageEnter', ({ stage, input }) => received.push(['enter', stage, input]));
  wire.on('event.stageExit', ({ stage, output }) => received.push(['exit', stage, output]));
  const [stopped, ended] = [next(wire, 'event.stopped'), next(wire, 'event.flowEnd')];
  const outcome = service.deliver('f', { n: 1, name: 'a\u202eb' });
  const { threadId } = (await stopped) as { threadId: string };
  await wire.call('debug.setVariable', { threadId, path: ['input', 'n'], value: 5 });
  await wire.call('debug.continue', { threadId });
  await outcome;
  await ended;
  const [raw, clean] = [
    { n: 1, name: 'a\u202eb' },
    { n: 1, name: 'ab' },
  ];
  expect(received).toEqual([
    ['enter', 'input', raw],
    ['exit', 'input', raw],
    ['enter', 'sanitize', raw],
    ['exit', 'sanitize', clean],
    ['enter', 'validate_input', clean],
    ['exit', 'validate_input', clean],
    ['enter', 'transform', clean],
    ['exit', 'transform', { a: 6, b: 5 }],
    ['enter', 'write', { a: 6, b: 5 }],
    ['exit', 'write', expect.anything()],
    ...['validate_output'].flatMap((stage) => [
      ['enter', stage, expect.anything()],
      ['exit', stage, expect.anything()],
    ]),
  ]);
});
