import type { WorkflowEntry, WorkflowStatus, WorkflowsEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { untilPassed } from '../../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../../debug/testing/session.ts';
import { textOfEvent } from './look.ts';
import { matches, payloadProblem, summaryOf, Workflows } from './workflows.ts';

const at = '2026-01-01T00:00:00.000Z';
const row = (id: string): WorkflowEntry => ({
  ...{ id, flow: 'rent', status: 'waiting', step: 'pickup', startedAt: at, updatedAt: at },
  ...{ awaits: 'keys', resumesAt: null, expiresAt: null, cancelRequested: false },
});
const entry = (part: Partial<WorkflowsEntry> = {}): WorkflowsEntry => ({
  ...{ storage: 'db', flows: [], counts: [], workflows: [row('wf_1')], next: '5.wf_1', ...part },
});

function listed() {
  const asked: unknown[] = [];
  const details: Record<string, object> = { wf_1: { ...row('wf_1'), steps: [] } };
  const rows = [row('wf_1')];
  const answers: Answers = {
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities: ['workflows'] }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'inspect.workflows': (params: unknown) => {
      asked.push(params);
      return entry({ counts: [{ flow: 'rent', status: 'waiting', count: 1 }], workflows: rows });
    },
    'inspect.workflow': ({ id }: { readonly id: string }) => {
      if (details[id] === undefined) throw new Error(`there is no workflow "${id}"`);
      return details[id];
    },
  };
  const { session, asked: methods } = sessionWith(answers);
  return { session, workflows: new Workflows(session), asked, methods, details, rows };
}

test('a filter lists from the newest on, and a page of what is older continues it', async () => {
  const { session, workflows, asked } = listed();
  await session.attach('127.0.0.1:1');
  await workflows.list.refresh();
  expect(workflows.summary.value).toBe('1 waits');
  workflows.wanted.patch({ before: '5.wf_1' });
  await untilPassed(() => expect(asked).toHaveLength(2));
  workflows.filter({ status: 'waiting' });
  await untilPassed(() => expect(asked).toHaveLength(3));
  expect(asked).toEqual([{ limit: 100 }, { limit: 100, before: '5.wf_1' }, { limit: 100, status: 'waiting' }]);
  session.detach();
  expect([workflows.summary.value, workflows.list.state.value.value]).toEqual([undefined, undefined]);
});

test('one that is chosen is read, and what was known of another one is not shown for it', async () => {
  const { session, workflows } = listed();
  await session.attach('127.0.0.1:1');
  workflows.choose('wf_1');
  await untilPassed(() => expect(workflows.detail.state.value.value?.id).toBe('wf_1'));
  workflows.choose('<b>');
  expect(workflows.detail.state.value.value).toBeUndefined();
  await untilPassed(() => expect(workflows.detail.state.value.problem).toBe('there is no workflow "<b>"'));
});

test('what it holds is read again when its row has changed, and not before', async () => {
  const { session, workflows, methods, details, rows } = listed();
  await session.attach('127.0.0.1:1');
  await workflows.list.refresh();
  workflows.choose('wf_1');
  await workflows.detail.refresh();
  const count = () => methods.filter((method) => method === 'inspect.workflow').length;
  const before = count();
  await workflows.refresh();
  await workflows.refresh();
  expect(count()).toBe(before);
  const changed = { ...row('wf_1'), status: 'running' as const };
  details['wf_1'] = { ...changed, steps: [] };
  rows.splice(0, 1, changed);
  await workflows.refresh();
  expect([count(), workflows.detail.state.value.value?.status]).toEqual([before + 1, 'running']);
  // One that is not listed is read each time, until it has ended.
  details['wf_1'] = { ...changed, status: 'completed', steps: [] };
  rows.splice(0, 1);
  await workflows.refresh();
  await workflows.refresh();
  expect([count(), workflows.detail.state.value.value?.status]).toEqual([before + 2, 'completed']);
});

test('those in progress are counted in a few words', () => {
  const counts = (...all: readonly [WorkflowStatus, number][]) => ({
    storage: 'db',
    counts: all.flatMap(([status, count]) => [
      { flow: 'a', status, count },
      { flow: 'b', status, count },
    ]),
  });
  expect([
    summaryOf(counts()),
    summaryOf(counts(['running', 1], ['waiting', 2], ['compensating', 1])),
    summaryOf({ storage: 'db', counts: [{ flow: 'a', status: 'compensating', count: 1 }] }),
    summaryOf({ storage: null, counts: [] }),
  ]).toEqual(['none in progress', '2 run, 4 wait, 2 are undone', '1 is undone', 'none are kept']);
});

test('rows are found by what they show', () => {
  expect(['WF_', ' rent ', 'pick', 'keys', 'other'].map((text) => matches(row('wf_1'), text))).toEqual([
    ...[true, true, true, true, false],
  ]);
});

test('a payload is one JSON object, or nothing', () => {
  expect(['', ' {"a": [1]} '].map(payloadProblem)).toEqual([undefined, undefined]);
  expect(['[1]', 'null', '3'].map(payloadProblem)).toEqual(Array(3).fill('A payload is one JSON object.'));
  expect(payloadProblem('{"a":')).toMatch(/^This is not JSON: /);
});

test('an event says how often its action was tried, when that is more than once', () => {
  expect([
    textOfEvent({ kind: 'done', tries: 1 }),
    textOfEvent({ kind: 'done', tries: 3 }),
    textOfEvent({ kind: 'waiting', tries: null }),
  ]).toEqual(['done', 'done, 3 tries', 'waits']);
});
