import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { NatsBed, natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { redisUrl } from '../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';

/** A connector `orders`, the operation of its only flow, and messages of another one. */
interface Place {
  readonly connector: string;
  readonly operation: string;
  send(): Promise<unknown>;
  /** What the metric says of the messages: where they are taken from, and their key. */
  readonly target: string;
  readonly key: string;
  close(): Promise<unknown>;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const sources: readonly { name: string; driver: string; isHere: boolean; place: () => Promise<Place> }[] = [
  {
    name: 'RabbitMQ',
    driver: 'amqp_broker',
    isHere: brokerUrl !== undefined,
    place: async () => {
      const queue = await TestQueue.declare();
      return {
        connector: `driver = "rabbitmq"\nurl = "${brokerUrl}"\nconsumer {\nqueue = "${queue.name}"\n}`,
        operation: 'order.paid',
        send: () => queue.publish(['a', 'b'], { key: 'order.lost' }),
        target: queue.name,
        key: 'order.lost',
        close: () => queue.end(),
      };
    },
  },
  {
    name: 'Kafka',
    driver: 'partitioned_log',
    isHere: true,
    place: async () => {
      const brokers = await TestBrokers.start({});
      const [taken, other] = [await brokers.topic(), await brokers.topic()];
      return {
        connector: `driver = "kafka"\nbrokers = ["${brokers.addresses[0]}"]\nconsumer {\ngroup_id = "g"\ntopics = ["${taken}", "${other}"]\nmax_wait_time = "50ms"\n}`,
        operation: taken,
        send: () => brokers.send(other, [{ value: 'a' }, { value: 'b' }]),
        target: `${taken},${other}`,
        key: other,
        close: () => brokers.stop(),
      };
    },
  },
  {
    name: 'streams of NATS',
    driver: 'nats',
    isHere: natsUrl !== undefined,
    place: async () => {
      const bed = await NatsBed.ofStream();
      return {
        connector: `driver = "nats"\nurl = "${natsUrl}"\nconsumer {\nstream = "${bed.name}"\ndurable = "taking"\n}`,
        operation: `${bed.name}.taken`,
        send: () => bed.publish(['a', 'b']),
        target: 'taking',
        key: bed.subject,
        close: () => bed.close(),
      };
    },
  },
  {
    name: 'channels of Redis',
    driver: 'kv_pubsub',
    isHere: redisUrl !== undefined,
    place: async () => {
      const [client, bed] = [new Redis(redisUrl as string), `svc-test-${process.pid}-${Date.now()}`];
      return {
        connector: `driver = "redis"\nurl = "${redisUrl}"\nchannels = ["${bed}", "${bed}.taken"]`,
        operation: `${bed}.taken`,
        send: async () => {
          for (const body of ['a', 'b']) await client.publish(bed, body);
        },
        target: `${bed},${bed}.taken`,
        key: bed,
        close: async () => client.disconnect(),
      };
    },
  },
];

describe.each(sources)('$name', ({ driver, isHere, place: makePlace }) => {
  test('R-02: messages that no flow takes are counted by their key', async ({ skip }) => {
    skip(!isHere, 'no server of it');
    const place = await makePlace();
    cleanups.push(() => place.close());
    const flow = `flow "keep" {\nfrom {\nconnector = "orders"\noperation = "${place.operation}"\n}\nto {\nconnector = "sink"\noperation = "POST /kept"\n}\n}\n`;
    // A service whose destination cannot be reached is not ready.
    const sink = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => sink.close(resolve)));
    const { port } = sink.address() as AddressInfo;
    const service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: `http://127.0.0.1:${port}` },
      prepare: (directory) =>
        writeFileSync(
          join(directory, 'orders.hcl'),
          `connector "orders" {\ntype = "mq"\n${place.connector}\n}\n${flow}`,
        ),
    });
    cleanups.push(() => service.end());
    await place.send();
    const counted = async () => {
      const metrics = await (await fetch(`${service.admin}/metrics`)).text();
      return metrics.split('\n').filter((line) => line.startsWith('svc_messages_undispatched_total{'));
    };
    await until(async () => (await counted()).some((line) => line.endsWith(' 2')));
    expect(await counted()).toEqual([
      `svc_messages_undispatched_total{connector="orders",driver="${driver}",target="${place.target}",key="${place.key}"} 2`,
    ]);
  });
});
