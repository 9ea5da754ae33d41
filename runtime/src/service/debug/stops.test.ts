import type { WireClient } from '@svc/protocol/wire';
import { describe, expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';
import { load } from '../../engine/plan/testing/service.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { connectorEntries } from './inspect.ts';
import { client, debugged, fine, next } from './testing/debugged.ts';

/** Breakpoints of flow `f` as they come back. */
async function checked(wire: WireClient, ...breakpoints: Parameters<typeof set>[1]) {
  return (await set(wire, breakpoints)).breakpoints.map(({ verified, message }) => [verified, message]);
}

function set(
  wire: WireClient,
  breakpoints: { stage: string; ruleIndex: number; name?: string; condition?: string; logMessage?: string }[],
) {
  return wire.call('debug.setBreakpoints', { flow: 'f', breakpoints });
}

describe('breakpoints that can never stop a thread', () => {
  test.each([
    ['inputt.n > 1', 'there is no variable "inputt" here'],
    ['nosuch(input.n)', 'there is no function "nosuch"'],
    ['input.name.nosuch()', 'there is no method "nosuch"'],
    ['type(input.n) == strng', 'there is no variable "strng" here'],
    ["input.n == 1 && 1 + 'a' == 2", 'int + string is not defined'],
    ['_flow == "f"', 'there is no variable "_flow" here'],
    ['input.n >', 'the expression ends where a value is expected'],
  ])('%s is not verified, and says why', async (condition, why) => {
    const wire = await client(await debugged());
    const [[verified, message]] = (await checked(wire, { stage: 'transform', ruleIndex: -1, condition })) as [
      [boolean, string],
    ];
    expect(verified).toBe(false);
    expect(message).toBe(`the condition does not compile: ${why}`);
  });

  test('what only a message decides is left to run time', async () => {
    const wire = await client(await debugged());
    const all = ['input.n > 1', 'input.a.b == 1 + input.c', 'size(input.list) > 0', "error.message == ''"];
    expect(await checked(wire, ...all.map((condition) => ({ stage: 'transform', ruleIndex: -1, condition })))).toEqual(
      all.map(() => [true, '']),
    );
  });
});

test('a breakpoint that names a chunk of a batch stops at that chunk', async () => {
  let pages = 0;
  const service = await debugged(
    `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  batch {
    source     = "db"
    query      = "SELECT * FROM t"
    chunk_size = 2
    transform {
      n = "input.n"
    }
    to {
      connector = "db"
      target    = "t"
    }
  }
}`,
    {
      answer: ({ description }) => {
        if (description.verb === 'create') return { affected: 1 };
        return { rows: pages++ < 3 ? [{ n: 1 }, { n: 2 }] : [] };
      },
    },
  );
  const wire = await client(service);
  expect(
    await checked(
      wire,
      { stage: 'transform', name: 'chunk 2', ruleIndex: -1 },
      { stage: 'transform', name: 'chunk 0', ruleIndex: -1 },
      { stage: 'transform', name: 'chunks', ruleIndex: -1 },
    ),
  ).toEqual([
    [true, ''],
    [false, 'no stage "transform" of flow "f" is named "chunk 0"; there is "chunk"'],
    [false, 'no stage "transform" of flow "f" is named "chunks"; there is "chunk"'],
  ]);
  const stops: unknown[] = [];
  wire.on('event.stopped', ({ threadId, name }) => {
    stops.push(name);
    void wire.call('debug.continue', { threadId });
  });
  await service.deliver('f', {});
  expect(stops).toEqual(['chunk 2']);
});

test('output before response is what the destination answered, before validate_output the answer that is checked', async () => {
  const service = await debugged(
    `type "answer" {
  a = "number"
}
${fine.replace(/\}\n*$/, '  response {\n    a = "output.affected"\n  }\n  validate {\n    output = "answer"\n  }\n}')}`,
    { answer: () => ({ affected: 7 }) },
  );
  const wire = await client(service);
  await set(wire, [
    { stage: 'response', ruleIndex: -1, condition: 'output.affected == 7' },
    { stage: 'validate_output', ruleIndex: -1, condition: 'output.a == 7' },
  ]);
  const seen: unknown[] = [];
  let stopped = next(wire, 'event.stopped');
  const done = service.deliver('f', { n: 1 });
  for (let at = 0; at < 2; at++) {
    const { threadId, stage, message } = (await stopped) as { threadId: string; stage: string; message: string };
    const { output } = await wire.call('debug.variables', { threadId });
    const { result } = await wire.call('debug.evaluate', { threadId, expression: 'output' });
    seen.push([stage, message, output, result]);
    stopped = next(wire, 'event.stopped');
    await wire.call('debug.continue', { threadId });
  }
  await done;
  expect(seen).toEqual([
    ['response', '', { affected: 7 }, { affected: 7 }],
    ['validate_output', '', { a: 7 }, { a: 7 }],
  ]);
});

test('a stop in an aspect shows result and _flow', async () => {
  const service = await debugged(`${fine}
aspect "note" {
  on   = ["*"]
  when = "after"
  action {
    connector = "db"
    target    = "notes"
    transform {
      n = "result.affected"
    }
  }
}`);
  const wire = await client(service);
  const { stages } = await wire.call('inspect.flow', { name: 'f' });
  const { rules } = stages.find(({ stage }) => stage === 'aspect') ?? { rules: [] };
  const ruleIndex = rules.findIndex(({ target }) => target === 'n');
  await set(wire, [{ stage: 'aspect', name: 'note', ruleIndex, condition: "_flow == 'f' && has(result.affected)" }]);
  const stopped = next(wire, 'event.stopped');
  const done = service.deliver('f', { n: 1 });
  const { threadId, message } = (await stopped) as { threadId: string; message: string };
  const { others } = await wire.call('debug.variables', { threadId });
  expect([message, others]).toMatchObject(['', { _flow: 'f', result: { affected: 1 } }]);
  await wire.call('debug.continue', { threadId });
  await done;
});

const pay = `saga "rent" {
  from {
    connector = "api"
    operation = "POST /rent"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "holds"
      data      = { state = "held" }
    }
    compensate {
      connector = "db"
      operation = "DELETE"
      target    = "holds"
      where     = { why = "error.message" }
    }
  }
  step "pay" {
    retry {
      attempts = 3
      delay    = "1s"
    }
    action {
      connector = "peer"
      operation = "POST /pay"
      body      = { amount = "input.amount" }
    }
  }
}`;

test('a saga stops in each attempt of a step, with its number, and shows the failure where it is undone', async () => {
  const service = await debugged(pay, {
    answer: ({ connector }) => {
      if (connector === 'peer') throw new Failure('connector_failed', 'away', { retriable: true });
      return { affected: 1 };
    },
  });
  const wire = await client(service);
  const { breakpoints } = await wire.call('debug.setBreakpoints', {
    flow: 'rent',
    breakpoints: [
      { stage: 'step', name: 'pay.action', ruleIndex: -1 },
      { stage: 'step', name: 'pay.action 2', ruleIndex: 0 },
      { stage: 'step', name: 'pay.action 0', ruleIndex: 0 },
      { stage: 'step', name: 'hold.compensate', ruleIndex: -1 },
    ],
  });
  expect(breakpoints.map(({ verified }) => verified)).toEqual([true, true, false, true]);
  const stops: unknown[] = [];
  wire.on('event.stopped', ({ threadId, name, rule }) => {
    void (async () => {
      const { others } = await wire.call('debug.variables', { threadId });
      stops.push([name, rule?.index ?? -1, others?.['error']]);
      await wire.call('debug.continue', { threadId });
    })();
  });
  const done = Promise.resolve(service.deliver('rent', { amount: 5n }));
  let isOver = false;
  void done.then(() => (isOver = true));
  while (!isOver) await service.clock.pass(500);
  expect(stops).toEqual([
    ['pay.action 1', -1, undefined],
    ['pay.action 2', -1, undefined],
    ['pay.action 2', 0, undefined],
    ['pay.action 3', -1, undefined],
    ['hold.compensate', -1, { message: 'step "pay": away' }],
  ]);
});

test('a breakpoint in an aspect stops in every flow that it matches', async () => {
  const flows = `${fine}
${fine.replace('"f"', '"g"').replace('/x', '/g')}
aspect "note" {
  on   = ["*"]
  when = "after"
  action {
    connector = "db"
    target    = "notes"
    transform {
      n = "result.affected"
    }
  }
}`;
  const service = await debugged(flows);
  const wire = await client(service);
  const stops: unknown[] = [];
  wire.on('event.stopped', ({ threadId, flowName, stage, name }) => {
    stops.push([flowName, stage, name]);
    void wire.call('debug.continue', { threadId });
  });
  for (const flow of ['f', 'g']) {
    const breakpoints = [{ stage: 'aspect', name: 'note', ruleIndex: -1 }];
    const set = await wire.call('debug.setBreakpoints', { flow, breakpoints });
    expect(set.breakpoints.map(({ verified }) => verified)).toEqual([true]);
  }
  for (const flow of ['f', 'g', 'f']) await service.deliver(flow, { n: 1 });
  expect(stops).toEqual(['f', 'g', 'f'].map((flow) => [flow, 'aspect', 'note']));
});

test('queues and servers of the catalogue have neutral names', () => {
  const project = projectOf(
    'connector "api" {\n  type = "rest"\n}\nconnector "q" {\n  type   = "mq"\n  driver = "rabbitmq"\n}\nconnector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\n',
  );
  const entries = connectorEntries({ project, stages: new Map() });
  expect(entries.map(({ name, type, driver }) => [name, type, driver])).toEqual([
    ['api', 'rest', ''],
    ['q', 'mq', 'amqp_broker'],
    ['db', 'database', 'sqlite'],
  ]);
});

test('connectors have neutral names', () => {
  const project = load('connector "own" {\n  type = "peer"\n}\n');
  const entries = connectorEntries({ project, stages: new Map() });
  expect(entries.find(({ name }) => name === 'own')).toEqual({ name: 'own', type: 'peer', driver: '' });
});
