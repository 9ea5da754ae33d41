import { expect, test } from 'vitest';
import { DebugModel } from './model.ts';
import { ruleKey } from './thread.ts';

function setUp() {
  const waiting: (() => void)[] = [];
  const model = new DebugModel((flush) => void waiting.push(flush));
  const frame = () => {
    for (const flush of waiting.splice(0)) flush();
  };
  return { model, events: model.handlers, waiting, frame };
}

const inFlow = { threadId: 'a', flowName: 'order' };
const inStage = { ...inFlow, stage: 'transform', name: '' };

test('events become threads with their stages, values and end', () => {
  const { model, events, frame } = setUp();
  events['event.flowStart']?.({ ...inFlow, input: { id: 1 } });
  events['event.stageEnter']?.({ ...inFlow, stage: 'input', name: '', input: {} });
  events['event.stageExit']?.({
    ...inFlow,
    stage: 'input',
    name: '',
    output: 1,
    durationUs: 40,
    pausedUs: 0,
    error: '',
  });
  events['event.stageEnter']?.({ ...inStage, input: {} });
  events['event.ruleEval']?.({ ...inStage, ruleIndex: 0, target: 'id', expression: 'input.id', result: 1, error: '' });
  expect(model.state.value.threads).toEqual([]);
  frame();
  const [thread] = model.state.value.threads;
  expect(thread).toMatchObject({
    id: 'a',
    number: 1,
    flow: 'order',
    stage: 'transform',
    isPaused: false,
    stages: [
      { stage: 'input', startUs: 0, durationUs: 40 },
      { stage: 'transform', startUs: 40, durationUs: undefined },
    ],
  });
  expect(thread?.values.get(ruleKey('transform', '', 0))).toEqual({
    stage: 'transform',
    name: '',
    index: 0,
    target: 'id',
    expression: 'input.id',
    result: 1,
    error: '',
  });
  events['event.flowEnd']?.({ ...inFlow, output: 2, durationUs: 90, pausedUs: 0, error: '', dropped: null });
  frame();
  expect(model.state.value.threads[0]?.ended).toEqual({ output: 2, error: '', durationUs: 90, dropped: undefined });
});

test('a stop is reported at once and takes the focus unless another stop has it', () => {
  const { model, events } = setUp();
  const reported: string[] = [];
  model.onStopped = ({ id, stop }) => reported.push(`${id} ${stop}`);
  const rule = { index: 0, target: 'id', expression: 'input.id' };
  events['event.stopped']?.({ ...inStage, rule, reason: 'breakpoint', message: '' });
  events['event.stopped']?.({ ...inStage, threadId: 'b', reason: 'breakpoint', message: '' });
  events['event.continued']?.({ threadId: 'a' });
  events['event.stopped']?.({ ...inStage, rule, reason: 'stepInto', message: '' });
  expect(reported).toEqual(['a 1', 'b 1', 'a 2']);
  expect(model.focused.value).toBe('a');
  expect(model.current).toMatchObject({ id: 'a', isPaused: true, reason: 'stepInto', rule });
});

test('when the thread in focus ends, another that is paused is looked at', () => {
  const { model, events } = setUp();
  for (const threadId of ['a', 'b']) events['event.stopped']?.({ ...inStage, threadId, reason: 'step', message: '' });
  events['event.continued']?.({ threadId: 'a' });
  events['event.flowEnd']?.({ ...inFlow, output: 1, durationUs: 1, pausedUs: 0, error: '', dropped: null });
  expect(model.current?.id).toBe('b');
});

test('a flood becomes one change for each frame and keeps what is bounded', () => {
  const { model, events, waiting, frame } = setUp();
  let changes = 0;
  model.state.subscribe(() => changes++);
  for (let index = 0; index < 100_000; index++) {
    events['event.ruleEval']?.({
      ...inStage,
      ruleIndex: index % 8,
      target: 'id',
      expression: '',
      result: index,
      error: '',
    });
    if (index % 10 === 0) events['event.log']?.({ ...inStage, ruleIndex: 0, message: 'seen' });
  }
  expect([changes, waiting.length]).toEqual([0, 1]);
  frame();
  expect(changes).toBe(1);
  const [thread] = model.state.value.threads;
  expect([thread?.values.size, model.log.value.length]).toEqual([8, 1000]);
  expect(thread?.values.get(ruleKey('transform', '', 7))?.result).toBe(99_999);
});

test('of what ended the last hundred stay, of the stages of a loop the last five hundred', () => {
  const { model, events, frame } = setUp();
  for (let index = 0; index < 300; index++) {
    const flow = { threadId: `t${index}`, flowName: 'order' };
    events['event.flowStart']?.({ ...flow, input: {} });
    events['event.flowEnd']?.({ ...flow, output: {}, durationUs: 1, pausedUs: 0, error: '', dropped: null });
  }
  for (let index = 0; index < 2000; index++) events['event.stageEnter']?.({ ...inStage, name: `${index}`, input: {} });
  frame();
  // With the one that is shown, which was the first, and the one that runs.
  expect(model.state.value.threads.length).toBe(102);
  expect(model.state.value.threads[0]?.stages.length).toBe(500);
});

test('what was left out is counted until the connection ends', () => {
  const { model, events, frame } = setUp();
  events['event.dropped']?.({ count: 4 });
  events['event.dropped']?.({ count: 1200 });
  frame();
  expect(model.state.value.dropped).toBe(1204);
  model.reset();
  expect(model.state.value).toMatchObject({ dropped: 0, threads: [] });
});

test('chunks of a batch are shown where the batch is written', () => {
  const { model, events } = setUp();
  const inChunk = { threadId: 'a', flowName: 'copy', stage: 'transform', name: 'chunk 2' };
  events['event.stageEnter']?.({ ...inChunk, input: {} });
  events['event.stopped']?.({
    ...inChunk,
    rule: { index: 0, target: 'x', expression: 'y' },
    reason: 'step',
    message: '',
  });
  expect(model.thread('a')).toMatchObject({ name: 'chunk', stages: [{ name: 'chunk' }] });
});

test('threads that are lost sight of are kept as they were, and say how', () => {
  const { model, events } = setUp();
  const rule = { index: 0, target: 'id', expression: 'input.id' };
  events['event.stageEnter']?.({ ...inStage, input: {} });
  events['event.stopped']?.({ ...inStage, rule, reason: 'pause', message: '' });
  const holds = null;
  model.listed([
    { id: 'a', flowName: 'order', stage: 'transform', name: '', paused: true, reason: 'breakpoint', holds },
  ]);
  expect(model.current?.reason).toBe('pause');
  model.cut('left');
  expect(model.current).toMatchObject({ id: 'a', cut: 'left', isPaused: false, rule, ended: { error: '' } });
  expect(model.state.value.threads).toHaveLength(1);
  model.cut('over');
  expect(model.current?.cut).toBe('over');
  model.reset();
  expect(model.state.value.threads).toEqual([]);
});
