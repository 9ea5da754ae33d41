import { expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { TestBrokers } from '../testing/broker.ts';
import { bodies, cleanups, consuming, never, onEveryGround, reply, started } from '../testing/consuming.ts';
import { LogBed } from '../testing/source-bed.ts';

const standInOf = ({ standIn }: TestBrokers) => standIn as NonNullable<typeof standIn>;
const messages = (count: number, from = 0) => Array.from({ length: count }, (_, at) => ({ value: `${from + at}` }));

/** A connector whose flows wait at a gate, and commits one message before that. */
async function gated(failing: readonly number[] = []) {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const gates = new Map<unknown, PromiseWithResolvers<typeof reply>>();
  const gate = (body: unknown) => {
    const made = gates.get(body) ?? Promise.withResolvers<typeof reply>();
    gates.set(body, made);
    return made;
  };
  const opened = await consuming(brokers, topic, ({ input }) => gate(input['body']).promise, {
    max_reconnects: 1_000,
    consumer: { session_timeout: 6_000, workers: 20, prefetch: 40, retry_count: 0, create_if_missing: true },
  });
  const pass = (numbers: readonly number[]) => {
    for (const number of numbers)
      if (failing.includes(number)) gate(number).reject(new Error('it never passes'));
      else gate(number).resolve(reply);
  };
  const committed = (offset: number) =>
    until(async () => (await brokers.committed(`${topic}-group`, topic)) === offset);
  pass([0]);
  await brokers.sendTogether(topic, messages(1));
  await committed(1);
  return { brokers, topic, opened, pass, committed, standIn: standInOf(brokers) };
}

const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, at) => from + at);

test('what is done and could not be committed before the connection was lost is not done again', async () => {
  const { brokers, topic, opened, pass, committed, standIn } = await gated();
  await brokers.sendTogether(topic, messages(10, 1));
  await until(() => opened.taken.length === 11);
  const release = standIn.hold('offsetCommit');
  const before = standIn.count('offsetCommit');
  pass(numbers(1, 7));
  pass(numbers(8, 11));
  await until(() => standIn.count('offsetCommit') > before);
  const join = standIn.hold('joinGroup');
  standIn.cut();
  release();
  await until(() => opened.lines.some(({ message }) => message === 'the broker is unavailable; reconnecting'));
  // It ends while the member is not in the group.
  pass([7]);
  join();
  await committed(11);
  // What was under way is handled again.
  expect(bodies(opened)).toEqual([...numbers(0, 11), 7]);
});

test('where the offset of the group is set back meanwhile, everything from there on is read again', async () => {
  const { brokers, topic, opened, pass, committed, standIn } = await gated();
  pass(numbers(1, 11));
  await brokers.sendTogether(topic, messages(4, 1));
  await committed(5);
  const join = standIn.hold('joinGroup');
  standIn.cut();
  standIn.groups.get(`${topic}-group`)?.offsets.set(`${topic}/0`, { offset: 2n, metadata: '' });
  join();
  await until(() => opened.taken.length === 8);
  expect(bodies(opened)).toEqual([...numbers(0, 5), ...numbers(2, 5)]);
});

test('a message that is given up while the member is not in the group becomes a dead letter after that', async () => {
  const { brokers, topic, opened, pass, committed, standIn } = await gated([1]);
  await brokers.sendTogether(topic, messages(1, 1));
  await until(() => opened.taken.length === 2);
  const join = standIn.hold('joinGroup');
  standIn.cut();
  await until(() => opened.lines.some(({ message }) => message === 'the broker is unavailable; reconnecting'));
  pass([1]);
  join();
  await committed(2);
  expect((await brokers.sent(`${topic}.dlq`, 1)).map(({ value }) => value)).toEqual(['1']);
});

onEveryGround((start) => {
  test('a connection that is lost again and again repeats nothing that was done', async () => {
    const bed = await LogBed.make(start, 3);
    cleanups.push(() => bed.close());
    const { brokers, topic, proxy } = bed;
    const connector = bed.connector({ consumer: { session_timeout: 6_000 } });
    const taken: unknown[] = [];
    const flows = connector.source.bind([
      {
        ...bed.binding,
        deliver: ({ input }) => {
          taken.push(input['body']);
          return reply;
        },
      },
    ]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    const values = messages(300);
    for (let from = 0; from < 300; from += 60) {
      await brokers.sendTogether(topic, values.slice(from, from + 60));
      await until(() => taken.length > from + 20);
      proxy.reset();
    }
    await until(async () => (await brokers.waiting(topic, `${topic}-group`)) === 0);
    expect(taken.map(Number).toSorted((one, other) => one - other)).toEqual(
      values.map(({ value }) => value).map(Number),
    );
  });
});
