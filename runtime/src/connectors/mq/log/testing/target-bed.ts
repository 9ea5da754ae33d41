import { configured } from '../../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { TestBrokers, testClient } from './broker.ts';

const password = 'wide-open-password';

/** A broker with a user, behind a proxy. */
export async function targetBed(): Promise<TargetBed> {
  const brokers = await TestBrokers.start({ partitions: 1, users: [{ name: 'app', password }] });
  const standIn = brokers.standIn as NonNullable<typeof brokers.standIn>;
  const proxy = await faultProxy({ port: standIn.port() });
  standIn.advertisedPort = (_, client) => (client === testClient ? undefined : proxy.port);
  let release = () => undefined as void;
  let before = 0;
  return {
    spec: partitionedLog,
    connector: (services) => {
      const written = {
        brokers: [`127.0.0.1:${proxy.port}`],
        sasl: { username: 'app', password },
        producer: { topic: 'echo', timeout: 3_000, linger_ms: 0 },
      };
      return create('orders', configured(partitionedLog.config, written), services) as TargetConnector;
    },
    call: { verb: 'create', operation: 'PUBLISH' },
    echo: async (execute, text) => {
      const { rows } = await execute({ payload: { text } });
      return rows?.[0]?.['text'];
    },
    stuck: {
      call: { verb: 'create', operation: 'PUBLISH', target: 'held' },
      request: { payload: { text: 'held' } },
      hold: async () => {
        before = standIn.count('produce');
        release = standIn.hold('produce');
      },
      begun: () => standIn.count('produce') > before,
      release: () => release(),
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
