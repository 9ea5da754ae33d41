import { expect, test } from 'vitest';
import type { FetchedRecord } from '../library.ts';
import { Deliveries } from './deliveries.ts';
import { AssignedPartition } from './partition.ts';

test('any number of messages that end at once are delivered one after another, within the window', () => {
  const count = 50_000;
  const partition = new AssignedPartition('orders', 0, { offset: 0n, isCommitted: false });
  const records = Array.from({ length: count }, (_, at) => ({
    offset: String(at),
    key: null,
    value: Buffer.from('a'),
  }));
  partition.add(records as unknown as FetchedRecord[], BigInt(count));
  const deliveries = new Deliveries(() => undefined);
  deliveries.from([partition]);
  const delivered: string[] = [];
  let most = 0;
  deliveries.to((record, from) => {
    most = Math.max(most, deliveries.underWay);
    delivered.push(record.offset);
    deliveries.ended(from);
  }, 10);
  expect([most, deliveries.underWay]).toEqual([1, 0]);
  expect(delivered).toEqual(records.map(({ offset }) => offset));
});
