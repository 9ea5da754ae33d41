import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { QueuedMessage } from '../../../foundation/contracts/queue.ts';
import { create } from './connector.ts';
import { copiedHeaders, saidBy } from './copies.ts';
import { partitionedLog } from './spec.ts';
import type { TestBrokers } from './testing/broker.ts';
import { assigned, bodies, cleanups, consuming, never, onEveryGround, reply, started } from './testing/consuming.ts';
import { deskOf } from './testing/desk.ts';

const latin = Buffer.from([0x66, 0xfc, 0x72]);
/** What LongSerializer of Java writes for 200. */
const long = Buffer.from('00000000000000c8', 'hex');

const record = { offset: '0', timestamp: '0', key: null, value: null };

/** Calls a connector that sends to the topic. */
async function sending(brokers: TestBrokers, producer: object, words: object = {}) {
  const config = configured(partitionedLog.config, { brokers: brokers.addresses, producer });
  const connector = create('sender', config, connectorServices());
  cleanups.push(() => connector.close());
  await connector.open(never);
  return connector.target?.prepare({
    verb: 'create',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    words: words as Readonly<Record<string, unknown>>,
  });
}

onEveryGround((start) => {
  test('keys and headers that are not UTF-8 are bytes, and hold nothing up', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.send(topic, [
      { key: 'k1', value: '1' },
      { key: long, value: '2' },
      {
        key: 'k3',
        value: '3',
        headers: { time: long, plain: 'a', ['toString' as string]: 'own', several: ['b', latin, 'c'] },
      },
      { key: latin, value: '4', headers: { 'message-id': latin } },
    ]);
    const opened = await consuming(brokers, topic);
    await until(() => opened.taken.length === 4);
    expect(opened.taken.map(({ key, headers, body }) => ({ key, headers, body }))).toEqual([
      { key: 'k1', headers: {}, body: 1 },
      { key: new Uint8Array(long), headers: {}, body: 2 },
      {
        key: 'k3',
        headers: {
          time: new Uint8Array(long),
          plain: 'a',
          ['toString' as string]: 'own',
          several: ['b', new Uint8Array(latin), 'c'],
        },
        body: 3,
      },
      { key: new Uint8Array(latin), headers: { 'message-id': new Uint8Array(latin) }, body: 4 },
    ]);
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 4);
    expect(opened.lines.filter(({ level, message }) => level === 'warn' && message.includes('unavailable'))).toEqual(
      [],
    );
  });

  test('dead letters of them keep their bytes, can be looked at and are sent back', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.create(`${topic}.dlq`);
    let isWell = false;
    const failing = () => {
      if (isWell) return reply;
      throw new Error('not yet');
    };
    await brokers.send(topic, [{ key: long, value: '2', headers: { time: long, several: [latin, latin] } }]);
    const opened = await consuming(brokers, topic, failing, { consumer: { retry_count: 0 } });
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 1);
    const desk = await deskOf(brokers, topic);
    const [letter] = (await desk.peek('dead', 10, () => true)) as [QueuedMessage];
    expect([letter.key, letter.headers['time'], letter.headers['several']]).toEqual([
      '0x00000000000000c8',
      new Uint8Array(long),
      [new Uint8Array(latin), new Uint8Array(latin)],
    ]);
    expect(await letter.again().input(undefined)).toMatchObject({ key: new Uint8Array(long), body: 2 });
    isWell = true;
    const sent: string[] = [];
    await desk.replay(
      10,
      () => true,
      ({ to }) => sent.push(to),
    );
    await until(() => opened.taken.length === 2);
    expect([sent, opened.taken[1]]).toEqual([
      [topic],
      expect.objectContaining({
        key: new Uint8Array(long),
        headers: {
          time: new Uint8Array(long),
          several: [new Uint8Array(latin), new Uint8Array(latin)],
          'x-replay-count': '1',
        },
      }),
    ]);
  });

  test('a key that is not of `key_format` makes its message alone a dead letter, of which it says why', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.create(`${topic}.dlq`);
    await brokers.send(topic, [
      { key: long, value: '1' },
      { key: 'no number', value: '2' },
      { key: null, value: '3' },
    ]);
    const opened = await consuming(brokers, topic, () => reply, { consumer: { key_format: 'long' } });
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 3);
    expect(opened.taken.map(({ key, body }) => [key, body])).toEqual([
      [200, 1],
      [null, 3],
    ]);
    const [letter] = await brokers.sent(`${topic}.dlq`, 1);
    expect([letter?.key, letter?.headers['x-last-error']]).toEqual([
      'no number',
      expect.stringContaining('key_format = "long"'),
    ]);
  });

  test('keys are sent as `key_format` says, and read again', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    const execute = await sending(brokers, { topic, key_format: 'long' });
    await execute?.({ payload: { n: 1 }, params: { key: 200n } });
    await execute?.({ payload: { n: 2 } });
    await expect(Promise.resolve(execute?.({ payload: {}, params: { key: 'a' } }))).rejects.toMatchObject({
      code: 'value_refused',
    });
    const opened = await consuming(brokers, topic, () => reply, { consumer: { key_format: 'long' } });
    await until(() => opened.taken.length === 2);
    expect(opened.taken.map(({ key, body }) => [key, body])).toEqual([
      [200, { n: 1 }],
      [null, { n: 2 }],
    ]);
  });

  test('with `tombstone` a payload without fields is sent without a value, and read as null', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    const execute = await sending(brokers, { topic }, { tombstone: true });
    const plain = await sending(brokers, { topic });
    await execute?.({ payload: { a: null }, params: { key: 'k' } });
    await execute?.({ params: { key: 'k' } });
    await execute?.({ payload: { a: 1 }, params: { key: 'k' } });
    await plain?.({ payload: { a: null }, params: { key: 'k' } });
    const opened = await consuming(brokers, topic);
    await until(() => opened.taken.length === 4);
    expect(bodies(opened)).toEqual([null, null, { a: 1 }, { a: null }]);
  });
});

/** A batch of two messages (magic 2) which says that it is compressed with gzip, and is not. */
function brokenBatch(): Buffer {
  const records = Buffer.from('this is not compressed');
  const batch = Buffer.alloc(61 + records.length);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(1, 21);
  batch.writeInt32BE(1, 23);
  batch.writeBigInt64BE(BigInt(Date.now()), 27);
  batch.writeBigInt64BE(BigInt(Date.now()), 35);
  batch.writeBigInt64BE(-1n, 43);
  batch.writeInt32BE(2, 57);
  records.copy(batch, 61);
  return batch;
}

test('a batch that cannot be read is one dead letter, and what is around it is handled', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  await brokers.create(`${topic}.dlq`);
  const partition = brokers.standIn?.topics.partition(topic, 0);
  await brokers.send(topic, [{ value: 'before' }]);
  partition?.append(brokenBatch());
  await brokers.send(topic, [{ value: 'behind' }]);
  const opened = await consuming(brokers, topic);
  await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 4);
  expect(bodies(opened)).toEqual(['before', 'behind']);
  const [letter] = await brokers.sent(`${topic}.dlq`, 1);
  expect([letter?.value, letter?.headers['x-svc-offset'], letter?.headers['x-last-error']]).toEqual([
    expect.stringContaining('this is not compressed'),
    '1',
    expect.stringContaining('a batch of 2 messages from offset 1 on cannot be read'),
  ]);
  const desk = await deskOf(brokers, topic, { group_id: 'another' });
  const found = await desk.peek('waiting', 10, () => true);
  expect(found.map(({ position }) => position)).toEqual(['0/0', '0/1', '0/3']);
  await expect(found[1]?.again().input(undefined)).rejects.toThrow(/cannot be read/);
});

test('a header without a value is sent on as an empty one', () => {
  const nothing = null as unknown as Buffer;
  expect(copiedHeaders(saidBy({ ...record, headers: { a: nothing, b: [latin, nothing], c: latin } }))).toMatchObject({
    a: Buffer.alloc(0),
    b: [latin, Buffer.alloc(0)],
    c: latin,
  });
});

test('a batch of which nothing is left is passed over', async () => {
  const brokers = await started({});
  const topic = await brokers.topic();
  const empty = brokenBatch().subarray(0, 61);
  empty.writeInt32BE(empty.length - 12, 8);
  empty.writeInt16BE(0, 21);
  empty.writeInt32BE(0, 57);
  brokers.standIn?.topics.partition(topic, 0)?.append(empty);
  const opened = await consuming(brokers, topic);
  await until(() => assigned(opened) !== undefined);
  await brokers.send(topic, [{ value: 'behind' }]);
  await until(() => opened.taken.length === 1);
  expect(opened.taken[0]?.['offset']).toBe(2);
});
