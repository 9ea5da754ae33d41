import { connect } from 'amqplib';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import type { DeadLetterBed } from '../../intake/testing/dead-letters.ts';
import { create } from '../amqp/connector.ts';
import { amqp } from '../amqp/spec.ts';
import { brokerUrl, TestQueue } from './broker.ts';

/** Two queues whose letters come to one. */
export async function deadLetterBed(): Promise<DeadLetterBed> {
  const place = await TestQueue.named();
  const { name } = place;
  const queues = [`${name}.one`, `${name}.two`] as const;
  const [exchange, letters] = [`${name}.dlx`, `${name}.dlq`];
  const model = await connect(brokerUrl as string);
  const channel = await model.createConfirmChannel();
  const { queue: other } = await channel.assertQueue('', { exclusive: true });
  const count = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
  const connectors: EventConnector[] = [];
  return {
    connector: (which, services) => {
      const dlq = { max_retries: 0, exchange, queue: letters };
      const consumer = { queue: queues[which], create_if_missing: true, dlq };
      const config = configured(amqp.config, { url: brokerUrl, consumer });
      const connector = create('orders', config, connectorServices(services)) as EventConnector;
      connectors.push(connector);
      return connector;
    },
    binding: { flow: 'take', operation: undefined, words: {} },
    honoured: [
      { CC: [other] },
      { expiration: '60000' },
      { priority: 4 },
      { user_id: 'guest' },
      { 'x-deduplication-header': 'one', 'x-delivery-count': 1 },
      { message_id: 'one' },
    ],
    publish: async (body, honoured = {}) => {
      const { expiration, priority, user_id: userId, message_id: messageId, ...headers } = honoured;
      const options = { expiration, priority, userId, messageId, headers } as object;
      for (const queue of queues) channel.sendToQueue(queue, Buffer.from(body), options);
      await channel.waitForConfirms();
    },
    fieldsOf: ({ headers, properties }) => ({ ...(headers as object), ...(properties as object) }),
    letters: () => count(letters),
    waiting: async () => {
      const ready = (await Promise.all(queues.map(count))).reduce((sum, each) => sum + each, 0);
      return connectors.reduce((sum, { source }) => sum + source.events.unsettled, ready);
    },
    take: async (isTaking) => {
      if (isTaking) await channel.bindQueue(letters, exchange, '');
      else await channel.unbindQueue(letters, exchange, '');
    },
    returnsToAll: false,
    close: async () => {
      for (const queue of [...queues, letters]) await channel.deleteQueue(queue);
      await channel.deleteExchange(exchange);
      await model.close();
      await place.end();
    },
  };
}
