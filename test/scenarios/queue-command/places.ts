import { connect } from 'amqplib';
import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { NatsBed, natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';

/** A place at a real broker of its own that keeps messages, and those that were given up. */
export interface KeptPlace {
  /** The connector `orders` that takes from it. */
  readonly connector: string;
  /** What the debug endpoint calls where it takes from. */
  readonly source: string;
  /** Where messages wait, where dead letters do, and where messages are sent to. */
  readonly waiting: string;
  readonly dead: string;
  readonly target: string;
  /** The target cannot be known from the configuration. */
  readonly isNamed: boolean;
  /** Positions and keys of the first two messages, and of their dead letters. */
  readonly positions: readonly (readonly [string, string])[];
  readonly deadPositions: readonly (readonly [string, string])[];
  /** Puts messages among those that wait. */
  publish(contents: readonly string[]): Promise<void>;
  /** Puts messages among the dead letters, once these have a place. */
  bury(contents: readonly (string | Buffer)[], headers?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

export interface KeptSource {
  readonly name: string;
  readonly isHere: boolean;
  place(): Promise<KeptPlace>;
}

/** A queue of RabbitMQ. */
export async function queuePlace(): Promise<KeptPlace> {
  const queue = await TestQueue.named();
  const send = async (to: string, contents: readonly (string | Buffer)[], headers = {}) => {
    const model = await connect(brokerUrl as string);
    const channel = await model.createConfirmChannel();
    for (const content of contents) channel.sendToQueue(to, Buffer.from(content), { deliveryMode: 2, headers });
    await channel.waitForConfirms();
    await model.close();
  };
  return {
    connector: `connector "orders" {
      type   = "mq"
      driver = "rabbitmq"
      url    = "${brokerUrl}"
      consumer {
        queue             = "${queue.name}"
        create_if_missing = true
        dlq {}
      }
    }`,
    source: queue.name,
    waiting: queue.name,
    dead: `${queue.name}.dlq`,
    target: queue.name,
    isNamed: false,
    positions: [
      ['1', queue.name],
      ['2', queue.name],
    ],
    deadPositions: [
      ['1', queue.name],
      ['2', queue.name],
    ],
    publish: (contents) => send(queue.name, contents),
    bury: (contents, headers = { 'x-last-error': 'given up' }) => send(`${queue.name}.dlq`, contents, headers),
    close: () => queue.end(),
  };
}

async function logPlace(): Promise<KeptPlace> {
  const brokers = await TestBrokers.start();
  const topic = await brokers.topic();
  await brokers.create(`${topic}.dlq`);
  return {
    connector: `connector "orders" {
      type    = "mq"
      driver  = "kafka"
      brokers = ${JSON.stringify(brokers.addresses)}
      consumer {
        group_id      = "${topic}-group"
        topics        = ["${topic}"]
        max_wait_time = "100ms"
      }
    }`,
    source: topic,
    waiting: topic,
    dead: `${topic}.dlq`,
    target: topic,
    isNamed: false,
    positions: [
      ['0/0', 'any'],
      ['0/1', 'any'],
    ],
    deadPositions: [
      ['0/0', 'any'],
      ['0/1', 'any'],
    ],
    publish: (contents) =>
      brokers.send(
        topic,
        contents.map((value) => ({ value })),
      ),
    bury: (contents, headers = {}) =>
      brokers.send(
        `${topic}.dlq`,
        contents.map((value) => ({ value, headers })),
      ),
    close: () => brokers.stop(),
  };
}

async function streamPlace(): Promise<KeptPlace> {
  const bed = await NatsBed.ofStream();
  const dead = `${bed.name}_dead`;
  return {
    connector: `connector "orders" {
      type   = "mq"
      driver = "nats"
      url    = "${natsUrl}"
      consumer {
        stream            = "${bed.name}"
        durable           = "taking"
        create_if_missing = true
        dlq {
          subject = "${dead}"
        }
      }
    }`,
    source: 'taking',
    waiting: bed.name,
    dead,
    target: `${bed.name}.new`,
    isNamed: true,
    positions: [
      ['1', `${bed.name}.new`],
      ['2', `${bed.name}.new`],
    ],
    deadPositions: [
      ['1', dead],
      ['2', dead],
    ],
    publish: (contents) => bed.publish(contents),
    bury: (contents, headers = {}) => bed.publish(contents, dead, { 'x-svc-subject': `${bed.name}.new`, ...headers }),
    close: () => bed.close(),
  };
}

/** Every source whose messages `svc queue` can look at. */
export const keptSources: readonly KeptSource[] = [
  { name: 'amqp_broker', isHere: brokerUrl !== undefined, place: queuePlace },
  { name: 'partitioned_log', isHere: true, place: logPlace },
  { name: 'nats with a stream', isHere: natsUrl !== undefined, place: streamPlace },
];
