import { type EventName, type EventParams, encodeNotification } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { FlowTexts } from './event-text.ts';
import { Secrecy } from './values/snapshot.ts';

const flowName = 'pläce "x"';
const rules = [
  { index: 0, target: 'total', expression: 'input.a + "\\n"' },
  { index: 1, target: 'headers.authorization', expression: '"Bearer " + input.key' },
];
const place = { stage: 'step', name: 'a "b"', rules };
const texts = new FlowTexts(flowName, new Secrecy(false));
const [threadId, times] = ['t0123456789000001', { durationUs: 12, pausedUs: 3 }];
const value = { a: [1, 'ä'], b: null };
const written = JSON.stringify(value);
const stage = { threadId, flowName, stage: place.stage, name: place.name };

const text = <E extends EventName>(event: E, params: EventParams<E>) => encodeNotification(event, params);

test('every event reads as the protocol says', () => {
  const at = texts.at(place);
  expect(texts.start(threadId, written)).toBe(text('event.flowStart', { threadId, flowName, input: value }));
  expect(texts.end(threadId, written, times, 'it "failed"', '')).toBe(
    text('event.flowEnd', { threadId, flowName, output: value, ...times, error: 'it "failed"', dropped: null }),
  );
  const dropped = { reason: 'filter', decidedBy: 'filter', expression: 'input.a', policy: 'ack', values: {} };
  expect(texts.end(threadId, 'null', times, '', JSON.stringify(dropped))).toBe(
    text('event.flowEnd', { threadId, flowName, output: null, ...times, error: '', dropped }),
  );
  expect(at.enter(threadId, written)).toBe(text('event.stageEnter', { ...stage, input: value }));
  expect(at.exit(threadId, written, times, '')).toBe(
    text('event.stageExit', { ...stage, output: value, ...times, error: '' }),
  );
  expect(at.rule(threadId, rules[0] as (typeof rules)[0], () => written, '')).toBe(
    text('event.ruleEval', {
      ...stage,
      ruleIndex: 0,
      target: 'total',
      expression: 'input.a + "\\n"',
      result: value,
      error: '',
    }),
  );
  expect(at.rule(threadId, rules[0] as (typeof rules)[0], undefined, 'failed')).toContain(
    '"result":null,"error":"failed"}}',
  );
});

test('a rule that computes what is hidden shows neither its result nor its expression, and its result is not written', () => {
  const hidden = texts.at(place).rule(
    threadId,
    rules[1] as (typeof rules)[1],
    () => {
      throw new Error('it was written');
    },
    '',
  );
  expect(hidden).toBe(
    text('event.ruleEval', {
      ...stage,
      ruleIndex: 1,
      target: 'headers.authorization',
      expression: '***',
      result: '***',
      error: '',
    }),
  );
});

test('a place that two flows share names each of them', () => {
  const other = new FlowTexts('other', new Secrecy(false));
  expect(JSON.parse(other.at(place).enter(threadId, 'null'))).toMatchObject({ params: { flowName: 'other' } });
  expect(JSON.parse(texts.at(place).enter(threadId, 'null'))).toMatchObject({ params: { flowName } });
});
