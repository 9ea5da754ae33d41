import { describe, expect, test } from 'vitest';
import type { OutlineFlow } from '../debug/session/flow-map.ts';
import { DebugModel } from '../debug/session/model.ts';
import type { Thread } from '../debug/session/thread.ts';
import { followed, idOf, outcomeOf, type TakenMessage } from './messages.ts';
import { pipeOf } from './pipe.ts';
import { gateOf, type Position, pullRefusal, type QueueSource } from './sources.ts';

const input = { body: { n: 1 }, headers: {}, properties: { message_id: 'm-1' }, routing_key: 'orders' };
const model = new DebugModel();
model.handlers['event.flowStart']?.({ threadId: 't', flowName: 'reserve', input });
const fresh = model.thread('t') as Thread;
const ofFlow = (flow: string) => (flow === 'reserve' ? 'broker' : undefined);
const message = (part: Partial<Thread>): TakenMessage => ({
  key: 't 0',
  connector: 'broker',
  thread: { ...fresh, ...part },
  isLost: false,
});
const run = (stage: string, part: Partial<Thread['stages'][number]> = {}) => ({
  stage,
  name: '',
  startUs: 0,
  durationUs: 5,
  pausedUs: 0,
  error: '',
  ...part,
});
const ended = { output: null, error: '', durationUs: 1500, dropped: undefined };

describe('messages', () => {
  test('threads of flows that consume are followed, latest first; others are not', () => {
    const second = { ...fresh, id: 'u', startedAt: fresh.startedAt + 5 };
    const other = { ...fresh, id: 'v', flow: 'list' };
    const all = followed([], [fresh, second, other], ofFlow);
    expect(all.map(({ thread, connector, isLost }) => [thread.id, connector, isLost])).toEqual([
      ['u', 'broker', false],
      ['t', 'broker', false],
    ]);
    expect(followed(all, [fresh, second, other], ofFlow)).toBe(all);
    const paused = { ...fresh, isPaused: true };
    expect(followed(all, [paused, second], ofFlow)[1]?.thread).toBe(paused);
  });

  test('one that ended stays when its thread is forgotten; of one under way it is said that it was left', () => {
    const all = followed(
      [],
      [
        { ...fresh, isPaused: true },
        { ...fresh, id: 'u', ended },
      ],
      ofFlow,
    );
    const left = followed(all, [], ofFlow);
    expect(left.map((each) => [each.thread.id, each.isLost, outcomeOf(each).kind])).toEqual([
      ['t', true, 'lost'],
      ['u', false, 'acknowledged'],
    ]);
    expect(followed(left, [], ofFlow)).toBe(left);
  });

  test('the id is what the service says, else the property of the message, else its place in a log', () => {
    const holds = { kind: 'message', connector: 'broker', source: 'q', id: 'm-9', sinceMs: 0, waiting: null } as const;
    expect(idOf(message({ holds }))).toBe('m-9');
    expect(idOf(message({ holds: { ...holds, id: '' } }))).toBe('m-1');
    expect([{}, null, 'text', { properties: { message_id: 7 } }].map((each) => idOf(message({ input: each })))).toEqual(
      ['', '', '', ''],
    );
    expect(idOf(message({ input: { body: 1, partition: 0, offset: 17 } }))).toBe('0/17');
  });

  test.each<[Partial<Thread>, string, string]>([
    [{ isPaused: true, stage: 'step', name: 'stock' }, 'paused', 'Paused before step stock'],
    [
      { isPaused: true, stage: 'transform', rule: { index: 0, target: 'free', expression: '1' } },
      'paused',
      'Paused in transform, before rule free',
    ],
    [{}, 'running', 'Under way'],
    [{ stage: 'write' }, 'running', 'Under way, write'],
    [{ ended, stages: [run('filter'), run('transform')] }, 'acknowledged', 'Acknowledged'],
    [{ ended, stages: [run('input'), run('filter')] }, 'turned', 'Turned away at filter'],
    [{ ended: { ...ended, error: 'no such key' } }, 'failed', 'Failed: no such key'],
  ])('outcome of %j', (part, kind, text) => {
    expect(outcomeOf(message(part))).toEqual({ kind, text });
  });
});

describe('the pipe', () => {
  const place = { file: 'a.hcl', range: { start: 0, end: 1 }, selection: { start: 0, end: 1 } };
  const stage = (family: 'gate' | 'gather' | 'shape' | 'deliver', word: string, name = '') =>
    ({ ...place, id: word, family, stage: word, word, name, detail: '', rules: [] }) as const;
  const flow: OutlineFlow = {
    ...place,
    id: 'flow reserve',
    name: 'reserve',
    source: undefined,
    stages: [
      stage('gate', 'filter'),
      stage('gather', 'step', 'stock'),
      { ...stage('shape', 'notes'), stage: undefined },
      stage('shape', 'transform'),
      stage('deliver', 'write', 'db'),
    ],
  };
  const states = (part: Partial<Thread>, of: OutlineFlow | undefined = flow) =>
    pipeOf({ ...fresh, ...part }, of).map(({ title, state }) => `${title} ${state}`);

  test('stages are done, here, and to come; those that cannot be stopped at are left away', () => {
    const stages = [run('filter'), run('step', { name: 'stock' }), run('transform', { durationUs: undefined })];
    expect(states({ stages, stage: 'transform', isPaused: true })).toEqual([
      'filter done',
      'step stock done',
      'transform at',
      'write db todo',
    ]);
  });

  test('a stage that was passed without being entered is left out, one that failed says so', () => {
    const stages = [run('filter'), run('transform', { error: 'no such key' })];
    expect(states({ stages, ended })).toEqual([
      'filter done',
      'step stock skipped',
      'transform failed',
      'write db todo',
    ]);
  });

  test('of a flow that is not in the text, what it went through is shown', () => {
    expect(pipeOf({ ...fresh, stages: [run('transform')], stage: 'transform' }, undefined)).toEqual([
      { title: 'transform', family: undefined, state: 'done' },
    ]);
  });
});

describe('sources', () => {
  const source = (position: Position, manualConsume = true): QueueSource => ({
    connector: 'broker',
    type: 'amqp_broker',
    source: 'orders',
    manualConsume,
    flows: ['reserve'],
    ready: 3,
    unacked: 0,
    prefetch: 1,
    position,
  });

  test.each<[readonly QueueSource[], Position | undefined]>([
    [[], undefined],
    [[source('open'), source('open', false)], 'open'],
    [[source('single')], 'single'],
    [[source('demand'), source('single', false)], 'demand'],
    [[source('single'), source('single', false)], 'single'],
    [[source('demand'), source('open')], undefined],
  ])('the gate of all of them', (sources, position) => {
    expect(gateOf(sources)).toBe(position);
  });

  test('why nothing can be pulled', () => {
    expect(
      [
        pullRefusal(source('demand'), false, false),
        pullRefusal(undefined, true, false),
        pullRefusal(source('single', false), true, false),
        pullRefusal(source('open'), true, false),
        pullRefusal(source('demand'), true, true),
        pullRefusal(source('demand'), true, false),
      ].map((text) => text?.replace(/[:;.].*/, '')),
    ).toEqual([
      'No service is attached',
      'The attached service has no such event source',
      'Messages of broker come by themselves',
      'The gate is open',
      'A message is under way',
      undefined,
    ]);
  });
});
