import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { MemorySyncStore } from '../../../../platform/sync/memory/store.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Call, serve, type TestOptions } from '../../../plan/testing/service.ts';
import { numberOf } from './number.ts';

const flow = (guard = '', rest = '') => `flow "f" {
  from {
    connector = "events"
    operation = "stock"
  }
  sequence_guard {
    key      = "'stock:' + input.sku"
    sequence = "input.revision ?? 'none'"
    ${guard}
    storage { driver = "memory" }
  }
  ${rest}
  to {
    connector = "db"
    target    = "stock"
  }
}`;

async function begin(configuration = flow(), options: TestOptions = {}) {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  const service = await serve(configuration, { clock, shared: { 'sync:memory': store }, ...options });
  const deliver = async (revision: unknown, sku = 'a') => service.deliver('f', { sku, revision });
  const deliverInput = async (input: Record<string, unknown>) => service.deliver('f', input);
  return { ...service, clock, store, deliver, deliverInput };
}

const reply = { kind: 'reply' };
const older = (policy = 'ack') => ({
  kind: 'drop',
  reason: 'sequence_older',
  policy,
  expression: "input.revision ?? 'none'",
});

describe('a sequence guard', () => {
  test('lets only newer messages of a key pass', async () => {
    const { deliver, calls } = await begin();
    expect(await deliver(2)).toMatchObject(reply);
    expect(await deliver(2)).toMatchObject(older());
    expect(await deliver(1)).toMatchObject(older());
    expect(await deliver(1, 'b')).toMatchObject(reply);
    expect(await deliver('3')).toMatchObject(reply);
    expect(calls.map(({ payload }) => [payload?.['sku'], payload?.['revision']])).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', '3'],
    ]);
  });

  test('R-35: shows what was compared', async () => {
    const { deliver } = await begin(flow('on_older = "requeue"'));
    await deliver(5);
    const drop = await deliver(4);
    expect(drop).toMatchObject(older('requeue'));
    expect(drop.kind === 'drop' && drop.values?.()).toEqual({ key: 'stock:a', sequence: 4n, stored: 5n });
  });

  test('a message without a number counts as 0, so only the first of them passes', async () => {
    const { deliver } = await begin();
    expect(await deliver(undefined)).toMatchObject(reply);
    expect(await deliver('x')).toMatchObject(older());
  });

  test.each(['input.revision', "input['revision']", "input.body['revision']", 'input.list[1]'])(
    'a path that does not exist counts as 0: %s',
    async (path) => {
      const { deliverInput } = await begin(flow().replace("input.revision ?? 'none'", path));
      const message = { sku: 'a', body: {}, list: [] };
      expect(await deliverInput(message)).toMatchObject(reply);
      expect(await deliverInput(message)).toMatchObject({ kind: 'drop', reason: 'sequence_older' });
    },
  );

  test('a number whose computation fails does not count as absent', async () => {
    const { deliver } = await begin(flow().replace("input.revision ?? 'none'", 'int(input.revision)'));
    await expect(deliver('x')).rejects.toMatchObject({ code: 'expression_failed', kind: { status: 500 } });
  });

  test('keeps the number only when the flow has succeeded', async () => {
    let fails = true;
    const answer = () => {
      if (fails) throw new Failure('connector_refused', 'no response');
      return { affected: 1 };
    };
    const { deliver } = await begin(flow(), { answer });
    await expect(deliver(7)).rejects.toMatchObject({ code: 'connector_refused' });
    fails = false;
    expect(await deliver(7)).toMatchObject(reply);
    expect(await deliver(7)).toMatchObject(older());
  });

  test('never lowers a number that another message raised meanwhile', async () => {
    const waiting: (() => void)[] = [];
    const answer = (call: Call) =>
      call.payload?.['revision'] === 1
        ? new Promise<{ affected: number }>((resolve) => void waiting.push(() => resolve({ affected: 1 })))
        : { affected: 1 };
    const { deliver, store } = await begin(flow(), { answer });
    const slow = deliver(1);
    await expect.poll(() => waiting.length).toBe(1);
    await deliver(9);
    waiting[0]?.();
    await slow;
    expect(await store.sequence('stock:a')).toBe(9n);
  });

  test('a number expires when its time is over', async () => {
    const { deliver, clock } = await begin(flow('ttl = "1h"'));
    await deliver(3);
    await clock.pass(3_600_001);
    expect(await deliver(1)).toMatchObject(reply);
  });

  test('S-96, R-16: a key that cannot be determined, and an unavailable store, refuse', async () => {
    const { deliver, calls, store } = await begin(flow().replace('input.sku"', 'input.nothing"'));
    await expect(deliver(1)).rejects.toMatchObject({ code: 'expression_failed', retriable: false });
    const away = new MemorySyncStore(new ManualClock());
    away.sequence = () => {
      throw new Failure('store_unavailable', 'connection refused');
    };
    const other = await begin(flow(), { shared: { 'sync:memory': away } });
    await expect(other.deliver(1)).rejects.toMatchObject({ code: 'store_unavailable', kind: { status: 503 } });
    expect([calls, other.calls, await store.sequence('stock:a')]).toEqual([[], [], undefined]);
  });

  test('a number that cannot be kept is logged, and the effect of the flow remains', async () => {
    const { deliver, store, log } = await begin();
    store.raiseSequence = () => {
      throw new Failure('store_unavailable', 'connection refused');
    };
    expect(await deliver(1)).toMatchObject(reply);
    expect(log.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'the number of a message was not kept',
        fields: { flow: 'f', key: 'stock:a', code: 'store_unavailable', error: 'connection refused' },
      },
    ]);
  });
});

test.each([
  [5n, 5n],
  [5.9, 5n],
  ['-12', -12n],
  [' 7 ', 7n],
  ['9223372036854775808', 2n ** 63n - 1n],
  ['7.5', 0n],
  [null, 0n],
  [true, 0n],
  [Number.NaN, 0n],
  [['1'], 0n],
])('%s is the number %s', (value, number) => {
  expect(numberOf(value)).toBe(number);
});
