import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../observe/clock.ts';
import { memoryLog } from '../../../service/testing/fakes.ts';
import { brokerUrl, TestQueue } from '../testing/broker.ts';
import { type AmqpConfig, addressOf } from './address.ts';
import { declareQueue } from './declare.ts';

if (brokerUrl === undefined) console.warn('SKIP  declaring queues: TEST_RABBITMQ_URL names no broker');

const consumer = {} as AmqpConfig['consumer'];
const options = () => ({
  address: addressOf({ url: brokerUrl } as AmqpConfig),
  tls: undefined,
  heartbeat: 10,
  product: 'svc',
  connectionName: 'test',
  reconnectDelay: 10,
  maxReconnects: 1,
  clock: systemClock,
  log: memoryLog().log,
});
const declare = (queue: string, given = options()) =>
  declareQueue(given, consumer, queue, new AbortController().signal);

test.skipIf(brokerUrl === undefined)(
  'a queue is declared once, and one that exists otherwise is left as it is',
  async () => {
    const queue = await TestQueue.declare({ durable: true, arguments: { 'x-max-length': 10 } });
    expect(await declare(queue.name)).toBe(false);
    await queue.delete();
    const both = await Promise.all([declare(queue.name), declare(queue.name)]);
    expect(both).toContain(true);
    expect(await declare(queue.name)).toBe(false);
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
    await queue.end();
  },
);

test.skipIf(brokerUrl === undefined)('a broker that refuses says why', async () => {
  const given = options();
  const wrong = { ...given, address: { ...given.address, password: randomBytes(4).toString('hex') } };
  await expect(declare('any', wrong)).rejects.toThrow(/ACCESS.REFUSED/);
});
