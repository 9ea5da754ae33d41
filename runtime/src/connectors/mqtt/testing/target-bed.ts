import { randomBytes } from 'node:crypto';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { mqtt } from '../spec.ts';
import { brokerClient, mqttUrl } from './bed.ts';
import { gate } from './gate.ts';

/** Bytes of an acknowledgement of quality of service 1. */
const acknowledgement = 4;

/** Connectors that publish to a topic of the broker of the tests, to which a client is subscribed. */
export async function targetBed(settings: Record<string, unknown> = {}): Promise<TargetBed> {
  const topic = `svc-test-${randomBytes(6).toString('hex')}/commands`;
  const { hostname: host, port } = new URL(mqttUrl as string);
  const held = await gate({ host, port: Number(port || 1883) });
  const proxy = await faultProxy({ port: held.port });
  const receiver = await brokerClient();
  const received: string[] = [];
  receiver.on('message', (_, payload) => void received.push(payload.toString()));
  await receiver.subscribeAsync(topic, { qos: 2 });
  const broker = `tcp://app:canary-secret@127.0.0.1:${proxy.port}`;
  return {
    spec: mqtt,
    connector: (services) =>
      create(
        'plant',
        configured(mqtt.config, { broker, qos: 1, max_reconnect_interval: 20, ...settings }),
        services,
      ) as TargetConnector,
    call: { verb: 'create', operation: 'PUBLISH', target: topic },
    echo: async (execute, text) => {
      await execute({ payload: { text } });
      const sent = JSON.stringify({ text });
      await until(() => received.includes(sent));
      return text;
    },
    stuck: {
      call: { verb: 'create', operation: 'PUBLISH', target: topic },
      request: { payload: { text: 'stuck' } },
      hold: async () => held.hold(),
      // The broker has answered all of them, and none of its answers has arrived.
      begun: () => held.kept >= 12 * acknowledgement,
      release: () => held.release(),
      isLeft: () => false,
    },
    proxy,
    malformed: ['SUBSCRIBE', 'SELECT', 'DELETE'],
    secrets: ['canary-secret'],
    close: async () => {
      await receiver.endAsync();
      await proxy.close();
      await held.close();
    },
  };
}
