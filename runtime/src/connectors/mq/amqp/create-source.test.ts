import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { brokerUrl, TestQueue } from '../testing/broker.ts';
import { create } from './connector.ts';
import { amqp } from './spec.ts';

if (brokerUrl === undefined) console.warn('SKIP  declaring queues: TEST_RABBITMQ_URL names no broker');

const declare = (queue: string, written: Record<string, unknown> = {}) => {
  const config = configured(amqp.config, { url: brokerUrl, ...written, consumer: { queue } });
  return create('orders', config, connectorServices()).createSource?.(new AbortController().signal);
};

test.skipIf(brokerUrl === undefined)(
  'a queue is declared once, and one that exists otherwise is left as it is',
  async () => {
    const queue = await TestQueue.declare({ durable: true, arguments: { 'x-max-length': 10 } });
    expect(await declare(queue.name)).toBeUndefined();
    await queue.delete();
    const both = await Promise.all([declare(queue.name), declare(queue.name)]);
    expect(both).toContain(`queue "${queue.name}"`);
    expect(await declare(queue.name)).toBeUndefined();
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
    await queue.end();
  },
);

test.skipIf(brokerUrl === undefined)('a broker that refuses says why', async () => {
  const url = (brokerUrl as string).replace(/:[^:@]*@/, `:${randomBytes(4).toString('hex')}@`);
  await expect(declare('any', { url })).rejects.toThrow(/ACCESS.REFUSED/);
});
