import { expect, test, vi } from 'vitest';
import type { Bridge, KeptMessage } from '../../shared/services.ts';
import { Notices } from '../shell/notices.ts';
import { causeOf, contentOf, Desk, peekRefusal } from './desk.ts';

const letter = (position: string, headers = {}): KeptMessage => ({
  source: 'orders.dlq',
  position,
  key: 'new',
  headers,
  body: { id: position },
});

/** A host whose answers the test gives. */
function opened() {
  const asked: [string, unknown][] = [];
  const answers: PromiseWithResolvers<unknown>[] = [];
  const call = (service: string, params: unknown) => {
    asked.push([service, params]);
    answers.push(Promise.withResolvers());
    return answers.at(-1)?.promise;
  };
  const notices = new Notices();
  const desk = new Desk({ call } as unknown as Bridge, notices);
  const found = () => desk.lookOf('orders', 'dead')?.messages?.map(({ position }) => position);
  return { desk, notices, asked, answers, found };
}

test('one look at a time is made of a side, and one that fails leaves what was found before', async () => {
  const { desk, asked, answers, found } = opened();
  const looking = desk.look('orders', 'dead');
  await desk.look('orders', 'dead');
  expect(asked).toEqual([['service.peek', { connector: 'orders', dead: true, limit: 20 }]]);
  expect(desk.lookOf('orders', 'dead')).toMatchObject({ messages: undefined, isLooking: true });
  answers[0]?.resolve({ messages: [letter('1')] });
  await looking;
  expect(found()).toEqual(['1']);
  const again = desk.look('orders', 'dead');
  answers[1]?.reject(new Error('the broker is unavailable'));
  await expect(again).rejects.toThrow('the broker is unavailable');
  expect([found(), desk.lookOf('orders', 'dead')?.isLooking]).toEqual([['1'], false]);
});

test('what was asked of one folder is not shown for the next one, whatever it answers', async () => {
  const { desk, answers } = opened();
  const looks = [desk.look('orders', 'dead'), desk.look('orders', 'waiting')];
  desk.forget();
  answers[0]?.resolve({ messages: [letter('1')] });
  answers[1]?.reject(new Error('the broker is unavailable'));
  await Promise.all(looks);
  expect(desk.looks.value.size).toBe(0);
});

test('nothing is sent back before the person has agreed to the effect, and no more than was shown', async () => {
  const { desk, notices, asked, answers, found } = opened();
  await desk.sendBack('orders', 'orders');
  const looking = desk.look('orders', 'dead');
  answers[0]?.resolve({ messages: [letter('1'), letter('2')] });
  await looking;
  const kept = desk.sendBack('orders', 'orders');
  expect(notices.question.value?.buttons).toEqual(['Send 2 messages back to orders', 'Keep']);
  notices.question.value?.answer('Keep');
  await kept;
  expect(asked.length).toBe(1);
  const sending = desk.sendBack('orders', 'orders');
  notices.question.value?.answer('Send 2 messages back to orders');
  await vi.waitFor(() => expect(asked.at(-1)).toEqual(['service.sendBack', { connector: 'orders', limit: 2 }]));
  answers[1]?.resolve({ sent: 2 });
  await vi.waitFor(() => expect(asked.length).toBe(3));
  answers[2]?.resolve({ messages: [] });
  await sending;
  expect([found(), notices.all.value.map(({ text }) => text)]).toEqual([[], ['Sent 2 messages back to orders.']]);
});

test('a dead letter says why it was given up, and what it holds', () => {
  expect([causeOf(letter('1', { 'x-last-error': 'no such key' })), causeOf(letter('2'))]).toEqual([
    'no such key',
    'not said',
  ]);
  expect(contentOf(letter('1'))).toEqual({ body: { id: '1' }, headers: {}, key: 'new' });
  const { body: _, ...rest } = letter('1');
  expect(contentOf({ ...rest, key: '', base64: '//4=' })).toEqual({ base64: '//4=', headers: {} });
});

test('a server that keeps no messages is not asked for them', () => {
  const source = { connector: 'bus', type: 'kv_pubsub', source: 'orders', manualConsume: false };
  expect(peekRefusal(source)).toBe('The server of bus keeps no messages to look at');
  expect([peekRefusal({ ...source, manualConsume: true }), peekRefusal(undefined)]).toEqual([undefined, undefined]);
});
