import { expect, test, vi } from 'vitest';
import { DebugModel } from './model.ts';
import { recordedVariables } from './recorded.ts';

function setUp() {
  vi.useFakeTimers();
  const model = new DebugModel((flush) => void setTimeout(flush, 16));
  const { handlers: events } = model;
  const run = (threadId: string, flowName: string, error = '') => {
    events['event.flowStart']?.({ threadId, flowName, input: { of: threadId } });
    events['event.flowEnd']?.({ threadId, flowName, output: 1, durationUs: 9, pausedUs: 0, error, dropped: null });
  };
  const later = (milliseconds = 1_000) => vi.advanceTimersByTime(milliseconds);
  return { model, events, run, later };
}

const ids = ({ model }: { readonly model: DebugModel }) => [model.current?.id, model.runOf('order')?.id];

test('the newest run of a flow in view is followed, that of the flow that the person is in before others', () => {
  const given = setUp();
  const { model, run, later } = given;
  run('a', 'order');
  run('b', 'list');
  later();
  expect(ids(given)).toEqual(['b', 'a']);
  model.inView.set(['order']);
  expect(ids(given)).toEqual(['a', 'a']);
  model.inView.set(['absent', 'order', 'list']);
  expect(ids(given)).toEqual(['b', 'a']);
  run('c', 'order');
  later();
  expect(ids(given)).toEqual(['c', 'c']);
});

test('a run that comes by itself is shown when it ends, not a frame later', () => {
  const given = setUp();
  given.later();
  given.run('a', 'order');
  expect(ids(given)).toEqual(['a', 'a']);
});

test('a run that the person chose stays until the newest is followed again', () => {
  const given = setUp();
  const { model, run, later } = given;
  run('a', 'order');
  later();
  model.focused.set('a');
  run('b', 'order');
  later();
  expect(ids(given)).toEqual(['a', 'a']);
  model.focused.set(undefined);
  expect(ids(given)).toEqual(['b', 'b']);
});

test('a thread that stopped is looked at, and when it has ended the newest run is', () => {
  const given = setUp();
  const { events, run, later } = given;
  const stage = { threadId: 'a', flowName: 'order', stage: 'write', name: '' };
  events['event.flowStart']?.({ ...stage, input: {} });
  events['event.stopped']?.({ ...stage, reason: 'breakpoint', message: '' });
  run('b', 'order');
  later();
  expect(ids(given)).toEqual(['a', 'a']);
  events['event.flowEnd']?.({ ...stage, output: 1, durationUs: 9, pausedUs: 0, error: '', dropped: null });
  later();
  expect(ids(given)).toEqual(['a', 'a']);
  run('c', 'order');
  later();
  expect(ids(given)).toEqual(['c', 'c']);
});

test('of a flood of runs, one is shown for a quarter of a second, and the last one in the end', () => {
  const { model, run, later } = setUp();
  const shown: (string | undefined)[] = [];
  model.state.subscribe(() => {
    const { id } = model.current ?? {};
    if (shown.at(-1) !== id) shown.push(id);
  });
  for (let at = 0; at < 100; at++) {
    run(`run ${at}`, 'order');
    later(10);
  }
  later();
  expect(shown.at(-1)).toBe('run 99');
  expect(shown.length).toBeLessThanOrEqual(6);
});

test('the newest run of each flow is kept, however many others end', () => {
  const { model, run, later } = setUp();
  run('seldom', 'report');
  later();
  for (let at = 0; at < 300; at++) run(`often ${at}`, 'order');
  later();
  expect(model.runOf('report')?.id).toBe('seldom');
  // The last hundred, the one of the other flow, and the one that was shown while the others ended.
  expect(model.state.value.threads).toHaveLength(102);
});

test('a failure is remembered where it began, and what the run held with it', () => {
  const { model, events, later } = setUp();
  const flow = { threadId: 'a', flowName: 'order' };
  const stage = { ...flow, stage: 'transform', name: '' };
  events['event.flowStart']?.({ ...flow, input: { item: 'x' } });
  const step = { ...flow, stage: 'step', name: 'price', durationUs: 2, pausedUs: 0, error: '' };
  events['event.stageEnter']?.({ ...step, input: {} });
  events['event.stageExit']?.({ ...step, output: [{ euro: 4 }] });
  events['event.stageEnter']?.({ ...stage, input: {} });
  const rule = { ...stage, target: 'item', expression: 'input.item', result: 'x', error: '' };
  events['event.ruleEval']?.({ ...rule, ruleIndex: 0 });
  const broken = { ...stage, ruleIndex: 1, target: 'count', expression: 'int(input.item)', result: null };
  events['event.ruleEval']?.({ ...broken, error: 'no number' });
  events['event.stageExit']?.({ ...stage, output: null, durationUs: 5, pausedUs: 0, error: 'no number' });
  const end = { output: null, durationUs: 9, pausedUs: 0, error: 'no number', dropped: null };
  events['event.flowEnd']?.({ ...flow, ...end });
  later();
  const thread = model.current!;
  expect(thread.failedAt).toEqual({
    stage: 'transform',
    name: '',
    rule: { index: 1, target: 'count' },
    message: 'no number',
  });
  expect(recordedVariables(thread)).toEqual({
    input: { item: 'x' },
    output: { item: 'x' },
    steps: { price: [{ euro: 4 }] },
    enriched: {},
    forced: [],
  });
});
