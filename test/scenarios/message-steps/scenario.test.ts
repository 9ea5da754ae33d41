import { randomBytes } from 'node:crypto';
import type { IPublishPacket } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaUrl, TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { mqttUrl, newestClient } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

describe.skipIf(kafkaUrl === undefined || mqttUrl === undefined)('steps and actions that send messages', () => {
  const cleanups: (() => unknown)[] = [];
  const received: IPublishPacket[] = [];
  const place = `svc-test-${randomBytes(6).toString('hex')}`;
  let brokers: TestBrokers;
  let topic: string;
  let service: Scenario;
  beforeAll(async () => {
    brokers = await TestBrokers.real();
    cleanups.push(() => brokers.stop());
    topic = await brokers.topic(2);
    const receiver = await newestClient();
    cleanups.push(() => receiver.endAsync());
    receiver.on('message', (_topic, _payload, packet) => void received.push(packet));
    await receiver.subscribeAsync(`${place}/#`, { qos: 2 });
    const env = { KAFKA: brokers.addresses[0] as string, MQTT: mqttUrl as string, TOPIC: topic };
    service = await startScenario(import.meta.dirname, { env });
    cleanups.push(() => service.end());
  });
  afterAll(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  test('have the parameters of Kafka beside their body, and a removal has no value', async () => {
    const { status } = await service.ask('POST', '/record', { v: 'x', key: 'k', tenant: 'a' });
    expect(status).toBeLessThan(300);
    const sent = (await brokers.sent(topic, 3)).map(
      ({ headers: { 'message-id': _, traceparent, ...headers }, ...rest }) => ({
        ...rest,
        headers,
      }),
    );
    expect(sent).toEqual([
      { partition: 1, key: 'k', value: '{"v":"x"}', headers: { tenant: 'a' } },
      { partition: 1, key: 'k', value: '{"v":"x"}', headers: {} },
      { partition: 1, key: 'k', value: null, headers: {} },
    ]);
  });

  test('have the parameters of MQTT beside their body', async () => {
    const before = received.length;
    await service.ask('POST', '/switch', { v: 'x', topic: `${place}/lamp`, tenant: 'a' });
    await until(() => received.length > before);
    const { qos, payload, properties } = received.at(-1) as IPublishPacket;
    expect([qos, String(payload), properties?.messageExpiryInterval, properties?.userProperties?.['tenant']]).toEqual([
      1,
      '{"v":"x"}',
      3600,
      'a',
    ]);
  });

  test('of a saga have them too', async () => {
    const before = received.length;
    await service.ask('POST', '/both', { v: 'y', topic: `${place}/both`, key: 'k2', tenant: 'b' });
    await until(() => received.length > before);
    const { qos, payload, properties } = received.at(-1) as IPublishPacket;
    expect([qos, String(payload), properties?.userProperties?.['tenant']]).toEqual([2, '{"v":"y"}', 'b']);
    const record = (await brokers.sent(topic, 4)).find(({ partition }) => partition === 0);
    expect([record?.key, record?.value]).toEqual(['k2', '{"v":"y"}']);
  });
});
