import { expect, test, vi } from 'vitest';
import type { Bridge, DeadLetter } from '../../shared/services.ts';
import { Notices } from '../shell/notices.ts';
import { Desk, peekRefusal } from './desk.ts';

const letter = (position: string, headers = {}, end: DeadLetter['now']['end'] = 'passes'): DeadLetter => ({
  source: 'orders.dlq',
  position,
  key: 'new',
  digest: `digest-${position}`,
  headers,
  body: { id: position },
  now: { flow: 'keep', end },
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
  expect(asked).toEqual([['service.deadLetters', { connector: 'orders', limit: 20 }]]);
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
  await vi.waitFor(() =>
    expect(asked.at(-1)).toEqual(['service.sendBack', { connector: 'orders', only: 'digest-1,digest-2', limit: 2 }]),
  );
  answers[1]?.resolve({ sent: 2 });
  await vi.waitFor(() => expect(asked.length).toBe(3));
  answers[2]?.resolve({ messages: [] });
  await sending;
  expect([found(), notices.all.value.map(({ text }) => text)]).toEqual([[], ['Sent 2 messages back to orders.']]);
});

test('dead letters are chosen by a condition, and what is done is done to those that it chose', async () => {
  const { desk, notices, asked, answers } = opened();
  const where = 'input.body.id > 0';
  const looking = desk.look('orders', 'dead', where);
  answers[0]?.resolve({ messages: [letter('1'), letter('2', {}, 'fails')] });
  await looking;
  expect(asked).toEqual([['service.deadLetters', { connector: 'orders', where, limit: 20 }]]);
  const sending = desk.sendBack('orders', 'orders', { passing: true });
  notices.question.value?.answer('Send 1 message that would pass back to orders');
  const sent = { connector: 'orders', only: 'digest-1', limit: 1, passing: true };
  await vi.waitFor(() => expect(asked.at(-1)).toEqual(['service.sendBack', sent]));
  answers[1]?.resolve({ sent: 1 });
  await vi.waitFor(() => expect(asked.length).toBe(3));
  expect(asked.at(-1)).toEqual(asked[0]);
  answers[2]?.resolve({ messages: [letter('2', {}, 'fails')] });
  await sending;
  const kept = desk.discard('orders');
  expect(notices.question.value?.buttons).toEqual(['Remove 1 message from orders.dlq', 'Keep']);
  notices.question.value?.answer('Keep');
  await kept;
  expect(asked.length).toBe(3);
  const removing = desk.discard('orders');
  notices.question.value?.answer('Remove 1 message from orders.dlq');
  await vi.waitFor(() =>
    expect(asked.at(-1)).toEqual(['service.discard', { connector: 'orders', only: 'digest-2', limit: 1 }]),
  );
  answers[3]?.resolve({ removed: 1 });
  await vi.waitFor(() => expect(asked.length).toBe(5));
  answers[4]?.resolve({ messages: [] });
  await removing;
  expect(notices.all.value.map(({ text }) => text)).toContain('Removed 1 message.');
});

test('a dead letter is repaired once the person has agreed: what was written is sent in its place', async () => {
  const { desk, notices, asked, answers } = opened();
  const broken = letter('1', {}, 'fails');
  const repairing = desk.repair('orders', 'orders', broken, '{"id": 2}');
  expect(notices.question.value?.buttons).toEqual(['Send the edited message to orders', 'Keep']);
  notices.question.value?.answer('Send the edited message to orders');
  const sent = { connector: 'orders', only: 'digest-1', content: '{"id": 2}', limit: 1 };
  await vi.waitFor(() => expect(asked).toEqual([['service.sendBack', sent]]));
  answers[0]?.resolve({ sent: 1 });
  await vi.waitFor(() => expect(asked.length).toBe(2));
  answers[1]?.resolve({ messages: [] });
  expect([await repairing, notices.all.value.map(({ text }) => text)]).toEqual([
    true,
    ['Sent the edited message to orders.'],
  ]);
  const kept = desk.repair('orders', 'orders', broken, '{}');
  notices.question.value?.answer('Keep');
  expect([await kept, asked.length]).toEqual([false, 2]);
});

test('dead letters are moved to the place that the button names', async () => {
  const { desk, notices, asked, answers } = opened();
  const moving = desk.sendBack('orders', 'orders', { to: 'later', letters: [letter('2')] });
  expect(notices.question.value?.buttons).toEqual(['Move 1 message to later', 'Keep']);
  notices.question.value?.answer('Move 1 message to later');
  const sent = { connector: 'orders', only: 'digest-2', limit: 1, to: 'later' };
  await vi.waitFor(() => expect(asked).toEqual([['service.sendBack', sent]]));
  answers[0]?.resolve({ sent: 1 });
  await vi.waitFor(() => expect(asked.length).toBe(2));
  answers[1]?.resolve({ messages: [] });
  await moving;
  expect(notices.all.value.map(({ text }) => text)).toEqual(['Moved 1 message to later.']);
});

test('more messages are shown on demand, with how many there are, which no failure hides', async () => {
  const { desk, asked, answers, found } = opened();
  const twenty = Array.from({ length: 20 }, (_, at) => letter(String(at)));
  const looking = desk.look('orders', 'dead');
  answers[0]?.resolve({ messages: twenty });
  await vi.waitFor(() => expect(asked[1]).toEqual(['service.figures', { connector: 'orders' }]));
  answers[1]?.resolve({
    places: [
      { source: 'orders', side: 'waiting', ready: 7 },
      { source: 'orders.dlq', side: 'dead', ready: 37 },
    ],
  });
  await looking;
  expect(desk.lookOf('orders', 'dead')).toMatchObject({ limit: 20, all: 37 });
  const more = desk.more('orders', 'dead');
  expect(asked[2]).toEqual(['service.deadLetters', { connector: 'orders', limit: 40 }]);
  answers[2]?.resolve({ messages: [...twenty, ...twenty] });
  await vi.waitFor(() => expect(asked.length).toBe(4));
  answers[3]?.reject(new Error('the broker is unavailable'));
  await more;
  expect([found()?.length, desk.lookOf('orders', 'dead')?.all]).toEqual([40, undefined]);
});

test('a test message begins as one of the type of the flows; where they have no type it says why', async () => {
  const { desk, notices, asked, answers } = opened();
  const sampling = desk.sample('orders', '');
  expect(asked).toEqual([['service.sample', { connector: 'orders' }]]);
  answers[0]?.resolve({ message: { id: 7 }, target: 'orders' });
  expect(await sampling).toEqual({ text: '{\n  "id": 7\n}', target: 'orders', reason: undefined });
  const without = desk.sample('orders', 'other');
  answers[1]?.reject(new Error('the flows name no type'));
  expect(await without).toEqual({ text: '{}', target: 'other', reason: 'the flows name no type' });
  const publishing = desk.publish('orders', { text: '{"id": 8}', target: ' other ' });
  expect(asked[2]).toEqual(['service.publish', { connector: 'orders', message: '{"id": 8}', target: 'other' }]);
  answers[2]?.resolve({ target: 'other' });
  await publishing;
  expect(notices.all.value.map(({ text }) => text)).toEqual(['Sent 1 message to other.']);
});

test('a server that keeps no messages is not asked for them', () => {
  const source = { connector: 'bus', type: 'kv_pubsub', source: 'orders', manualConsume: false };
  expect(peekRefusal(source)).toBe('The server of bus keeps no messages to look at');
  expect([peekRefusal({ ...source, manualConsume: true }), peekRefusal(undefined)]).toEqual([undefined, undefined]);
});
