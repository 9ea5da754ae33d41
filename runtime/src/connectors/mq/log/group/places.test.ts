import { expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import { assigned, bodies, consuming, type Opened, onEveryGround, reply } from '../testing/consuming.ts';

const soon = { session_timeout: 1_000, rebalance_timeout: 60_000 };
const warnings = ({ lines }: Opened) => lines.filter(({ level }) => level === 'warn' || level === 'error');
/** Times that a member was given partitions. */
const assignments = ({ lines }: Opened) =>
  lines.filter(({ message }) => message === 'partitions are assigned').map(({ fields }) => fields['partitions']);

onEveryGround((start) => {
  test('a member with `group_instance_id` is back in its place, and the others are not disturbed', async () => {
    const brokers = await start();
    const topic = await brokers.topic(4);
    const member = (name: string) =>
      consuming(brokers, topic, () => reply, {
        consumer: { group_instance_id: name, session_timeout: 6_000, dlq: { enabled: false } },
      });
    const first = await member('a');
    await until(() => assigned(first)?.length === 4);
    const second = await member('b');
    await until(() => assigned(first)?.length === 2 && assigned(second)?.length === 2);
    const before = [assignments(first), assigned(second)];
    await second.connector.close();
    expect(await brokers.members(`${topic}-group`)).toBe(2);
    const again = await member('b');
    await until(() => assigned(again)?.length === 2);
    await brokers.sendTogether(
      topic,
      [0, 1, 2, 3].map((partition) => ({ value: `${partition}`, partition })),
    );
    await until(() => first.taken.length === 2 && again.taken.length === 2);
    expect([assignments(first), assigned(again), warnings(first)]).toEqual([...before, []]);
  });

  test.each([
    ['latest', []],
    ['2020-01-01T00:00:00Z', ['old 0']],
  ])(
    'partitions that come while the group exists are read from their beginning, within `metadata_max_age`: offset = %s',
    async (offset, before) => {
      const brokers = await start();
      const topic = await brokers.topic(1);
      await brokers.send(topic, [{ value: 'old 0', partition: 0 }]);
      const over = { consumer: { offset, ...soon }, metadata_max_age: 300 };
      const opened = await consuming(brokers, topic, () => reply, over);
      await until(
        async () => assigned(opened)?.length === 1 && (await brokers.committed(`${topic}-group`, topic)) === 1,
      );
      const grow = async (count: number) => {
        await brokers.grow(topic, count);
        await brokers.refreshed(topic, count);
        await brokers.send(topic, [{ value: `new ${count - 1}`, partition: count - 1 }]);
      };
      await grow(2);
      await until(() => bodies(opened).includes('new 1'));
      await opened.connector.close();
      // No member is there when this one comes.
      await grow(3);
      const again = await consuming(brokers, topic, () => reply, over);
      await until(() => bodies(again).includes('new 2'));
      expect([bodies(opened), bodies(again)]).toEqual([[...before, 'new 1'], ['new 2']]);
    },
  );

  test('a topic that is made again while the group exists is read from its beginning', async () => {
    const brokers = await start();
    const topic = await brokers.topic(1);
    const over = { consumer: { offset: 'latest', ...soon }, metadata_max_age: 200 };
    const opened = await consuming(brokers, topic, () => reply, over);
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 0);
    await brokers.remake(topic, 1, () => until(() => warnings(opened).length > 1));
    await brokers.send(topic, [{ value: 'a' }]);
    await until(() => opened.taken.length === 1);
    expect(bodies(opened)).toEqual(['a']);
  });
});
