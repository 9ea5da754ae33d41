import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../testing/broker.ts';
import { addressOf } from './address.ts';
import { declareQueue } from './declare.ts';

if (brokerUrl === undefined) console.warn('SKIP  declaring queues: TEST_RABBITMQ_URL names no broker');

const options = () => ({
  address: addressOf({ url: brokerUrl as string } as Parameters<typeof addressOf>[0]),
  tls: undefined,
  product: 'svc',
  connectionName: 'test',
});

test.skipIf(brokerUrl === undefined)(
  'a queue is declared once, and one that exists otherwise is left as it is',
  async () => {
    const queue = await TestQueue.declare({ durable: true, arguments: { 'x-max-length': 10 } });
    expect(await declareQueue(options(), queue.name)).toBe(false);
    await queue.delete();
    const both = await Promise.all([declareQueue(options(), queue.name), declareQueue(options(), queue.name)]);
    expect(both).toContain(true);
    expect(await declareQueue(options(), queue.name)).toBe(false);
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
    await queue.end();
  },
);

test.skipIf(brokerUrl === undefined)('a broker that refuses says why, and nothing hangs', async () => {
  const { address, ...rest } = options();
  const wrong = { ...rest, address: { ...address, password: randomBytes(4).toString('hex') } };
  await expect(declareQueue(wrong, 'any')).rejects.toThrow(/ACCESS.REFUSED/);
});
