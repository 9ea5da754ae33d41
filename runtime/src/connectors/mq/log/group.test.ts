import { expect, test } from 'vitest';
import { errors } from '../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../test/support/until.ts';
import { assigned, bodies, consuming, hang, never, reply, started } from './testing/consuming.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

test('a member that joins takes partitions over after what is under way there has ended: nothing is handled twice', async () => {
  const brokers = await started();
  const topic = await brokers.topic(4);
  let isHeld = true;
  const held: (() => void)[] = [];
  const first = await consuming(
    brokers,
    topic,
    () => (isHeld ? new Promise((resolve) => held.push(() => resolve(reply))) : reply),
    { consumer: { workers: 8, session_timeout: 6_000 } },
  );
  await brokers.sendTogether(
    topic,
    numbers(4).map((partition) => ({ value: `early ${partition}`, partition })),
  );
  await until(() => held.length === 4);
  const second = await consuming(brokers, topic, () => reply, { consumer: { session_timeout: 6_000 } });
  // The group cannot come together while the first member has not joined again.
  await until(
    () => brokers.standIn === undefined || brokers.standIn.groups.get(`${topic}-group`)?.members.length === 2,
  );
  expect(second.taken).toEqual([]);
  isHeld = false;
  for (const end of held) end();
  await until(() => assigned(first)?.length === 2 && assigned(second)?.length === 2);
  await brokers.sendTogether(
    topic,
    numbers(4).map((partition) => ({ value: `late ${partition}`, partition })),
  );
  await until(() => first.taken.length + second.taken.length === 8);
  expect(bodies(first).length).toBe(6);
  expect([...bodies(first), ...bodies(second)].toSorted()).toEqual([
    ...numbers(4).map((at) => `early ${at}`),
    ...numbers(4).map((at) => `late ${at}`),
  ]);
});

test('a member that leaves hands its partitions over at once, one that is killed when it is missed', async () => {
  const brokers = await started();
  const topic = await brokers.topic(2);
  const over = { consumer: { session_timeout: 1_000 } };
  const first = await consuming(brokers, topic, () => reply, over);
  await until(() => assigned(first)?.length === 2);
  const second = await consuming(brokers, topic, () => reply, over);
  await until(() => assigned(first)?.length === 1 && assigned(second)?.length === 1);
  await first.connector.close();
  await until(() => assigned(second)?.length === 2);
  const third = await consuming(brokers, topic, () => reply, over);
  await until(() => assigned(third)?.length === 1);
  await third.connector.close(AbortSignal.abort());
  await until(() => assigned(second)?.length === 2);
  await brokers.sendTogether(topic, [
    { value: 'a', partition: 0 },
    { value: 'b', partition: 1 },
  ]);
  await until(() => second.taken.length === 2);
});

test('partitions that a topic gets later are read too', async () => {
  const brokers = await started({});
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const topic = await brokers.topic(1);
  const opened = await consuming(brokers, topic);
  await until(() => assigned(opened)?.length === 1);
  standIn.topics.grow(topic, 3);
  standIn.groups.get(`${topic}-group`)?.shake();
  await until(() => assigned(opened)?.length === 3);
  await brokers.sendTogether(
    topic,
    numbers(3).map((partition) => ({ value: `${partition}`, partition })),
  );
  await until(() => opened.taken.length === 3);
});

test('a member that the coordinator has forgotten joins again as another one', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  const opened = await consuming(brokers, topic, () => reply, { consumer: { session_timeout: 1_200 } });
  await until(() => assigned(opened)?.length === 1);
  const group = brokers.standIn?.groups.get(`${topic}-group`);
  const [before] = group?.members ?? [];
  group?.forget(before as string);
  await until(() => group?.isStable && group.members.length === 1 && group.members[0] !== before);
  await brokers.send(topic, [{ value: 'after' }]);
  await until(() => bodies(opened).includes('after'));
});

test('a partition that another broker leads from now on is read there', async () => {
  const brokers = await started({ brokers: 2 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const topic = await brokers.topic(1);
  const opened = await consuming(brokers, topic);
  await brokers.send(topic, [{ value: 'before' }]);
  await until(() => opened.taken.length === 1);
  const partition = standIn.topics.partition(topic, 0);
  (partition as NonNullable<typeof partition>).leader = 1;
  await brokers.send(topic, [{ value: 'after' }]);
  await until(() => opened.taken.length === 2);
  expect(bodies(opened)).toEqual(['before', 'after']);
});

test('a coordinator that is unavailable for a while, or moves, is found again', async () => {
  const brokers = await started({ brokers: 2 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const topic = await brokers.topic(1);
  standIn.fail('joinGroup', errors.coordinatorNotAvailable, 2);
  standIn.fail('offsetFetch', errors.notCoordinator, 1);
  const opened = await consuming(brokers, topic, () => reply, { consumer: { session_timeout: 1_200 } });
  await brokers.send(topic, [{ value: 'a' }]);
  await until(() => opened.taken.length === 1);
  standIn.coordinatorId = 1;
  standIn.fail('heartbeat', errors.notCoordinator, 1);
  await until(() => standIn.count('joinGroup') >= 4);
  await brokers.send(topic, [{ value: 'b' }]);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 2);
  expect(bodies(opened)).toEqual(['a', 'b']);
});

test('messages that were removed before they were read are passed over, and that is reported', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  const first = await consuming(brokers, topic);
  await brokers.send(topic, [{ value: 'a' }]);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 1);
  await first.connector.close();
  await brokers.send(topic, [{ value: 'removed' }, { value: 'kept' }]);
  brokers.standIn?.topics.partition(topic, 0)?.trim(2n);
  const again = await consuming(brokers, topic);
  await until(() => again.taken.length === 1);
  expect(bodies(again)).toEqual(['kept']);
  const reported = again.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
  expect(reported).toEqual([{ topic, partition: 0, offset: '1', continues: '2' }]);
});

test('what waits at the brokers is the lag of the group, over all partitions', async () => {
  const brokers = await started();
  const topic = await brokers.topic(2);
  const opened = await consuming(brokers, topic, hang, { consumer: { prefetch: 1 } });
  const { events } = opened.connector.source;
  await brokers.sendTogether(
    topic,
    numbers(7).map((at) => ({ value: `${at}`, partition: at % 2 })),
  );
  await until(async () => (await events.waiting?.()) === 7);
  await opened.connector.close(AbortSignal.abort());
});

test('health says when the brokers do not answer, and that it works again', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  const opened = await consuming(brokers, topic, () => reply, { producer: { timeout: 500 }, max_reconnects: 1000 });
  await opened.connector.check?.(never);
  const release = brokers.standIn?.hold('metadata');
  await expect(opened.connector.check?.(AbortSignal.timeout(1_000))).rejects.toThrow(/does not answer|no response/);
  release?.();
  await until(() => opened.connector.check?.(never).then(() => true));
});
