import { expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { TestBrokers } from '../testing/broker.ts';
import { assigned, bodies, consuming, never, type Opened, reply, started } from '../testing/consuming.ts';

const groupOf = ({ standIn }: TestBrokers, topic: string) => standIn?.groups.get(`${topic}-group`);
const standInOf = ({ standIn }: TestBrokers) => standIn as NonNullable<typeof standIn>;
const warnings = ({ lines }: Opened) => lines.filter(({ level }) => level === 'warn' || level === 'error');
const soon = { session_timeout: 1_000, rebalance_timeout: 60_000 };

/** A member of another program that does not join again for as long as it is busy. */
async function busyMember(brokers: TestBrokers, topic: string) {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await brokers.otherProgram(
    `${topic}-group`,
    topic,
    async () => {
      begun.resolve();
      await release.promise;
    },
    { sessionTimeout: 60_000, rebalanceTimeout: 60_000 },
  );
  await brokers.send(topic, [{ value: 'long', partition: 0 }]);
  await begun.promise;
  return release.resolve;
}

test('members that start together are answered when the group comes together, and healthy until then', async () => {
  const brokers = await started({ initialDelay: 1_500 });
  const topic = await brokers.topic(4);
  await brokers.create(`${topic}.dlq`);
  const both = await Promise.all([1, 2].map(() => consuming(brokers, topic, () => reply, { consumer: soon })));
  await until(() => groupOf(brokers, topic)?.members.length === 2);
  // Over the connection on which the join is held this would be late.
  for (const { connector } of both) await connector.check?.(AbortSignal.timeout(1_000));
  expect(both.map(assigned)).toEqual([undefined, undefined]);
  await until(() => both.every((one) => assigned(one)?.length === 2));
  expect([standInOf(brokers).count('joinGroup'), groupOf(brokers, topic)?.generation, both.flatMap(warnings)]).toEqual([
    4,
    1,
    [],
  ]);
});

test('a member of another program that is busy holds a join for as long as it likes, and the member stays one', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  await brokers.create(`${topic}.dlq`);
  const release = await busyMember(brokers, topic);
  const opened = await consuming(brokers, topic, () => reply, { consumer: soon });
  await until(() => groupOf(brokers, topic)?.members.length === 2);
  const [, own] = groupOf(brokers, topic)?.members ?? [];
  // It is asked whether it is there for longer than a session lasts.
  const before = standInOf(brokers).count('heartbeat');
  await until(() => standInOf(brokers).count('heartbeat') > before + 8);
  await opened.connector.check?.(AbortSignal.timeout(1_000));
  standInOf(brokers).cut();
  await until(() => warnings(opened).length === 1);
  await until(() => standInOf(brokers).count('joinGroup') >= 5);
  expect(groupOf(brokers, topic)?.members.includes(own as string)).toBe(true);
  release();
  await until(() => assigned(opened)?.length === 1);
  expect(groupOf(brokers, topic)?.members.includes(own as string)).toBe(true);
});

test('while a join is held, a broker that is silent is noticed by the check, and one that is gone at once', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  await brokers.create(`${topic}.dlq`);
  const release = await busyMember(brokers, topic);
  const opened = await consuming(brokers, topic, () => reply, { consumer: soon });
  await until(() => groupOf(brokers, topic)?.members.length === 2);
  const answer = standInOf(brokers).hold('metadata');
  await expect(opened.connector.check?.(AbortSignal.timeout(300))).rejects.toThrow(/does not answer|no response/);
  answer();
  await until(() => opened.connector.check?.(never).then(() => true));
  release();
  await until(() => assigned(opened) !== undefined);
  await standInOf(brokers).stop();
  await until(() => warnings(opened).some(({ message }) => message.startsWith('the broker is unavailable')));
});

test('a member that ends while its join is held leaves the group', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const release = await busyMember(brokers, topic);
  const opened = await consuming(brokers, topic, () => reply, { consumer: soon });
  await until(() => groupOf(brokers, topic)?.members.length === 2);
  await opened.connector.close();
  expect([groupOf(brokers, topic)?.members.length, standInOf(brokers).count('leaveGroup')]).toEqual([1, 1]);
  release();
});

test('what is done while a join is held is committed', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const opened = await consuming(brokers, topic, () => reply, { consumer: soon });
  await until(() => assigned(opened)?.length === 2);
  const group = groupOf(brokers, topic) as NonNullable<ReturnType<typeof groupOf>>;
  // A member that reads nothing, and does not join again.
  const id = group.expect();
  const protocols = new Map([['cooperative-sticky', Buffer.alloc(0)]]);
  const { generation } = await group.join({ member: id, instance: '', session: 60_000, rebalance: 60_000, protocols });
  await group.sync({ id, instance: '' }, generation, new Map());
  const joins = standInOf(brokers).count('joinGroup');
  group.shake();
  await until(() => standInOf(brokers).count('joinGroup') > joins);
  await brokers.send(topic, [{ value: 'a', partition: 0 }]);
  await until(async () => (await brokers.committed(`${topic}-group`, topic, 0)) === 1);
  expect([group.isStable, bodies(opened)]).toEqual([false, ['a']]);
});

test('of two members with one `group_instance_id` the later one has the place, and the other one reports it', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(2);
  const over = { consumer: { group_instance_id: 'a', ...soon }, max_reconnects: 1000 };
  const first = await consuming(brokers, topic, () => reply, over);
  await until(() => assigned(first)?.length === 2);
  const second = await consuming(brokers, topic, () => reply, over);
  await until(() => assigned(second)?.length === 2);
  await until(() => warnings(first).some((line) => JSON.stringify(line).includes('group instance id')));
  await brokers.send(topic, [{ value: 'a' }]);
  await until(() => second.taken.length === 1);
  expect([first.taken, groupOf(brokers, topic)?.members.length]).toEqual([[], 1]);
});
