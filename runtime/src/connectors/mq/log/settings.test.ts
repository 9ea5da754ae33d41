import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { create } from './connector.ts';
import { partitionedLog } from './spec.ts';
import type { TestBrokers } from './testing/broker.ts';
import { assigned, bodies, cleanups, consuming, hang, never, reply, started, written } from './testing/consuming.ts';

const away = () => new Failure('connector_refused', 'the database is unavailable');
const standInOf = ({ standIn }: TestBrokers) => standIn as NonNullable<typeof standIn>;

describe('what is written of a consumer', () => {
  test('is where the brokers are, and what they call this client', async () => {
    const brokers = await started({ brokers: 2 });
    const topic = await brokers.topic();
    // Several may be in one text, and one that is unavailable is passed over.
    const list = [`127.0.0.1:1, ${brokers.addresses[1]}`];
    const opened = await consuming(brokers, topic, () => reply, { brokers: list, client_id: 'shop' });
    await brokers.send(topic, [{ value: 'a' }]);
    await until(() => opened.taken.length === 1);
    expect([...standInOf(brokers).clients].sort()).toEqual(['shop', 'svc-tests']);
    const nowhere = consuming(brokers, topic, () => reply, { brokers: ['127.0.0.1:1'] });
    await expect(nowhere).rejects.toThrow(/127\.0\.0\.1:1 .*ECONNREFUSED/);
  });

  test('is which group reads which topics', async () => {
    const brokers = await started();
    const [one, other] = [await brokers.topic(), await brokers.topic()];
    const consumer = { group_id: `${one}-both`, topics: [one, other] };
    const opened = await consuming(brokers, one, () => reply, { consumer }, [one, '*']);
    await brokers.send(one, [{ value: 'a' }]);
    await brokers.send(other, [{ value: 'b' }]);
    await until(() => opened.taken.length === 2);
    expect(bodies(opened).toSorted()).toEqual(['a', 'b']);
    await until(async () => (await brokers.committed(`${one}-both`, other)) === 1);
    expect(opened.connector.source.events.name).toBe(`${one},${other}`);
  });

  test.each([
    ['earliest', ['old', 'late', 'new']],
    ['latest', ['new']],
    ['1', ['late', 'new']],
    ['2026-01-01T00:00:00Z', ['late', 'new']],
  ])('is where a group without offsets begins: %s', async (offset, expected) => {
    const brokers = await started({});
    const topic = await brokers.topic();
    await brokers.send(topic, [
      { value: 'old', timestamp: String(Date.parse('2025-12-31T23:59:59Z')) },
      { value: 'late', timestamp: String(Date.parse('2026-01-01T00:00:00Z')) },
    ]);
    const opened = await consuming(brokers, topic, () => reply, { consumer: { offset } });
    await until(() => assigned(opened) !== undefined);
    await brokers.send(topic, [{ value: 'new' }]);
    await until(() => bodies(opened).includes('new'));
    expect(bodies(opened)).toEqual(expected);
  });

  test('is whether messages count as done before their flows, which is warned of', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    await brokers.send(topic, [{ value: 'a' }]);
    const before = await consuming(brokers, topic, hang, {
      consumer: { auto_commit: true },
    });
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 1);
    const warnings = before.lines.filter(({ message }) => message.includes('auto_commit = true'));
    expect(warnings.map(({ level }) => level)).toEqual(['warn']);
    await before.connector.close(AbortSignal.abort());
    const after = await consuming(brokers, topic, hang, {
      consumer: { group_id: `${topic}-after` },
    });
    await until(() => after.taken.length === 1);
    expect(await brokers.committed(`${topic}-after`, topic)).toBeLessThanOrEqual(0);
    await after.connector.close(AbortSignal.abort());
  });

  test.each([1, 3])('is how many messages are handled at the same time, and how many are held: %i', async (count) => {
    const brokers = await started();
    const topic = await brokers.topic();
    const opened = await consuming(brokers, topic, hang, { consumer: { workers: count, prefetch: count + 1 } });
    await brokers.sendTogether(
      topic,
      Array.from({ length: 10 }, (_, at) => ({ key: `k${at}`, value: `${at}` })),
    );
    await until(() => opened.connector.source.events.unsettled === count + 1);
    expect(opened.taken.length).toBe(count);
    await opened.connector.close(AbortSignal.abort());
  });

  test('is how often a failed message is tried, and where it goes then', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    const tries = async (consumer: object) => {
      const group = { group_id: `${topic}-${JSON.stringify(consumer).length}`, ...consumer };
      const opened = await consuming(
        brokers,
        topic,
        () => {
          throw away();
        },
        { consumer: group },
      );
      await until(async () => (await brokers.committed(group.group_id, topic)) === 1);
      return opened.taken.length;
    };
    await brokers.create(`${topic}.dlq`);
    await brokers.create(`${topic}-dead`);
    await brokers.send(topic, [{ value: 'bad' }]);
    expect(await tries({ retry_count: 1 })).toBe(2);
    expect(await tries({ dlq: { max_retries: 0, topic: `${topic}-dead` } })).toBe(1);
    expect((await brokers.sent(`${topic}.dlq`, 1)).length).toBe(1);
    expect((await brokers.sent(`${topic}-dead`, 1)).length).toBe(1);
  });

  test('is whether messages are given up at all', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    const opened = await consuming(
      brokers,
      topic,
      ({ input }) => {
        if (input['body'] === 'bad') throw away();
        return reply;
      },
      { consumer: { dlq: { enabled: false } } },
    );
    await brokers.send(topic, [{ value: 'bad' }, { value: 'good' }]);
    await until(() => bodies(opened).filter((body) => body === 'bad').length > 5);
    expect(bodies(opened)).toContain('good');
    expect(await brokers.committed(`${topic}-group`, topic)).toBe(0);
  });

  test('is whether topics that do not exist are created', async () => {
    const brokers = await started({});
    const missing = 'missing-orders';
    await expect(consuming(brokers, missing)).rejects.toThrow(
      /topic "missing-orders" does not exist in the cluster: .*create_if_missing = true/,
    );
    const opened = await consuming(brokers, missing, () => reply, { consumer: { create_if_missing: true } });
    await brokers.send(missing, [{ value: 'a' }]);
    await until(() => opened.taken.length === 1);
    expect(standInOf(brokers).topics.names.toSorted()).toEqual([missing, `${missing}.dlq`]);
  });

  test('a topic that would keep the last dead letter of each key alone ends the start', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    await brokers.create(`${topic}.dlq`);
    await brokers.compact(`${topic}.dlq`);
    await expect(consuming(brokers, topic)).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringContaining(`the topic "${topic}.dlq" of dead letters keeps the last one of each key alone`),
    });
  });

  test('a topic for dead letters that does not exist is warned of', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const opened = await consuming(brokers, topic);
    const warnings = opened.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(warnings).toEqual([{ topic: `${topic}.dlq` }]);
  });

  test('is how much a broker answers with, and how long it waits for more', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const consumer = { min_bytes: 1_000_000, max_bytes: 1024, max_wait_time: 400 };
    const began = performance.now();
    await consuming(brokers, topic, () => reply, { consumer });
    await until(() => standInOf(brokers).fetched.length > 1);
    expect(performance.now() - began).toBeGreaterThan(350);
    const [asked] = standInOf(brokers).fetched;
    expect(asked).toEqual({ wait: 400, least: 1_000_000, most: 1024 });
  });

  test('is how long the coordinator waits for members', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const consumer = { session_timeout: 7_000, rebalance_timeout: 9_000 };
    const opened = await consuming(brokers, topic, () => reply, { consumer });
    await until(() => assigned(opened) !== undefined);
    expect(standInOf(brokers).groups.get(`${topic}-group`)?.timeouts).toEqual({ session: 7_000, rebalance: 9_000 });
  });

  test('is how long it waits before it connects again, and how often it tries', async () => {
    const brokers = await started({});
    const topic = await brokers.topic();
    const slept: number[] = [];
    const { clock } = connectorServices();
    const sleep = async (milliseconds: number) => void slept.push(milliseconds);
    const log = recordingLog();
    const connector = create(
      'orders',
      written(brokers, topic, { reconnect_delay: 700, max_reconnects: 2 }),
      connectorServices({ log, clock: { ...clock, sleep } }),
    );
    cleanups.push(() => connector.close(AbortSignal.abort()));
    const binding = { flow: 'f', operation: undefined, words: {}, deliver: () => reply };
    const flows = connector.source?.bind([binding]);
    await flows?.prepare();
    await connector.open(never);
    flows?.use();
    await connector.source?.start();
    await standInOf(brokers).stop();
    await until(() => log.lines.some(({ level }) => level === 'error'));
    const pauses = slept.filter((pause) => pause >= 560 && pause <= 840);
    expect(pauses.length).toBe(2);
  });

  test('a connector without a consumer block takes nothing, and sends', async () => {
    const brokers = await started();
    const topic = await brokers.topic();
    const config = configured(partitionedLog.config, { brokers: brokers.addresses });
    const connector = create('orders', config, connectorServices());
    cleanups.push(() => connector.close());
    await connector.open(never);
    expect([connector.source, partitionedLog.source?.checkConfig?.({})]).toEqual([
      undefined,
      expect.stringContaining('no `consumer` block'),
    ]);
    const call = { verb: 'create', operation: undefined, target: topic, query: undefined, timeout: undefined } as const;
    const execute = connector.target?.prepare({ ...call, exact: false, flow: 'f', label: 'to' });
    await execute?.({ payload: { a: 1 } });
    expect((await brokers.sent(topic, 1)).map(({ value }) => value)).toEqual(['{"a":1}']);
  });
});
