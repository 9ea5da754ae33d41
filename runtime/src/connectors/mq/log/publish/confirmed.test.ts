import { expect, test } from 'vitest';
import { errors } from '../../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { TestBrokers } from '../testing/broker.ts';
import { onEveryGround, started } from '../testing/consuming.ts';
import { sendingTo } from '../testing/sending.ts';

/** Sends one message of a topic to a partition. */
async function sending(brokers: TestBrokers, topic: string, producer: object = {}, over: object = {}) {
  const { send, lines } = await sendingTo(brokers.addresses, { topic, ...producer }, over);
  return { send: (n: number, partition?: number) => send({ payload: { n }, params: { key: 'k', partition } }), lines };
}

const beyond = (topic: string, partition: number, count: number) => ({
  code: 'value_refused',
  retriable: false,
  message: `topic "${topic}" has no partition ${partition}: it has ${count}, from 0 on`,
});

onEveryGround((start) => {
  test('a message for a partition that the topic does not have is refused, and takes no other along', async () => {
    const brokers = await start();
    const topic = await brokers.topic(3);
    const { send } = await sending(brokers, topic);
    await send(0, 2);
    await expect(send(1, 77)).rejects.toMatchObject(beyond(topic, 77, 3));
    const together = await Promise.allSettled([send(2, 1), send(3, 3), send(4), send(5, 90)]);
    expect(together.map((each) => (each.status === 'fulfilled' ? undefined : each.reason.message))).toEqual([
      undefined,
      beyond(topic, 3, 3).message,
      undefined,
      beyond(topic, 90, 3).message,
    ]);
    const sent = (await brokers.sent(topic, 3)).map(({ value }) => value);
    expect(sent.toSorted()).toEqual(['{"n":0}', '{"n":2}', '{"n":4}']);
  });

  test('a partition that the topic got since is found', async () => {
    const brokers = await start();
    const topic = await brokers.topic(3);
    const { send } = await sending(brokers, topic);
    await send(0, 0);
    await brokers.grow(topic, 6);
    await Promise.all([send(1, 5), send(2, 4), send(3, 0)]);
    const sent = (await brokers.sent(topic, 4)).map(({ partition, value }) => `${partition} ${value}`);
    expect(sent.toSorted()).toEqual(['0 {"n":0}', '0 {"n":3}', '4 {"n":2}', '5 {"n":1}']);
  });

  test('of a topic that was made again with fewer partitions none is taken for one that it had', async () => {
    const brokers = await start();
    const topic = await brokers.topic(6);
    const { send } = await sending(brokers, topic);
    await send(0, 5);
    await brokers.remake(topic, 2);
    await expect(send(1, 5)).rejects.toMatchObject(beyond(topic, 5, 2));
    await send(2, 1);
    expect((await brokers.sent(topic, 1)).map(({ partition, value }) => [partition, value])).toEqual([[1, '{"n":2}']]);
  });

  test('with `acks = "none"` nothing is awaited, which is warned of; a partition that there is not is refused all the same', async () => {
    const brokers = await start();
    const topic = await brokers.topic(2);
    const { send, lines } = await sending(brokers, topic, { acks: 'none' });
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('acks = "none"'),
    ]);
    await send(0, 1);
    await expect(send(1, 2)).rejects.toMatchObject(beyond(topic, 2, 2));
    expect((await brokers.sent(topic, 1)).map(({ value }) => value)).toEqual(['{"n":0}']);
  });
});

test('what a broker does not confirm has failed, and is tried again as often as `retries` says', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const { send } = await sending(brokers, topic, { retries: 1, compression: 'none' });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  standIn.leavesOut = (partition) => partition === 1;
  const [first, second] = await Promise.allSettled([send(0, 0), send(1, 1)]);
  expect([first?.status, second]).toEqual([
    'fulfilled',
    {
      status: 'rejected',
      reason: expect.objectContaining({ code: 'connector_failed', message: 'no broker has confirmed the message' }),
    },
  ]);
  await until(() => standIn.count('produce') === 2);
  expect(standIn.topics.partition(topic, 0)?.end).toBe(1n);
});

test('what one partition has confirmed is not sent again when another one fails, at one broker and at several', async () => {
  for (const count of [1, 3])
    for (const code of [errors.notLeader, errors.notEnoughReplicas]) {
      const brokers = await started({ brokers: count });
      const topic = await brokers.topic(3);
      const { send } = await sending(brokers, topic, { retries: 2 });
      const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
      let failures = 2;
      standIn.refuses = (partition) => (partition === 1 && failures-- > 0 ? code : errors.none);
      await Promise.all([send(0, 0), send(1, 1), send(2, 2)]);
      const sent = (await brokers.sent(topic, 3)).map(({ partition, value }) => `${partition} ${value}`);
      expect(sent.toSorted()).toEqual(['0 {"n":0}', '1 {"n":1}', '2 {"n":2}']);
      expect([0, 1, 2].map((each) => standIn.topics.partition(topic, each)?.end)).toEqual([1n, 1n, 1n]);
    }
});

test('a message is confirmed before one for a partition without a leader is', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const { send } = await sending(brokers, topic, { retries: 0 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  standIn.refuses = (partition) => (partition === 1 ? errors.leaderNotAvailable : errors.none);
  const other = send(1, 1);
  await send(0, 0);
  standIn.refuses = undefined;
  await other;
  expect([0, 1].map((each) => standIn.topics.partition(topic, each)?.end)).toEqual([1n, 1n]);
});

test('messages for partitions that there are not ask the brokers a single time, however many go together', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const { send } = await sending(brokers, topic, { retries: 2 });
  await send(0, 0);
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const asked = standIn.count('metadata');
  const ends = await Promise.allSettled([7, 7, 8, 9, 1].map((partition, n) => send(n, partition)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(standIn.count('metadata') - asked).toBe(1);
});

test('a message that is too large for its partition fails alone', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const { send } = await sending(brokers, topic, { retries: 2 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  standIn.refuses = (partition) => (partition === 1 ? errors.tooLarge : errors.none);
  const ends = await Promise.allSettled([send(0, 0), send(1, 1), send(2, 1), send(3, 0)]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect([0, 1].map((each) => standIn.topics.partition(topic, each)?.end)).toEqual([2n, 0n]);
});

test('a partition that has no leader yet is waited for, also without `retries`; a topic that remains unavailable is named', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const { send } = await sending(brokers, topic, { retries: 0 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  for (const code of [errors.unknownTopic, errors.leaderNotAvailable, errors.notLeader]) {
    standIn.fail('produce', code, 2);
    await send(code, 0);
  }
  expect((await brokers.sent(topic, 3)).map(({ value }) => value)).toEqual(['{"n":3}', '{"n":5}', '{"n":6}']);
  standIn.topics.createsAsked = false;
  const { send: nowhere } = await sending(brokers, `${topic}-away`, { retries: 0 });
  await expect(nowhere(1)).rejects.toMatchObject({
    code: 'connector_failed',
    retriable: true,
    message: `topic "${topic}-away" does not exist, or has no leader`,
  });
});

test('where the brokers have other partitions is asked again after `metadata_max_age`', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const { send } = await sending(brokers, topic, {}, { metadata_max_age: 100 });
  await send(0);
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const before = standIn.count('metadata');
  await until(async () => {
    await send(1);
    return standIn.count('metadata') > before;
  });
});
