import { expect, test } from 'vitest';
import { errors } from '../../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { TestBrokers } from '../testing/broker.ts';
import { cleanups, onEveryGround, started } from '../testing/consuming.ts';
import { sendingTo } from '../testing/sending.ts';
import { LogBed } from '../testing/source-bed.ts';

const partitions = 3;

/** Brokers behind a proxy, and a connector that sends over it. */
async function behindProxy(start: () => Promise<TestBrokers>, producer: Readonly<Record<string, unknown>> = {}) {
  const bed = await LogBed.make(start, partitions);
  cleanups.push(() => bed.proxy.close());
  const { brokers, topic, proxy } = bed;
  const { send } = await sendingTo([`127.0.0.1:${proxy.port}`], { topic, ...producer });
  const number = (n: number, partition = n % partitions) => send({ payload: { n }, params: { key: 'k', partition } });
  return { brokers, topic, proxy, send: number };
}

/** Numbers of messages by partition, in their order. */
async function numbersIn(brokers: TestBrokers, topic: string, count: number): Promise<readonly number[][]> {
  const found = await brokers.sent(topic, count);
  return Array.from({ length: partitions }, (_, partition) =>
    found.filter((each) => each.partition === partition).map(({ value }) => JSON.parse(value ?? '').n as number),
  );
}

onEveryGround((start) => {
  test.each([
    [undefined, [[0, 3], [1], [2]]],
    [true, [[0, 3], [1], [2]]],
    [
      false,
      [
        [0, 3, 3],
        [1, 1],
        [2, 2],
      ],
    ],
  ])(
    'with `idempotent = %j` messages whose answer is lost are sent again, and are there: %j',
    async (idempotent, expected) => {
      const { brokers, topic, proxy, send } = await behindProxy(start, { idempotent });
      await send(0);
      proxy.fault = 'hold';
      const sent = Promise.all([send(3), send(1), send(2)]);
      await until(async () => (await brokers.waiting(topic)) === 4);
      proxy.reset();
      proxy.fault = 'pass';
      await sent;
      expect(await numbersIn(brokers, topic, expected.flat().length)).toEqual(expected);
      expect(await brokers.waiting(topic)).toBe(expected.flat().length);
    },
  );

  test('messages are there once and in their order, however often the connection is lost', async () => {
    const { brokers, topic, proxy, send } = await behindProxy(start, { retries: 1_000, batch_size: 200 });
    const count = 600;
    await send(0);
    let done = 1;
    const sent = Promise.all(
      Array.from({ length: count - 1 }, async (_, n) => {
        await send(n + 1);
        done++;
      }),
    );
    for (let resets = 0; done < count && resets < 12; resets++) {
      const before = proxy.turns;
      await until(() => proxy.turns > before || done === count);
      proxy.reset();
    }
    await sent;
    const all = Array.from({ length: count }, (_, n) => n);
    expect(await numbersIn(brokers, topic, count)).toEqual(
      [0, 1, 2].map((partition) => all.filter((n) => n % partitions === partition)),
    );
    expect(await brokers.waiting(topic)).toBe(count);
  });

  test('after a message that is given up later ones go under another id, and none is there twice', async () => {
    const { brokers, topic, proxy, send } = await behindProxy(start, { timeout: 1_000, retries: 0 });
    await send(0);
    proxy.fault = 'hold';
    const lost = send(3);
    await until(async () => (await brokers.waiting(topic)) === 2);
    await expect(lost).rejects.toMatchObject({ code: 'connector_timeout' });
    proxy.reset();
    proxy.fault = 'pass';
    await until(() =>
      send(6).then(
        () => true,
        () => false,
      ),
    );
    await send(9);
    await send(1);
    expect(await numbersIn(brokers, topic, 5)).toEqual([[0, 3, 6, 9], [1], []]);
  });
});

test('a producer that the broker does not know goes on under another id, also without `retries`', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const { send } = await sendingTo(brokers.addresses, { topic, retries: 0 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  for (const [at, code] of [
    errors.unknownProducerId,
    errors.outOfOrderSequence,
    errors.invalidProducerEpoch,
  ].entries()) {
    await send({ payload: { at } });
    standIn.fail('produce', code, 1);
    await send({ payload: { code } });
    // That of the client of the test is one of them.
    expect(standIn.count('initProducerId')).toBe(at + 3);
  }
  expect(standIn.topics.partition(topic, 0)?.end).toBe(6n);
});

test('a refused message leaves no gap: those after it are taken', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const { send } = await sendingTo(brokers.addresses, { topic, retries: 1 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  await send({ payload: { n: 0 } });
  standIn.fail('produce', errors.tooLarge, 1);
  await expect(send({ payload: { n: 1 } })).rejects.toMatchObject({ code: 'body_too_large' });
  standIn.fail('produce', errors.notEnoughReplicas, 2);
  await expect(send({ payload: { n: 2 } })).rejects.toMatchObject({ code: 'connector_failed' });
  await send({ payload: { n: 3 } });
  expect((await brokers.sent(topic, 2)).map(({ value }) => value)).toEqual(['{"n":0}', '{"n":3}']);
  expect(standIn.count('initProducerId')).toBe(2);
});

test.each([
  [errors.notEnoughReplicas, 1],
  [errors.notLeader, 1],
])('numbers of a batch that was not kept (error %i) go to what is sent of it the next time', async (code, times) => {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const { send } = await sendingTo(brokers.addresses, { topic, retries: 2 });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  await send({ payload: { n: 0 } });
  standIn.fail('produce', code, times);
  await Promise.all([1, 2, 3].map((n) => send({ payload: { n } })));
  await send({ payload: { n: 4 } });
  expect(standIn.topics.partition(topic, 0)?.end).toBe(5n);
});

test('brokers that give no producer id are warned of once where nothing is written; `idempotent = true` fails, and says what to do', async () => {
  const brokers = await started({});
  const topic = await brokers.topic(1);
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  standIn.fail('initProducerId', errors.clusterAuthorizationFailed);
  const { send, lines } = await sendingTo(brokers.addresses, { topic });
  await send({ payload: { n: 0 } });
  await send({ payload: { n: 1 } });
  expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    expect.stringContaining('the brokers give this user no producer id'),
  ]);
  const { send: required } = await sendingTo(brokers.addresses, { topic, idempotent: true });
  await expect(required({ payload: { n: 2 } })).rejects.toMatchObject({
    code: 'connector_failed',
    message: expect.stringContaining('allow IdempotentWrite at the cluster, or write idempotent = false'),
  });
  expect(standIn.topics.partition(topic, 0)?.end).toBe(2n);
});
