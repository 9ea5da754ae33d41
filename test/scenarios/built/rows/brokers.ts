import { randomBytes } from 'node:crypto';
import { natsUrl } from '../../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { redisUrl } from '../../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../../runtime/src/connectors/mq/testing/broker.ts';
import { mqttUrl } from '../../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { redisServers } from '../redis-servers.ts';
import { handing, type Row, taking, throughItself } from '../row.ts';

const ownName = () => `svc-test-${randomBytes(6).toString('hex')}`;

/** What each sends to the broker comes back to it. */
export const brokers: readonly Row[] = [
  {
    name: 'amqp',
    connector: 'mq/amqp',
    isMissing: brokerUrl === undefined,
    start: async (name) => {
      const queue = await TestQueue.declare();
      return {
        block: { url: brokerUrl, consumer: { queue: queue.name } },
        hcl: handing(name, `target = "${queue.name}"`) + taking(name, '', 'input.body.text'),
        ...throughItself(name),
        close: () => queue.end(),
      };
    },
  },
  ...redisServers.map(
    ({ mode, start, stop }): Row => ({
      name: `pubsub_${mode}`,
      connector: 'mq/pubsub',
      chosen: { mode },
      isMissing: redisUrl === undefined,
      start: async (name) => {
        const channel = ownName();
        return {
          block: { ...(await start()), channels: [channel] },
          hcl: handing(name, `target = "${channel}"`) + taking(name, `operation = "${channel}"`),
          ...throughItself(name),
          close: stop,
        };
      },
    }),
  ),
  {
    name: 'nats',
    connector: 'mq/nats',
    isMissing: natsUrl === undefined,
    start: (name) => {
      const subject = ownName();
      return {
        block: { url: natsUrl },
        hcl: handing(name, `target = "${subject}"`) + taking(name, `operation = "${subject}"`, 'input.body.text'),
        ...throughItself(name),
      };
    },
  },
  {
    name: 'nats_stream',
    connector: 'mq/nats',
    isMissing: natsUrl === undefined,
    start: (name) => {
      const subject = ownName();
      const stream = subject.replaceAll('-', '_');
      const consumer = { stream, durable: 'taking', create_if_missing: true, subjects: [subject] };
      return {
        block: { url: natsUrl, consumer, publisher: { confirms: true } },
        hcl: handing(name, `target = "${subject}"`) + taking(name, `operation = "${subject}"`, 'input.body.text'),
        ...throughItself(name),
      };
    },
  },
  ...['3.1.1', '5'].map(
    (version): Row => ({
      name: `mqtt_${version.replaceAll('.', '_')}`,
      connector: 'mqtt',
      chosen: { protocol_version: version },
      isMissing: mqttUrl === undefined,
      start: (name) => {
        const topic = ownName();
        return {
          block: { broker: mqttUrl, client_id: topic, qos: 1 },
          hcl: handing(name, `target = "${topic}"`) + taking(name, `operation = "${topic}"`),
          ...throughItself(name),
        };
      },
    }),
  ),
];
