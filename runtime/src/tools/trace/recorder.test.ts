import { expect, test } from 'vitest';
import { load, messageOf } from '../../engine/plan/testing/service.ts';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import { Secrecy } from '../../service/debug/values/snapshot.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { Places } from './places.ts';
import { Recorder } from './recorder.ts';

const project = load(`flow "outer" {
  from {
    connector = "api"
    operation = "GET /x"
  }
}
flow "inner" {
  from {
    connector = "api"
    operation = "GET /y"
  }
}`);
const rule = { index: 0, target: 'cookie', expression: 'input.cookie' };
const [input, step, transform, hit] = [
  { stage: 'input', name: '', rules: [] },
  { stage: 'step', name: 'a', rules: [rule] },
  { stage: 'transform', name: '', rules: [] },
  { stage: 'cache_hit', name: '', rules: [] },
] as const satisfies readonly WatchedStage[];

/** A recorder whose flow may be paused. */
async function recorder() {
  const clock = new ManualClock();
  let paused = 0;
  const made = new Recorder({
    clock,
    secrecy: new Secrecy(false),
    places: new Places(project),
    paused: () => paused,
    stages: () => new Map([['outer', [input, hit, step, transform]]]),
  });
  const wait = async (milliseconds: number, isPause = false) => {
    await clock.pass(milliseconds);
    if (isPause) paused += milliseconds;
  };
  return { made, wait };
}

const frameOf = (callers: readonly string[] = []) => ({
  message: messageOf({}, { callers }),
  input: { n: 1 },
  step: { a: { authorization: 'x', b: 1 } },
});

test('durations exclude pauses; what is hidden is masked; what did not run is listed in its place', async () => {
  const { made, wait } = await recorder();
  const frame = frameOf();
  const thread = made.begin('outer', frame);
  made.enter(thread, input, undefined);
  made.leave(thread, input, undefined, frame, undefined, undefined);
  made.enter(thread, step, undefined);
  await wait(500, true);
  made.enter(thread, step, rule);
  await wait(3);
  made.leave(thread, step, rule, frame, undefined, 'c=1');
  made.leave(thread, step, undefined, frame, undefined, undefined);
  made.end(thread, undefined);
  expect(made.recorded()).toEqual([
    {
      flow: 'outer',
      durationUs: 3_000,
      simulated: [],
      flows: [],
      stages: [
        {
          ...{ stage: 'input', name: '', at: 'a.hcl:1', state: 'done', durationUs: 0 },
          ...{ rules: [], value: { n: 1 }, simulated: [], flows: [] },
        },
        {
          ...{ stage: 'step', name: 'a', at: '', state: 'done', durationUs: 3_000 },
          rules: [{ target: 'cookie', expression: '***', at: '', durationUs: 3_000, value: '***' }],
          ...{ value: { authorization: '***', b: 1 }, simulated: [], flows: [] },
        },
        {
          ...{ stage: 'transform', name: '', at: '', state: 'skipped', durationUs: 0 },
          ...{ rules: [], simulated: [], flows: [] },
        },
      ],
    },
  ]);
});

test('a flow that another one calls is recorded at the stage that called it, what is not done at the block that asked', async () => {
  const { made } = await recorder();
  const [outer, inner] = [frameOf(), frameOf(['outer'])];
  const thread = made.begin('outer', outer);
  made.enter(thread, step, undefined);
  const called = made.begin('inner', inner);
  made.simulated({ connector: 'memory', operation: 'cache set', answer: { key: 'k' } });
  made.end(called, undefined);
  made.simulated({
    connector: 'db',
    operation: 'INSERT',
    place: { flow: 'outer', label: 'step "a"' },
    answer: { dry_run: true },
  });
  made.end(thread, new Error('broken'));
  const [run, ...others] = made.recorded();
  expect(others).toEqual([]);
  expect(made.failure).toEqual(new Error('broken'));
  expect(run?.stages.find(({ stage }) => stage === 'step')).toMatchObject({
    state: 'open',
    simulated: [{ connector: 'db', operation: 'INSERT', answer: { dry_run: true } }],
    flows: [{ flow: 'inner', simulated: [{ connector: 'memory', operation: 'cache set', answer: { key: 'k' } }] }],
  });
});
