import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Drop } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { bodies, consuming, reading, reply, started } from './testing/consuming.ts';

const settled = ({ connector }: Awaited<ReturnType<typeof consuming>>) => connector.source.events.unsettled === 0;

test('a flow gets value, headers, topic, partition, offset, key and time of a message', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  await brokers.send(topic, [
    { key: 'k', value: '{"order":1}', headers: { tenant: 'a' }, timestamp: '1700000000123' },
    { value: 'not JSON', timestamp: '1700000001999' },
    { key: 'gone', value: null, timestamp: '1700000002000' },
  ]);
  const opened = await consuming(brokers, topic);
  await until(() => opened.taken.length === 3);
  expect(opened.taken).toEqual([
    {
      body: { order: 1 },
      headers: { tenant: 'a' },
      topic,
      partition: 0,
      offset: 0,
      key: 'k',
      timestamp: 1_700_000_000,
    },
    { body: 'not JSON', headers: {}, topic, partition: 0, offset: 1, key: '', timestamp: 1_700_000_001 },
    { body: null, headers: {}, topic, partition: 0, offset: 2, key: 'gone', timestamp: 1_700_000_002 },
  ]);
});

test('a flow gets the value in the format that it names', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  await brokers.send(topic, [{ value: 'a,b\n1,2\n' }]);
  const opened = await consuming(brokers, topic, () => reply, {}, [undefined], { format: 'csv' });
  await until(() => opened.taken.length === 1);
  expect(bodies(opened)).toEqual([{ a: '1', b: '2', rows: [{ a: '1', b: '2' }] }]);
});

test('R-02: a message that no flow takes is reported once with its topic, and holds nothing up', async () => {
  const brokers = await started();
  const [taken, other] = [await brokers.topic(), await brokers.topic()];
  const consumer = { group_id: `${taken}-both`, topics: [taken, other] };
  const opened = await consuming(brokers, taken, () => reply, { consumer }, [taken]);
  await brokers.send(other, [{ value: 'a' }, { value: 'b' }]);
  await brokers.send(taken, [{ value: 'c' }]);
  await until(async () => (await brokers.committed(`${taken}-both`, other)) === 2);
  await until(() => opened.taken.length === 1);
  expect(bodies(opened)).toEqual(['c']);
  const reported = opened.lines.filter(({ message }) => message === 'messages are dropped: no flow takes their key');
  expect(reported.map(({ level, fields }) => [level, fields['key']])).toEqual([['error', other]]);
});

test('R-08, R-41: with several workers a message that fails is done before anything behind it counts as done', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  const failures = Promise.withResolvers<void>();
  let tries = 0;
  const opened = await consuming(
    brokers,
    topic,
    async ({ input }) => {
      if (input['body'] !== 'bad') return reply;
      if (++tries < 4) throw new Failure('connector_refused', 'away');
      await failures.promise;
      return reply;
    },
    { consumer: { workers: 4 } },
  );
  await brokers.send(topic, [{ value: 'bad' }, ...Array.from({ length: 20 }, (_, at) => ({ value: `m${at}` }))]);
  await until(() => tries === 4 && new Set(bodies(opened)).size === 21);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 0);
  failures.resolve();
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 21);
});

test('R-77: with several workers messages of one key are handled one after another, others at the same time', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  const under = new Map<string, number>();
  const overlaps: string[] = [];
  let most = 0;
  const order: Record<string, unknown[]> = {};
  const opened = await consuming(
    brokers,
    topic,
    async ({ input }) => {
      const key = String(input['key']);
      under.set(key, (under.get(key) ?? 0) + 1);
      if ((under.get(key) ?? 0) > 1) overlaps.push(key);
      most = Math.max(
        most,
        [...under.values()].reduce((sum, count) => sum + count, 0),
      );
      order[key] = [...(order[key] ?? []), input['body']];
      await new Promise((resolve) => setImmediate(resolve));
      under.set(key, (under.get(key) ?? 0) - 1);
      return reply;
    },
    { consumer: { workers: 8, prefetch: 50 } },
  );
  const sent = Array.from({ length: 60 }, (_, at) => ({ key: `k${at % 3}`, value: `${at}` }));
  await brokers.sendTogether(topic, sent);
  await until(() => opened.taken.length === 60 && settled(opened));
  expect([overlaps, most]).toEqual([[], 3]);
  for (const key of [0, 1, 2]) {
    const ofKey = sent.filter((message) => message.key === `k${key}`).map(({ value }) => Number(value));
    expect(order[`k${key}`]).toEqual(ofKey);
  }
});

test('R-75: what keeps failing is sent to the topic for dead letters, with its bytes, where it was and why', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  await brokers.create(`${topic}.dlq`);
  const opened = await consuming(
    brokers,
    topic,
    ({ input }) => {
      if (input['body'] === 'good') return reply;
      throw new Failure('connector_refused', 'the store is\n gone');
    },
    { consumer: { retry_count: 2 } },
  );
  await brokers.send(topic, [{ key: 'k', value: 'bad', headers: { tenant: 'a' } }, { value: 'good' }]);
  expect(await brokers.sent(`${topic}.dlq`, 1)).toEqual([
    {
      partition: 0,
      key: 'k',
      value: 'bad',
      headers: {
        tenant: 'a',
        'x-svc-original-timestamp': expect.stringMatching(/^\d{13}$/),
        'x-svc-topic': topic,
        'x-svc-partition': '0',
        'x-svc-offset': '0',
        'x-last-error': 'the store is gone',
      },
    },
  ]);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 2);
  expect(bodies(opened).toSorted()).toEqual(['bad', 'bad', 'bad', 'good']);
});

test('R-75: messages of one key, of two topics, have their tries each', async () => {
  const brokers = await started();
  const topics = [await brokers.topic(), await brokers.topic()] as const;
  for (const topic of topics) await brokers.create(`${topic}.dlq`);
  const away = () => {
    throw new Failure('connector_refused', 'away');
  };
  const opened = await consuming(brokers, topics[0], away, { consumer: { topics, retry_count: 3, workers: 2 } });
  for (const topic of topics) await brokers.send(topic, [{ key: 'k', value: topic }]);
  for (const topic of topics) await until(async () => (await brokers.committed(`${topics[0]}-group`, topic)) === 1);
  expect(bodies(opened).toSorted()).toEqual(topics.flatMap((topic) => Array(4).fill(topic)).toSorted());
});

test('a dead letter that cannot be sent is not lost: its message keeps its place', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  (brokers.standIn as NonNullable<typeof brokers.standIn>).topics.createsAsked = false;
  const opened = await consuming(
    brokers,
    topic,
    () => {
      throw new Failure('input_invalid', 'wrong');
    },
    { consumer: { retry_count: 0 }, max_reconnects: 1000 },
  );
  await brokers.send(topic, [{ value: 'bad' }]);
  await until(() => opened.taken.length >= 2);
  expect(await brokers.committed(`${topic}-group`, topic)).toBe(0);
  await brokers.create(`${topic}.dlq`);
  expect((await brokers.sent(`${topic}.dlq`, 1)).map(({ value }) => value)).toContain('bad');
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 1);
});

test('what a gate rejects is a dead letter, what it requeues is behind the others, under the same key', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  await brokers.create(`${topic}.dlq`);
  const drop = (policy: Drop['policy']): Drop => ({
    kind: 'drop',
    reason: 'filter',
    policy,
    messageId: '',
    expression: 'false',
  });
  let requeued = 0;
  const opened = await consuming(brokers, topic, ({ input }) => {
    if (input['body'] === 'rejected') return drop('reject');
    return input['body'] === 'later' && requeued++ === 0 ? drop('requeue') : reply;
  });
  await brokers.send(topic, [
    { key: 'a', value: 'rejected' },
    { key: 'b', value: 'later' },
    { key: 'c', value: 'plain' },
  ]);
  await until(() => opened.taken.length === 4);
  expect(opened.taken.slice(1).map(({ body, key, offset }) => [body, key, offset])).toEqual([
    ['later', 'b', 1],
    ['plain', 'c', 2],
    ['later', 'b', 3],
  ]);
  const [letter] = await brokers.sent(`${topic}.dlq`, 1);
  expect([letter?.value, letter?.headers['x-last-error']]).toEqual([
    'rejected',
    expect.stringContaining('turned it away'),
  ]);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 4);
});

test('pulled one at a time: nothing is committed before the message is handled', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  await brokers.send(topic, [{ value: 'a' }, { value: 'b' }]);
  const waiting: (() => void)[] = [];
  const connector = reading(brokers, topic, () => new Promise((resolve) => waiting.push(() => resolve(reply))));
  const { source, taken } = await connector;
  const committed = () => brokers.committed(`${topic}-group`, topic);
  for (const [at, body] of ['a', 'b'].entries()) {
    const { settled: handled } = await (source.events.pull as NonNullable<typeof source.events.pull>)(
      AbortSignal.timeout(10_000),
    );
    await until(() => waiting.length === at + 1);
    expect([taken.map((input) => input['body']).at(-1), await committed()]).toEqual([body, at]);
    waiting[at]?.();
    await handled;
    await until(async () => (await committed()) === at + 1);
  }
});

test('what waits here is bounded while flows take their time', async () => {
  const brokers = await started();
  const topic = await brokers.topic();
  const waiting: (() => void)[] = [];
  const opened = await consuming(brokers, topic, () => new Promise((resolve) => waiting.push(() => resolve(reply))), {
    consumer: { prefetch: 3, workers: 2 },
  });
  await brokers.sendTogether(
    topic,
    Array.from({ length: 300 }, (_, at) => ({ value: `${at}` })),
  );
  await until(() => waiting.length === 2 && opened.connector.source.events.unsettled === 3);
  for (let handled = 0; handled < 300; handled++) {
    await until(() => waiting.length > handled);
    expect(opened.connector.source.events.unsettled).toBeLessThanOrEqual(3);
    waiting[handled]?.();
  }
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 300);
});
