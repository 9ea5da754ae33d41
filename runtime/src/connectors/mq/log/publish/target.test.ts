import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { errors } from '../../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { CallDescription } from '../../../../foundation/contracts/target.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { kafkaUrl, TestBrokers } from '../testing/broker.ts';
import { bodies, cleanups, consuming, never, started } from '../testing/consuming.ts';

type Written = Readonly<Record<string, unknown>>;

/** A connector that sends, and a call of it. */
async function sending(brokers: TestBrokers, producer: Written = {}, call: Partial<CallDescription> = {}) {
  const config = configured(partitionedLog.config, { brokers: brokers.addresses, producer });
  const connector = create('orders', config, connectorServices());
  cleanups.push(() => connector.close(AbortSignal.abort()));
  await connector.open(never);
  const prepare = (over: Partial<CallDescription> = {}) =>
    (connector.target as NonNullable<typeof connector.target>).prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
      ...call,
      ...over,
    });
  return { connector, prepare, execute: prepare() };
}

const standInOf = ({ standIn }: TestBrokers) => standIn as NonNullable<typeof standIn>;

describe('a message that is sent', () => {
  test('has the payload as its value, a UUID as id and key, and the trace it belongs to', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await execute({ payload: { order: 1 }, traceparent })).toEqual({ rows: [{ order: 1 }], affected: 1 });
    const [message] = await brokers.sent(topic, 1);
    const id = message?.headers['message-id'];
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(message).toEqual({
      partition: 0,
      key: id,
      value: '{"order":1}',
      headers: { 'message-id': id, traceparent },
    });
  });

  test('has the key, the partition and the headers of `params`', async () => {
    const brokers = await started();
    const topic = await brokers.topic(4);
    const { execute } = await sending(brokers, {}, { target: topic });
    const headers = { tenant: 'a', count: 5n, gone: null, object: { a: 1n } };
    await execute({ payload: {}, params: { key: 'k', partition: 3n, headers } });
    await execute({ payload: {}, params: { key: null, partition: 2 } });
    await execute({ payload: {}, params: { key: 7n, partition: 1 } });
    const sent = await brokers.sent(topic, 3);
    const shown = sent.map(({ partition, key, headers: { 'message-id': _, ...rest } }) => [partition, key, rest]);
    expect(shown.toSorted()).toEqual([
      [1, '7', {}],
      [2, null, {}],
      [3, 'k', { tenant: 'a', count: '5', object: '{"a":1}' }],
    ]);
  });

  test.each([
    [{ key: { a: 1 } }, 'params.key'],
    [{ partition: -1 }, 'params.partition'],
    [{ partition: 'one' }, 'params.partition'],
    [{ headers: 'a' }, 'params.headers'],
  ])('is refused with params that mean nothing: %j', async (params, name) => {
    const brokers = await started();
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic });
    await expect(execute({ payload: {}, params })).rejects.toMatchObject({
      code: 'value_refused',
      message: expect.stringContaining(name),
    });
    const [parameter] = Object.entries(params) as [[string, unknown]];
    const check = partitionedLog.target?.parameters?.('PUBLISH', undefined)?.check;
    expect(check?.(...parameter)).toMatch(/must be/);
  });

  test.skipIf(kafkaUrl === undefined)(
    'without a key never passes to a compacted topic, and one with a key does',
    async () => {
      const brokers = await TestBrokers.real();
      cleanups.push(() => brokers.stop());
      const topic = await brokers.topic();
      await brokers.compact(topic);
      const { execute } = await sending(brokers, { topic });
      await expect(execute({ payload: { n: 1 }, params: { key: null } })).rejects.toMatchObject({
        code: 'connector_failed',
        retriable: false,
        message: expect.stringMatching(/INVALID_RECORD.*compact.*params\.key/),
      });
      await execute({ payload: { n: 2 }, params: { key: 'k' } });
      expect((await brokers.sent(topic, 1)).map(({ key, value }) => [key, value])).toEqual([['k', '{"n":2}']]);
    },
  );

  test('goes to the topic of the flow, of the named operation, else of the producer; without one it is refused', async () => {
    const brokers = await started();
    const [own, named, standard] = [await brokers.topic(), await brokers.topic(), await brokers.topic()];
    const { prepare } = await sending(brokers, { topic: standard });
    await prepare({ target: own, named: { queue: named } })({ payload: { to: 'own' } });
    await prepare({ named: { queue: named } })({ payload: { to: 'named' } });
    await prepare()({ payload: { to: 'standard' } });
    await prepare()({ target: own, payload: { to: 'own' } });
    const values = async (topic: string, count: number) => (await brokers.sent(topic, count)).map(({ value }) => value);
    expect(await values(own, 2)).toEqual(['{"to":"own"}', '{"to":"own"}']);
    expect([await values(named, 1), await values(standard, 1)]).toEqual([['{"to":"named"}'], ['{"to":"standard"}']]);
    const { execute } = await sending(brokers);
    await expect(execute({ payload: {} })).rejects.toMatchObject({ code: 'filter_missing' });
    await expect(execute({ target: '../x', payload: {} })).rejects.toMatchObject({ code: 'value_refused' });
  });

  test('is written in the format that the flow names', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic }, { words: { format: 'xml' } });
    await execute({ payload: { order: { id: 1 } } });
    expect((await brokers.sent(topic, 1)).map(({ value }) => value)).toEqual([expect.stringContaining('<id>1</id>')]);
  });
});

describe('messages that are sent', () => {
  test('those of one tick go together, in their order', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, linger_ms: 0 });
    await Promise.all(Array.from({ length: 50 }, (_, at) => execute({ payload: { at }, params: { key: 'k' } })));
    const partition = standInOf(brokers).topics.partition(topic, 0);
    expect(partition?.sizes).toEqual([50]);
    const values = (await brokers.sent(topic, 50)).map(({ value }) => value);
    expect(values).toEqual(Array.from({ length: 50 }, (_, at) => `{"at":${at}}`));
  });

  test('R-09: wait for others for `linger_ms`, unless `batch_size` bytes wait already', async () => {
    const brokers = await started({});
    const [slow, full] = [await brokers.topic(), await brokers.topic()];
    const { prepare } = await sending(brokers, { linger_ms: 60_000, batch_size: 1_000, timeout: 120_000 });
    const [toSlow, toFull] = [prepare({ target: slow }), prepare({ target: full })];
    const lonely = toSlow({ payload: { a: 1 } }) as Promise<unknown>;
    await Promise.all([toFull({ payload: { a: 'x'.repeat(600) } }), toFull({ payload: { a: 'x'.repeat(600) } })]);
    expect(standInOf(brokers).topics.partition(full, 0)?.sizes).toEqual([2]);
    expect(standInOf(brokers).topics.partition(slow, 0)?.sizes).toEqual([]);
    lonely.catch(() => undefined);
  });

  test.each([
    ['none', 0],
    ['gzip', 1],
    ['snappy', 2],
    ['lz4', 3],
    ['zstd', 4],
  ])('are compressed as `compression` says, and read again: %s', async (compression, number) => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, compression });
    const text = 'many words '.repeat(500);
    await execute({ payload: { text } });
    expect(standInOf(brokers).topics.partition(topic, 0)?.compressions).toEqual([number]);
    const opened = await consuming(brokers, topic);
    await until(() => opened.taken.length === 1);
    expect(bodies(opened)).toEqual([{ text }]);
  });

  test.each([
    ['all', -1],
    ['leader', 1],
    ['none', 0],
  ])('count as sent when those have them whom `acks` names: %s', async (acks, number) => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, acks });
    await execute({ payload: {} });
    await until(() => standInOf(brokers).acks.length > 0);
    expect(standInOf(brokers).acks).toEqual([number]);
  });

  test('are tried again as often as `retries` says', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, retries: 2 });
    standInOf(brokers).fail('produce', errors.notEnoughReplicas, 2);
    await execute({ payload: { a: 1 } });
    const { execute: once } = await sending(brokers, { topic, retries: 0 });
    standInOf(brokers).fail('produce', errors.notEnoughReplicas, 1);
    await expect(once({ payload: { a: 2 } })).rejects.toMatchObject({ code: 'connector_failed', retriable: true });
    expect((await brokers.sent(topic, 1)).map(({ value }) => value)).toEqual(['{"a":1}']);
  });

  test('one that brokers will never take is refused for good, and takes no other along', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, linger_ms: 0 });
    const tooLarge = 10;
    standInOf(brokers).fail('produce', tooLarge, 2);
    const [first, second] = await Promise.allSettled([execute({ payload: { a: 1 } }), execute({ payload: { a: 2 } })]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'body_too_large', retriable: false } });
    expect(second.status).toBe('fulfilled');
  });

  test('longest wait is that of `timeout`', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const { execute } = await sending(brokers, { topic, timeout: 200 });
    const release = standInOf(brokers).hold('produce');
    await expect(execute({ payload: {} })).rejects.toMatchObject({
      code: 'connector_timeout',
      message: expect.stringContaining('0.2 s'),
    });
    release();
  });
});
