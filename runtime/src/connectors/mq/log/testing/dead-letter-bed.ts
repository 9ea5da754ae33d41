import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import type { DeadLetterBed } from '../../../intake/testing/dead-letters.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import type { TestBrokers } from './broker.ts';

const groups = ['billing', 'shipping'] as const;

/** A topic that two groups read, and one for their letters. */
export async function deadLetterBed(start: () => Promise<TestBrokers>): Promise<DeadLetterBed> {
  const brokers = await start();
  const topic = await brokers.topic();
  const dead = `${topic}.dlq`;
  await brokers.create(dead);
  const groupOf = (which: number) => `${topic}-${groups[which]}`;
  return {
    connector: (which, services) => {
      const consumer = { group_id: groupOf(which), topics: [topic], max_wait_time: 100, retry_count: 0 };
      const config = configured(partitionedLog.config, { brokers: brokers.addresses, consumer });
      return create('orders', config, connectorServices(services)) as EventConnector;
    },
    binding: { flow: 'take', operation: undefined, words: {} },
    honoured: [{ timestamp: 1_000_000_000 }, { key: 'one' }, { key: 'one', tenant: 'nord' }],
    publish: async (value, { timestamp, key, ...headers } = {}) => {
      const time = timestamp === undefined ? {} : { timestamp: String(Number(timestamp) * 1_000) };
      const message = { value, headers: headers as Record<string, string>, ...time };
      await brokers.send(topic, [key === undefined ? message : { ...message, key: String(key) }]);
    },
    fieldsOf: ({ timestamp, key, headers }) => ({ timestamp, key, ...(headers as object) }),
    letters: () => brokers.waiting(dead),
    waiting: async () => {
      const [one = 0, two = 0] = await Promise.all([0, 1].map((which) => brokers.waiting(topic, groupOf(which))));
      return one + two;
    },
    take: (isTaking) => brokers.take(dead, isTaking),
    returnsToAll: true,
    close: () => brokers.stop(),
  };
}
