import { encodeNotification } from '@svc/protocol/wire';
import { expect, test, vi } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../debug/testing/session.ts';
import { Queues } from './queues.ts';
import type { QueueSource } from './sources.ts';

const known = { connector: 'broker', type: 'amqp_broker', source: 'orders', manualConsume: true };
const now: QueueSource = { ...known, flows: ['reserve'], ready: 3, unacked: 0, prefetch: 1, position: 'demand' };

/** A service with one queue; a pull waits until it is cancelled. */
function service(capabilities: readonly string[] = ['gate', 'cancelConsume']) {
  const asked: [string, unknown][] = [];
  let position = 'demand';
  let waiting: PromiseWithResolvers<unknown> | undefined;
  const answers: Answers = {
    'debug.attach': () => ({ sessionId: 's', flows: ['reserve'], capabilities }),
    'debug.ready': () => ({ ok: true, sources: [known] }),
    'debug.threads': () => ({ threads: [] }),
    'debug.sources': () => ({ sources: [{ ...now, position }] }),
    'debug.setGate': (params: { position: string }) => {
      asked.push(['debug.setGate', params]);
      position = params.position;
      return { ok: true };
    },
    'debug.consume': (params: unknown) => {
      asked.push(['debug.consume', params]);
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    'debug.cancelConsume': () => {
      waiting?.reject(new Error('waiting for a message of "broker" was cancelled: none was taken'));
      return { ok: true, cancelled: 1 };
    },
  };
  const { session, dialled } = sessionWith(answers);
  const queues = new Queues(session);
  return { queues, session, dialled, asked, fail: (error: Error) => waiting?.reject(error) };
}

test('sources are there with their counts once a service is attached, and gone after it', async () => {
  const { queues, session } = service();
  await session.attach('127.0.0.1:9090');
  await untilPassed(() => expect(queues.sources.value).toEqual([now]));
  await queues.setGate('single');
  expect(queues.sources.value).toEqual([{ ...now, position: 'single' }]);
  session.detach();
  expect(queues.sources.value).toEqual([]);
});

test('all who watch share one timer, which ends with the last of them', async () => {
  vi.useFakeTimers();
  try {
    const { queues } = service();
    const refresh = vi.spyOn(queues, 'refresh');
    const stops = [queues.watch(() => true), queues.watch(() => true)];
    refresh.mockClear();
    vi.advanceTimersByTime(4_000);
    expect(refresh).toHaveBeenCalledTimes(2);
    stops[0]?.();
    vi.advanceTimersByTime(2_000);
    expect(refresh).toHaveBeenCalledTimes(3);
    stops[1]?.();
    vi.advanceTimersByTime(10_000);
    expect(refresh).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});

test('a service that tells no counts is listed without them', async () => {
  const { queues, session } = service([]);
  await session.attach('127.0.0.1:9090');
  await queues.refresh();
  expect([queues.sources.value, queues.canGate, queues.canCancel]).toEqual([[known], false, false]);
});

test('a pull waits until it is cancelled; that is not a failure, another end is', async () => {
  const { queues, session, asked, fail } = service();
  await session.attach('127.0.0.1:9090');
  const pulled = queues.pull('broker');
  await untilPassed(() => expect(asked).toEqual([['debug.consume', { connector: 'broker', until: 'taken' }]]));
  expect([...queues.pulls.value.keys()]).toEqual(['broker']);
  await queues.cancel('broker');
  await pulled;
  expect(queues.pulls.value.size).toBe(0);
  const again = queues.pull('broker');
  await untilPassed(() => expect(asked.length).toBe(2));
  fail(new Error('the broker is gone'));
  await expect(again).rejects.toThrow('the broker is gone');
  expect(queues.pulls.value.size).toBe(0);
});

test('messages that were there before the sources were known are listed too', async () => {
  const { queues, session, dialled } = service();
  await session.attach('127.0.0.1:9090');
  const start = { threadId: 't', flowName: 'reserve', input: { body: 1 } };
  await dialled[0]?.send(encodeNotification('event.flowStart', start));
  await untilPassed(() => expect(queues.messages.value.map(({ connector }) => connector)).toEqual(['broker']));
});
