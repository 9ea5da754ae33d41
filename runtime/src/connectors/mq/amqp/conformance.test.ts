import { describe } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { type EventConnector, eventSourceConformance, type SourceBed } from '../../../intake/testing/conformance.ts';
import { systemClock } from '../../../observe/clock.ts';
import { brokerUrl, TestQueue } from '../testing/broker.ts';
import { create } from './connector.ts';
import { amqp } from './spec.ts';

describe.skipIf(brokerUrl === undefined)('amqp_broker', () => {
  eventSourceConformance('amqp_broker', bed);
});

async function bed(): Promise<SourceBed> {
  const queue = await TestQueue.declare();
  const { hostname, port } = new URL(brokerUrl as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
  const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
  // Pauses take a hundredth of their time.
  const clock = {
    ...systemClock,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      systemClock.sleep(milliseconds > 150 ? milliseconds / 100 : milliseconds, signal),
  };
  return {
    connector: ({ workers }) => {
      const config = configured(amqp.config, {
        url,
        reconnect_delay: 200,
        max_reconnects: 1000,
        consumer: { queue: queue.name, workers },
      });
      return create('orders', config, connectorServices({ clock })) as EventConnector;
    },
    binding: { flow: 'order', operation: undefined, format: undefined },
    publish: (bodies) => queue.publish(bodies),
    textOf: ({ body }) => body,
    cut: () => proxy.reset(),
    close: async () => {
      await proxy.close();
      await queue.end();
    },
  };
}
