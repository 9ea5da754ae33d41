import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { create } from '../amqp/connector.ts';
import { amqp } from '../amqp/spec.ts';
import { brokerUrl, TestQueue } from './broker.ts';

/** A queue of its own on the broker of the tests, and connectors that reach it through a proxy. */
export async function queueBed(): Promise<SourceBed & { readonly proxy: FaultProxy }> {
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
    spec: amqp,
    config: {},
    proxy,
    connector: ({ workers }) => {
      const config = configured(amqp.config, {
        url,
        reconnect_delay: 200,
        max_reconnects: 1000,
        consumer: { queue: queue.name, workers },
      });
      return create('orders', config, connectorServices({ clock })) as EventConnector;
    },
    binding: { flow: 'order', operation: undefined, words: {} },
    publish: (bodies) => queue.publish(bodies),
    textOf: ({ body }) => body,
    cut: () => proxy.reset(),
    close: async () => {
      await proxy.close();
      await queue.end();
    },
  };
}
