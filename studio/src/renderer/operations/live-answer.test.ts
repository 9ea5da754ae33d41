import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../debug/testing/session.ts';
import { LiveAnswer } from './live-answer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function live(answer: () => unknown, capabilities: readonly string[] = ['schedules']) {
  const answers: Answers = {
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'inspect.schedules': answer,
  };
  const { session, asked } = sessionWith(answers);
  const window = { isSeen: true };
  const ask = () => session.call('inspect.schedules', {});
  const answered = new LiveAnswer(session, 'schedules', ask, () => window.isSeen);
  const count = () => asked.filter((method) => method === 'inspect.schedules').length;
  return { session, answered, count, window };
}

test('the service is asked while a view shows it and the window is seen, and not otherwise', async () => {
  const { session, answered, count, window } = live(() => ({ schedules: [] }));
  const [first, second] = [answered.watch(), answered.watch()];
  vi.advanceTimersByTime(10_000);
  expect(count()).toBe(0);
  await session.attach('127.0.0.1:1');
  await untilPassed(() => expect(answered.state.value).toEqual({ value: { schedules: [] }, problem: undefined }));
  expect(count()).toBe(1);
  vi.advanceTimersByTime(1_500);
  await untilPassed(() => expect(count()).toBe(2));
  window.isSeen = false;
  vi.advanceTimersByTime(15_000);
  window.isSeen = true;
  first();
  first();
  vi.advanceTimersByTime(1_500);
  await untilPassed(() => expect(count()).toBe(3));
  second();
  vi.advanceTimersByTime(15_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(count()).toBe(3);
  session.detach();
  expect(answered.state.value).toEqual({ value: undefined, problem: undefined });
});

test('one question is under way at a time, and what is asked meanwhile is asked behind it', async () => {
  const waiting: ((value: unknown) => void)[] = [];
  const { session, answered, count } = live(() => new Promise((resolve) => waiting.push(resolve)));
  await session.attach('127.0.0.1:1');
  const end = answered.watch();
  await untilPassed(() => expect(waiting).toHaveLength(1));
  vi.advanceTimersByTime(15_000);
  void answered.refresh();
  void answered.refresh();
  expect(count()).toBe(1);
  waiting[0]?.({ schedules: ['old'] });
  await untilPassed(() => expect(waiting).toHaveLength(2));
  expect(answered.state.value.value).toBeUndefined();
  waiting[1]?.({ schedules: ['new'] });
  await untilPassed(() => expect(answered.state.value.value).toEqual({ schedules: ['new'] }));
  expect(count()).toBe(2);
  end();
});

test('what is known stays when the service cannot answer, with the reason', async () => {
  let fails = false;
  const { session, answered } = live(() => {
    if (fails) throw new Error('the store of workflows did not answer within 3 s');
    return { schedules: [] };
  });
  await session.attach('127.0.0.1:1');
  await answered.refresh();
  fails = true;
  await answered.refresh();
  expect(answered.state.value).toEqual({
    value: { schedules: [] },
    problem: 'the store of workflows did not answer within 3 s',
  });
  fails = false;
  await answered.refresh();
  expect(answered.state.value.problem).toBeUndefined();
});

test('an answer that comes after the session has ended is dropped', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const { session, answered, count } = live(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await session.attach('127.0.0.1:1');
  const asking = answered.refresh();
  await untilPassed(() => expect(count()).toBe(1));
  session.detach();
  answer({ schedules: [] });
  await asking;
  expect(answered.state.value).toEqual({ value: undefined, problem: undefined });
});

test('a service that cannot say it is not asked', async () => {
  const { session, answered, count } = live(() => ({ schedules: [] }), []);
  await session.attach('127.0.0.1:1');
  await answered.refresh();
  expect([answered.isKnown, count()]).toEqual([false, 0]);
});

test('a service that is slow is asked less often, and at once when a person wants it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const waiting: ((value: unknown) => void)[] = [];
  const { session, answered, count } = live(() => new Promise((resolve) => waiting.push(resolve)));
  await session.attach('127.0.0.1:1');
  const end = answered.watch();
  await untilPassed(() => expect(waiting).toHaveLength(1));
  vi.advanceTimersByTime(1_000);
  waiting[0]?.({ schedules: [] });
  await untilPassed(() => expect(answered.state.value.value).toBeDefined());
  vi.advanceTimersByTime(9_500);
  expect(count()).toBe(1);
  vi.advanceTimersByTime(1_500);
  await untilPassed(() => expect(count()).toBe(2));
  end();
});
