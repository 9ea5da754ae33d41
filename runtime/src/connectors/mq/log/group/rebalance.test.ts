import { expect, test } from 'vitest';
import { errors } from '../../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { TestBrokers } from '../testing/broker.ts';
import { assigned, bodies, consuming, hang, type Opened, onEveryGround, reply, started } from '../testing/consuming.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const soon = { session_timeout: 1_000 };
const group = (topic: string) => `${topic}-group`;

/** One message in each partition, and their texts. */
async function sendToEach(brokers: TestBrokers, topic: string, text: string, partitions: number) {
  await brokers.sendTogether(
    topic,
    upTo(partitions).map((partition) => ({ value: `${text} ${partition}`, partition })),
  );
  return upTo(partitions).map((partition) => `${text} ${partition}`);
}

/** Names of partitions that a member was assigned or gave up, one list after another. */
const namesIn = ({ lines }: Opened, message: string) =>
  lines.filter((line) => line.message === message).map(({ fields }) => fields['partitions'] as readonly string[]);

onEveryGround((started) => {
  test('members join and leave under load: nothing is lost or handled twice, and what was under way is committed first', async () => {
    const brokers = await started();
    const topic = await brokers.topic(6);
    const ledger: { member: string; partition: number; offset: number; committed: number; isDone: boolean }[] = [];
    const open = (member: string) =>
      consuming(
        brokers,
        topic,
        async ({ input }) => {
          const [partition, offset] = [Number(input['partition']), Number(input['offset'])];
          const offsets = brokers.standIn?.groups.get(group(topic))?.offsets;
          const committed = Number(offsets?.get(`${topic}/${partition}`)?.offset ?? 0);
          const entry = { member, partition, offset, committed, isDone: false };
          ledger.push(entry);
          for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
          entry.isDone = true;
          return reply;
        },
        { consumer: { workers: 4, ...soon } },
      );
    let sent = 0;
    let isOver = false;
    const sending = (async () => {
      while (!isOver) {
        const messages = upTo(12).map((at) => ({ value: String(sent + at), partition: at % 6 }));
        await brokers.sendTogether(topic, messages);
        sent += messages.length;
        await until(() => sent - ledger.length < 120);
      }
    })();
    const busy = async (...members: Opened[]) => {
      const share = 6 / members.length;
      await until(() => members.every((member) => assigned(member)?.length === share));
      const before = members.map(({ taken }) => taken.length);
      await until(() => members.every(({ taken }, at) => taken.length > (before[at] as number) + 20));
    };
    const first = await open('first');
    await busy(first);
    const second = await open('second');
    await busy(first, second);
    const third = await open('third');
    await busy(first, second, third);
    await first.connector.close();
    await busy(second, third);
    const fourth = await open('fourth');
    await busy(second, third, fourth);
    await third.connector.close();
    await second.connector.close();
    await busy(fourth);
    isOver = true;
    await sending;
    await until(() => ledger.length >= sent && ledger.every(({ isDone }) => isDone));
    const places = ledger.map(({ partition, offset }) => `${partition}/${offset}`);
    expect(places.toSorted()).toEqual(
      upTo(sent)
        .map((at) => `${at % 6}/${Math.floor(at / 6)}`)
        .toSorted(),
    );
    // Where a partition changed hands, everything before it was committed.
    const early = upTo(6).flatMap((partition) => {
      const entries = ledger.filter((entry) => entry.partition === partition);
      return entries.filter(({ member, offset, committed }, at) => {
        const isTakenOver = at > 0 && entries[at - 1]?.member !== member;
        return brokers.standIn !== undefined && isTakenOver && committed !== offset;
      });
    });
    expect(early).toEqual([]);
  });

  test('a member that joins holds up nothing that stays where it is, and waits for what is under way of the rest alone', async () => {
    const brokers = await started();
    const topic = await brokers.topic(4);
    const held = new Map<unknown, () => void>();
    const first = await consuming(
      brokers,
      topic,
      ({ input }) =>
        String(input['body']).startsWith('held')
          ? new Promise((resolve) => held.set(input['body'], () => resolve(reply)))
          : reply,
      { consumer: { workers: 8, ...soon } },
    );
    await sendToEach(brokers, topic, 'held', 4);
    await until(() => held.size === 4);
    const second = await consuming(brokers, topic, () => reply, { consumer: soon });
    // The group has come together, although all that the first member has is under way.
    await until(() => assigned(second) !== undefined && assigned(first)?.length === 2);
    expect([assigned(second), namesIn(first, 'partitions are given up')]).toEqual([[], []]);
    const kept = assigned(first) as string[];
    const leaving = upTo(4).filter((at) => !kept.includes(`${topic}/${at}`));
    const staying = upTo(4).filter((at) => !leaving.includes(at));
    await sendToEach(brokers, topic, 'more', 4);
    await until(() => first.taken.length === 6);
    expect(bodies(first).slice(4).toSorted()).toEqual(staying.map((at) => `more ${at}`));
    held.get(`held ${leaving[0]}`)?.();
    held.get(`held ${staying[0]}`)?.();
    await until(async () => (await brokers.committed(group(topic), topic, leaving[0])) === 1);
    expect(second.taken).toEqual([]);
    held.get(`held ${leaving[1]}`)?.();
    await until(() => second.taken.length === 2);
    expect(bodies(second).toSorted()).toEqual(leaving.map((at) => `more ${at}`));
    const names = leaving.map((at) => `${topic}/${at}`);
    expect([namesIn(first, 'partitions are given up'), assigned(second), assigned(first)]).toEqual([
      [names],
      names,
      kept,
    ]);
    held.get(`held ${staying[1]}`)?.();
    await until(async () => (await brokers.committed(group(topic), topic, staying[1])) === 2);
    expect(first.taken.length).toBe(6);
  });

  test('partitions stay with their members when one joins and leaves: the fewest move', async () => {
    const brokers = await started();
    const topic = await brokers.topic(6);
    const first = await consuming(brokers, topic, () => reply, { consumer: soon });
    const second = await consuming(brokers, topic, () => reply, { consumer: soon });
    await until(() => assigned(first)?.length === 3 && assigned(second)?.length === 3);
    const before = [assigned(first), assigned(second)] as string[][];
    const third = await consuming(brokers, topic, () => reply, { consumer: soon });
    await until(() => [first, second, third].every((member) => assigned(member)?.length === 2));
    const given = [first, second].flatMap((member) => namesIn(member, 'partitions are given up').at(-1));
    expect(given.toSorted()).toEqual(assigned(third)?.toSorted());
    const after = [assigned(first), assigned(second)] as string[][];
    for (const [at, names] of after.entries()) expect(before[at]).toEqual(expect.arrayContaining(names));
    await third.connector.close();
    await until(() => assigned(first)?.length === 3 && assigned(second)?.length === 3);
    for (const [at, member] of [first, second].entries())
      expect(assigned(member)).toEqual(expect.arrayContaining(after[at] as string[]));
  });

  test('a message that does not end is waited for during two thirds of rebalance_timeout, then another member has it too', async () => {
    const brokers = await started();
    const topic = await brokers.topic(2);
    const settings = { consumer: { workers: 4, rebalance_timeout: 1_000, ...soon } };
    const first = await consuming(brokers, topic, hang, settings);
    await sendToEach(brokers, topic, 'stuck', 2);
    await until(() => first.taken.length === 2);
    const second = await consuming(brokers, topic, () => reply, settings);
    await until(() => second.taken.length === 1);
    const [name] = assigned(second) as [string];
    expect([bodies(second), assigned(first)?.length]).toEqual([[`stuck ${name.at(-1)}`], 1]);
    await until(async () => (await brokers.committed(group(topic), topic, Number(name.at(-1)))) === 1);
    await first.connector.close(AbortSignal.abort());
  });

  test('a member that is killed under load is missed, and its partitions are read on from what it had committed', async () => {
    const brokers = await started();
    const topic = await brokers.topic(4);
    const settings = { consumer: { workers: 4, ...soon } };
    const first = await consuming(brokers, topic, () => reply, settings);
    const second = await consuming(brokers, topic, () => reply, settings);
    await until(() => assigned(first)?.length === 2 && assigned(second)?.length === 2);
    const values = upTo(400).map((at) => ({ value: String(at), partition: at % 4 }));
    const sending = brokers.send(topic, values);
    await until(() => first.taken.length >= 20 && second.taken.length >= 20);
    await first.connector.close(AbortSignal.abort());
    await sending;
    await until(() => new Set([...bodies(first), ...bodies(second)]).size === 400);
    for (const partition of upTo(4))
      await until(async () => (await brokers.committed(group(topic), topic, partition)) === 100);
  });

  test('beside another program, which gives everything up when a member joins, nothing is handled twice', async () => {
    const brokers = await started();
    const topic = await brokers.topic(4);
    const held = new Map<unknown, () => void>();
    const own = await consuming(
      brokers,
      topic,
      ({ input }) => new Promise((resolve) => held.set(input['body'], () => resolve(reply))),
      { consumer: { workers: 8, ...soon } },
    );
    const early = await sendToEach(brokers, topic, 'early', 4);
    await until(() => held.size === 4);
    const other: string[] = [];
    const joined = brokers.otherProgram(group(topic), topic, (value) => other.push(value));
    await until(() => assigned(own)?.length === 2);
    const late = await sendToEach(brokers, topic, 'late', 4);
    expect(other).toEqual([]);
    const go = () => {
      for (const [body, end] of held) {
        held.delete(body);
        end();
      }
    };
    await until(() => {
      go();
      return bodies(own).length + other.length === 8;
    });
    expect([...bodies(own), ...other].toSorted()).toEqual([...early, ...late].toSorted());
    expect(other.length).toBe(2);
    // It leads nothing here; when it leaves, this member has everything again.
    await (await joined).disconnect();
    await until(() => assigned(own)?.length === 4);
    const last = await sendToEach(brokers, topic, 'last', 4);
    await until(() => {
      go();
      return last.every((body) => bodies(own).includes(body));
    });
    await until(async () => (await brokers.committed(group(topic), topic, 3)) === 3);
    expect(bodies(own).length + other.length).toBe(12);
  });

  test('in a group that another program leads, what is under way is waited for before a member joins again', async () => {
    const brokers = await started();
    const topic = await brokers.topic(6);
    const other: string[] = [];
    await brokers.otherProgram(group(topic), topic, (value) => other.push(value));
    const held: (() => void)[] = [];
    let isHeld = true;
    const first = await consuming(
      brokers,
      topic,
      () => (isHeld ? new Promise((resolve) => held.push(() => resolve(reply))) : reply),
      { consumer: { workers: 8, ...soon } },
    );
    await until(() => assigned(first)?.length === 3);
    const early = await sendToEach(brokers, topic, 'early', 6);
    await until(() => held.length === 3 && other.length === 3);
    const second = await consuming(brokers, topic, () => reply, { consumer: soon });
    await until(async () => (await brokers.members(group(topic))) === 3);
    const late = await sendToEach(brokers, topic, 'late', 6);
    // The first member has not noticed it, or waits for what is under way: the group cannot come together.
    expect([assigned(second), second.taken]).toEqual([undefined, []]);
    isHeld = false;
    for (const end of held) end();
    await until(() => assigned(first)?.length === 2 && assigned(second)?.length === 2);
    await until(() => first.taken.length + second.taken.length + other.length >= 12);
    expect([...bodies(first), ...bodies(second), ...other].toSorted()).toEqual([...early, ...late].toSorted());
  });
});

test('partitions are given up when the coordinator has what was done of them, not before', async () => {
  const brokers = await started({});
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const topic = await brokers.topic(2);
  const held: (() => void)[] = [];
  let isHeld = true;
  const first = await consuming(
    brokers,
    topic,
    () => (isHeld ? new Promise((resolve) => held.push(() => resolve(reply))) : reply),
    {
      consumer: { workers: 2, ...soon },
    },
  );
  await sendToEach(brokers, topic, 'held', 2);
  await until(() => held.length === 2);
  const second = await consuming(brokers, topic, () => reply, { consumer: soon });
  await until(() => assigned(first)?.length === 1);
  standIn.fail('offsetCommit', errors.rebalanceInProgress);
  const before = standIn.count('offsetCommit');
  isHeld = false;
  for (const end of held) end();
  await until(() => standIn.count('offsetCommit') > before + 2);
  expect([namesIn(first, 'partitions are given up'), assigned(second)]).toEqual([[], []]);
  standIn.fail('offsetCommit', errors.none, 0);
  await until(() => assigned(second)?.length === 1);
  await sendToEach(brokers, topic, 'late', 2);
  await until(() => second.taken.length === 1 && first.taken.length === 3);
});
