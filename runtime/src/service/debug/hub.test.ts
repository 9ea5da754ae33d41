import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { describe, expect, test } from 'vitest';
import { load, messageOf } from '../../engine/plan/testing/service.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import { EventGate } from './gate.ts';
import { startDebugger } from './live.ts';
import { client, debugged, fine, flow, next, stopAt } from './testing/debugged.ts';

test('R-35: the end of a flow says why its message was dropped, without what is never shown', async () => {
  const gated = fine.replace(
    '"POST /x"',
    `"POST /x"\n    filter    = "input.n > 1 && input.headers.authorization != '' && !has(input.vip)"`,
  );
  const service = await debugged(gated);
  const wire = await client(service);
  const ended = next(wire, 'event.flowEnd');
  await service.deliver('f', { n: 1n, headers: { authorization: 'Bearer x' } });
  const { output, error, dropped } = (await ended) as Record<string, unknown>;
  expect({ output, error, dropped }).toEqual({
    output: null,
    error: '',
    dropped: {
      reason: 'filter',
      decidedBy: 'filter',
      expression: "input.n > 1 && input.headers.authorization != '' && !has(input.vip)",
      policy: 'ack',
      values: { 'input.n': 1, 'input.headers.authorization': '***', 'input.vip': '(absent)' },
    },
  });
  const passed = next(wire, 'event.flowEnd');
  await service.deliver('f', { n: 2n, headers: { authorization: 'Bearer x' } });
  expect(await passed).toMatchObject({ dropped: null });
  wire.close();
});

describe('breakpoints', () => {
  test('a false condition hides no true one behind it, and neither is compiled again when it is reached', async () => {
    const service = await debugged();
    const wire = await client(service);
    await stopAt(
      wire,
      { stage: 'transform', ruleIndex: -1, condition: 'input.n > 100.0' },
      { stage: 'transform', ruleIndex: -1, condition: 'input.n > 1.0' },
    );
    for (const n of [0, 5, 5]) {
      const stopped = next(wire, 'event.stopped');
      const outcome = service.deliver('f', { n });
      if (n === 5) {
        const { threadId } = await stopped;
        await wire.call('debug.continue', { threadId: threadId as string });
      }
      expect(await outcome).toMatchObject({ kind: 'reply' });
    }
    wire.close();
  });

  test('conditions are compiled when they are set and never when they are reached', async () => {
    const clock = new ManualClock();
    const project = load(fine);
    const { hub, endpoint } = startDebugger({
      service: () => ({ project, stages: new Map([['f', [place]]]) }),
      clock,
      log: memoryLog().log,
      variables: {},
      masksNames: false,
      maxPause: 1_000,
      gate: new EventGate(memoryLog().log, false),
      attachedChanged: () => undefined,
    });
    const [ours, theirs] = joinedChannels();
    const wire = new WireClient(ours);
    endpoint.connect(theirs);
    await wire.call('debug.attach', {});
    await stopAt(wire, { stage: 'transform', ruleIndex: -1, condition: 'input.n > 100.0' });
    const thread = hub.begin('f', { input: { n: 1 }, message: messageOf({}) });
    const before = endpoint.expressionsCompiled;
    for (let at = 0; at < 1_000; at++) await hub.enter(thread, place, undefined, { input: { n: at % 100 } });
    expect([before > 0, endpoint.expressionsCompiled - before]).toEqual([true, 0]);
  });

  test('a condition that fails stops the thread and says why', async () => {
    const service = await debugged();
    const wire = await client(service);
    await stopAt(wire, { stage: 'transform', ruleIndex: 0, condition: 'input.missing == 1' });
    const stopped = next(wire, 'event.stopped');
    const outcome = service.deliver('f', { n: 1 });
    const { threadId, message, reason } = await stopped;
    expect([reason, message]).toEqual([
      'breakpoint',
      'the condition "input.missing == 1" failed: no such key: missing',
    ]);
    await wire.call('debug.continue', { threadId: threadId as string });
    await outcome;
  });

  test('set while a request runs, they still apply to it; hit counts and log messages do what they say', async () => {
    const service = await debugged();
    const wire = await client(service, ['log']);
    const said: unknown[] = [];
    wire.on('event.log', ({ message }) => void said.push(message));
    await wire.call('debug.setBreakpoints', {
      flow: 'f',
      breakpoints: [
        { stage: 'transform', ruleIndex: -1, hitCount: 2 },
        { stage: 'write', ruleIndex: -1, logMessage: 'n is {input.n}, gone is {input.gone}' },
      ],
    });
    await service.deliver('f', { n: 1 });
    const stopped = next(wire, 'event.stopped');
    const second = service.deliver('f', { n: 2 });
    const { threadId } = await stopped;
    await stopAt(wire, { stage: 'write', ruleIndex: -1 });
    const again = next(wire, 'event.stopped');
    await wire.call('debug.continue', { threadId: threadId as string });
    expect(await again).toMatchObject({ stage: 'write', reason: 'breakpoint' });
    await wire.call('debug.continue', { threadId: threadId as string });
    await second;
    expect(said).toEqual(['n is 1, gone is {no such key: gone}']);
  });
});

test('P-16: while no client is attached nothing is reported, nothing waits, and a request of that time is never reported', async () => {
  const service = await debugged();
  expect(service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
  expect(service.entryPoint.probe.watcher).toBe(undefined);
  const wire = await client(service);
  await stopAt(wire, { stage: 'transform', ruleIndex: 0 });
  await wire.call('debug.detach', {});
  expect(service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
});

describe('threads', () => {
  test('S-05: attaching and detaching a thousand times leaves nothing behind, nor does attaching twice', async () => {
    const service = await debugged();
    for (let at = 0; at < 1_000; at++) {
      const wire = await client(service);
      await wire.call('debug.attach', {});
      await stopAt(wire, { stage: 'transform', ruleIndex: 0 });
      if (at % 2 === 0) await wire.call('debug.detach', {});
      wire.close();
      await wire.closed;
    }
    expect(service.entryPoint.probe.attached).toBe(false);
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
  });

  test('S-05: a pause ends by itself, a client that leaves releases its threads, and none is paused after that', async () => {
    const service = await debugged();
    const wire = await client(service);
    await stopAt(wire, { stage: 'transform', ruleIndex: 0 }, { stage: 'transform', ruleIndex: 1 });
    const stopped = next(wire, 'event.stopped');
    const outcome = service.deliver('f', { n: 1 });
    await stopped;
    const [continued, again] = [next(wire, 'event.continued'), next(wire, 'event.stopped')];
    await service.clock.pass(1_001);
    await continued;
    expect(await again).toMatchObject({ rule: { index: 1 } });
    wire.close();
    expect(await outcome).toMatchObject({ kind: 'reply' });
  });

  test('S-05: more than a thousand breakpoints in a flow are refused', async () => {
    const wire = await client(await debugged());
    const many = Array.from({ length: 10_000 }, () => ({ stage: 'transform', ruleIndex: 0 }));
    await expect(stopAt(wire, ...many)).rejects.toMatchObject({ code: -32602 });
  });

  test('time that a thread was paused is not part of its duration', async () => {
    const service = await debugged();
    const wire = await client(service);
    await stopAt(wire, { stage: 'transform', ruleIndex: 0 });
    const [stopped, ended] = [next(wire, 'event.stopped'), next(wire, 'event.flowEnd')];
    const outcome = service.deliver('f', { n: 1 });
    const { threadId } = await stopped;
    await service.clock.pass(400);
    await wire.call('debug.continue', { threadId: threadId as string });
    await outcome;
    expect(await ended).toMatchObject({ durationUs: 0, pausedUs: 400_000, error: '' });
  });

  test('a failure is stopped at where it happens, once, and old clients read the nearest reason', async () => {
    const service = await debugged(flow);
    const wire = await client(service);
    await wire.call('debug.setFailureBreakpoints', { codes: ['expression_failed'] });
    const stops: unknown[] = [];
    wire.on('event.stopped', ({ threadId, rule, reason, message }) => {
      stops.push([rule?.index, reason, message]);
      void wire.call('debug.continue', { threadId });
    });
    await expect(service.deliver('f', { n: 0 })).rejects.toThrow('transform: b');
    expect(stops).toEqual([[1, 'breakpoint', expect.stringContaining('expression_failed: transform: b')]]);
  });

  test('failures stop by their kind, and a kind that does not exist is refused', async () => {
    const service = await debugged(flow);
    const wire = await client(service, ['failure']);
    const stops: unknown[] = [];
    wire.on('event.stopped', ({ threadId, reason }) => {
      stops.push(reason);
      void wire.call('debug.continue', { threadId });
    });
    const deliver = () => expect((async () => service.deliver('f', { n: 0 }))()).rejects.toThrow('transform: b');
    await wire.call('debug.setFailureBreakpoints', { codes: [], types: ['connection', 'timeout'] });
    await deliver();
    expect(stops).toEqual([]);
    await wire.call('debug.setFailureBreakpoints', { codes: [], types: ['unknown'] });
    await deliver();
    expect(stops).toEqual(['failure']);
    await expect(wire.call('debug.setFailureBreakpoints', { codes: [], types: ['network'] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('there is no kind of failure "network"'),
    });
    await deliver();
    expect(stops).toEqual(['failure', 'failure']);
  });
});

describe('S-06: evaluation', () => {
  async function paused(input: Record<string, unknown>, options: Parameters<typeof debugged>[1] = {}) {
    const service = await debugged(
      `constants {\n  place = env("SVC_TEST_PLACE")\n  api_key = "k-1"\n}\n${fine}`,
      options,
    );
    const wire = await client(service);
    await stopAt(wire, { stage: 'transform', ruleIndex: 0 });
    const started = next(wire, 'event.flowStart');
    const stopped = next(wire, 'event.stopped');
    void service.deliver('f', input);
    const { threadId } = (await stopped) as { threadId: string };
    const evaluate = (expression: string) => wire.call('debug.evaluate', { threadId, expression });
    return { wire, threadId, evaluate, started: await started };
  }
  const secretInput = {
    n: 1,
    password: 'p-1',
    headers: { authorization: 'Bearer b-1', cookie: 'c=1', accept: '*/*' },
  };

  test.each([
    ["'a'", 'a', 'string'],
    ['1', 1, 'int'],
    ['1u', 1, 'uint'],
    ['1.5', 1.5, 'double'],
    ['true', true, 'bool'],
    ["b'a'", 'YQ==', 'bytes'],
    ['[1]', [1], 'list'],
    ["{'a': 1}", { a: 1 }, 'map'],
    ['null', null, 'null_type'],
    ["timestamp('2026-01-01T00:00:00Z')", '2026-01-01T00:00:00Z', 'timestamp'],
    ["duration('1s')", '1s', 'duration'],
  ])('%s has its value and its type', async (expression, result, type) => {
    const { evaluate } = await paused({ n: 1 });
    expect(await evaluate(expression)).toEqual({ result, type });
  });

  test('what only an aspect reads is shown where it stops, and read piece by piece', async () => {
    const aspect = `
aspect "audit" {
  on   = ["f"]
  when = "after"
  action {
    connector = "db"
    target    = "audit"
    transform {
      flow = "_flow"
      rows = "result.affected"
    }
  }
}`;
    const service = await debugged(`${fine}${aspect}`);
    const wire = await client(service, ['stages']);
    await stopAt(wire, { stage: 'aspect', ruleIndex: 0 });
    const stop = next(wire, 'event.stopped');
    const answer = service.deliver('f', { n: 1 });
    const { threadId } = (await stop) as { threadId: string };
    const { others } = await wire.call('debug.variables', { threadId });
    expect(others).toMatchObject({ _flow: 'f', result: { affected: 1 } });
    expect(await wire.call('debug.page', { threadId, path: ['result'], start: 0, count: 10 })).toMatchObject({
      kind: 'map',
    });
    await expect(wire.call('debug.setVariable', { threadId, path: ['result', 'affected'], value: 2 })).rejects.toThrow(
      '"result" is not one of input, output, enriched, steps',
    );
    await wire.call('debug.continue', { threadId });
    await answer;
  });

  test('it ends, and says so', async () => {
    const { evaluate } = await paused({ n: 1, list: Array.from({ length: 2_000 }, (_, at) => at) });
    await expect(evaluate('input.list.map(a, input.list.map(b, input.list.map(c, c)))')).rejects.toMatchObject({
      code: -32003,
    });
  });

  test('Authorization and Cookie are never shown, in development neither', async () => {
    const { evaluate, wire, threadId, started } = await paused(secretInput);
    const variables = await wire.call('debug.variables', { threadId });
    expect(JSON.stringify([variables, started])).not.toMatch(/b-1|c=1/);
    expect(await evaluate('input.headers.authorization + input.headers.cookie')).toMatchObject({ result: '******' });
    expect(await evaluate('input')).toMatchObject({ result: { password: 'p-1', headers: { cookie: '***' } } });
  });

  test('outside development everything named like a credential is masked', async () => {
    const { evaluate, wire, threadId, started } = await paused(secretInput, { masksNames: true });
    const variables = await wire.call('debug.variables', { threadId });
    expect(JSON.stringify([variables, started])).not.toMatch(/b-1|c=1|p-1/);
    expect(await evaluate('input.password + constants.api_key')).toMatchObject({ result: '******' });
  });

  test('env() answers only names that the configuration uses', async () => {
    const { evaluate } = await paused({ n: 1 }, { variables: { SVC_TEST_PLACE: 'here', SVC_TEST_OTHER: 'there' } });
    expect(await evaluate("env('SVC_TEST_PLACE') + '|' + env('SVC_TEST_OTHER')")).toMatchObject({ result: 'here|' });
  });
});

const place = { stage: 'transform', name: '', rules: [] };
