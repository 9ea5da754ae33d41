import { configured } from '../../../../../../test/support/configured.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { TestBrokers } from './broker.ts';
import { proxyBefore } from './source-bed.ts';

const password = 'wide-open-password';

/** Brokers for calls: the stand-in has a user. */
export const targetGrounds = {
  'the stand-in': () => TestBrokers.start({ partitions: 1, users: [{ name: 'app', password }] }),
  Kafka: () => TestBrokers.real(),
} as const;

/** Topics of their own on a broker behind a proxy. */
export async function targetBed(ground: keyof typeof targetGrounds): Promise<TargetBed> {
  const brokers = await targetGrounds[ground]();
  const proxy = await proxyBefore(brokers);
  const [topic, held] = [await brokers.topic(), await brokers.topic()];
  const credentials = brokers.standIn === undefined ? {} : { sasl: { username: 'app', password } };
  let before = 0;
  return {
    spec: partitionedLog,
    connector: (services) => {
      const written = {
        brokers: [`127.0.0.1:${proxy.port}`],
        ...credentials,
        producer: { topic, timeout: 3_000, linger_ms: 0 },
      };
      return create('orders', configured(partitionedLog.config, written), services) as TargetConnector;
    },
    call: { verb: 'create', operation: 'PUBLISH' },
    echo: async (execute, text) => {
      const { rows } = await execute({ payload: { text } });
      return rows?.[0]?.['text'];
    },
    stuck: {
      call: { verb: 'create', operation: 'PUBLISH', target: held },
      request: { payload: { text: 'held' } },
      hold: async () => {
        before = proxy.sends;
        proxy.fault = 'hold';
      },
      begun: () => proxy.sends > before,
      release: () => {
        proxy.fault = 'pass';
      },
      isLeft: () => false,
    },
    proxy,
    malformed: ['POST /orders', 'SELECT *', '{}'],
    secrets: [password, Buffer.from(password).toString('base64')],
    close: async () => {
      await proxy.close();
      await brokers.stop();
    },
  };
}
