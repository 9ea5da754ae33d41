import type { FlowEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { DebugModel } from './model.ts';
import type { Thread } from './thread.ts';
import { ticksOf, timelineOf } from './timeline.ts';

const rule = { index: 1, target: 'total', expression: '1' };
const flow = {
  name: 'order',
  stages: [
    { stage: 'input', name: '', rules: [] },
    { stage: 'step', name: 'customer', rules: [] },
    { stage: 'transform', name: '', rules: [{ ...rule, index: 0, target: 'id' }, rule] },
    { stage: 'write', name: 'db', rules: [] },
  ],
} as unknown as FlowEntry;

function threadAt(stop: 'rule' | 'stage'): Thread {
  const { handlers, thread } = bind(new DebugModel());
  const inFlow = { threadId: 'a', flowName: 'order' };
  const pass = (stage: string, name: string, durationUs: number) => {
    handlers['event.stageEnter']?.({ ...inFlow, stage, name, input: {} });
    handlers['event.stageExit']?.({ ...inFlow, stage, name, output: {}, durationUs, pausedUs: 0, error: '' });
  };
  pass('input', '', 500);
  pass('step', 'customer', 1500);
  const at = { ...inFlow, stage: 'transform', name: '', reason: 'breakpoint', message: '' };
  if (stop === 'rule') handlers['event.stageEnter']?.({ ...inFlow, stage: 'transform', name: '', input: {} });
  handlers['event.stopped']?.(stop === 'rule' ? { ...at, rule } : at);
  return thread('a') as Thread;
}

function bind(model: DebugModel) {
  return { handlers: model.handlers, thread: (id: string) => model.thread(id) };
}

test('stages are in order with their time, and those to come without', () => {
  const { rows, totalUs, scaleUs } = timelineOf(threadAt('rule'), flow);
  expect(
    rows.map(({ stage, state, startUs, durationUs, rules }) => [stage, state, startUs, durationUs, rules]),
  ).toEqual([
    ['input', 'done', 0, 500, undefined],
    ['step', 'done', 500, 1500, undefined],
    ['transform', 'at', 2000, undefined, { done: 1, all: 2 }],
    ['write', 'todo', undefined, undefined, undefined],
  ]);
  expect([totalUs, scaleUs]).toEqual([2000, 2240]);
});

test('lines of the axis are as many as their labels have room for', () => {
  expect(ticksOf(2240, 400)).toEqual([0, 500, 1000, 1500, 2000]);
  expect(ticksOf(2240, 120)).toEqual([0, 1000, 2000]);
  expect(ticksOf(2240, 60)).toEqual([0]);
  expect(ticksOf(2240, 0)).toEqual([0]);
  expect(ticksOf(1, 400)).toEqual([0]);
  for (let width = 30; width < 500; width += 7) {
    const places = ticksOf(1180, width).map((at) => (at / 1180) * width);
    expect(places.slice(1).every((place, index) => place - (places[index] as number) >= 46)).toBe(true);
  }
});

test('a thread before a stage is at a stage to come', () => {
  const { rows } = timelineOf(threadAt('stage'), flow);
  expect(rows.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
    'input done',
    'step done',
    'transform at',
    'write todo',
  ]);
});

test('a stage that a person had begin again has not failed', () => {
  const model = threadAt('rule');
  const [input, step, transform] = model.stages;
  const left = { ...(transform as NonNullable<typeof transform>), durationUs: 20, error: 'begun again' };
  const { rows } = timelineOf({ ...model, stages: [input, step, left, transform] as typeof model.stages }, flow);
  expect(rows.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
    'input done',
    'step done',
    'transform left',
    'transform at',
    'write todo',
  ]);
});
