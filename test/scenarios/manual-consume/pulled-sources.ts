import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { NatsBed, natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { countingBroker } from '../../../runtime/src/connectors/mq/testing/consumers.ts';

/** A place at a real broker of its own whose messages can be pulled. */
export interface PulledPlace {
  /** What the debug endpoint calls the kind, and the place. */
  readonly type: string;
  readonly source: string;
  /** The connector `orders` that takes from it, and holds `prefetch` messages at once. */
  readonly connector: string;
  /** Sends messages `{n}`, one after another; resolves when the broker has them. */
  publish(numbers: readonly number[]): Promise<void>;
  /** Replaces `prefetch`: messages are acknowledged before their flows. Undefined: the broker cannot. */
  readonly eager?: string;
  /** What a service of two workers logs when each of them takes a part. Undefined: every worker takes everything. */
  readonly spread?: RegExp;
  /** Messages that the broker holds for done. */
  acknowledged(): Promise<number>;
  close(): Promise<void>;
}

/** What differs between brokers. */
export interface PulledSource {
  readonly name: string;
  readonly isHere: boolean;
  /** Messages of one place may be spread over so many parts of it, where the broker has such. */
  place(parts?: number): Promise<PulledPlace>;
}

/** Messages that each of them holds at once. */
export const prefetch = 5;

const texts = (numbers: readonly number[]) => numbers.map((n) => JSON.stringify({ n }));

async function queuePlace(): Promise<PulledPlace> {
  const queue = await TestQueue.declare();
  const broker = await countingBroker(brokerUrl as string);
  return {
    type: 'amqp_broker',
    source: queue.name,
    connector: `connector "orders" {
      type            = "mq"
      driver          = "rabbitmq"
      url             = "${broker.url}"
      reconnect_delay = "100ms"
      consumer {
        queue    = "${queue.name}"
        prefetch = ${prefetch}
      }
    }`,
    eager: 'auto_ack = true',
    publish: (numbers) => queue.publish(texts(numbers)),
    acknowledged: async () => broker.acks,
    close: async () => {
      await broker.close();
      await queue.end();
    },
  };
}

async function logPlace(parts = 1): Promise<PulledPlace> {
  const brokers = await TestBrokers.start();
  const topic = await brokers.topic(parts);
  const group = `${topic}-group`;
  const partitions = Array.from({ length: parts }, (_, partition) => partition);
  return {
    type: 'partitioned_log',
    source: topic,
    connector: `connector "orders" {
      type            = "mq"
      driver          = "kafka"
      brokers         = ${JSON.stringify(brokers.addresses)}
      reconnect_delay = "100ms"
      consumer {
        group_id        = "${group}"
        topics          = ["${topic}"]
        prefetch        = ${prefetch}
        max_wait_time   = "100ms"
        session_timeout = "2s"
      }
    }`,
    publish: (numbers) =>
      brokers.send(
        topic,
        numbers.map((n) => ({ value: JSON.stringify({ n }), partition: n % parts })),
      ),
    eager: 'auto_commit = true',
    spread: /partitions are assigned .*partitions=\S*\/\d\b(?!.*\/\d.*\/\d)/g,
    acknowledged: async () => {
      const offsets = await Promise.all(partitions.map((partition) => brokers.committed(group, topic, partition)));
      return offsets.reduce((sum, offset) => sum + Math.max(0, offset), 0);
    },
    close: () => brokers.stop(),
  };
}

async function streamPlace(): Promise<PulledPlace> {
  const bed = await NatsBed.ofStream();
  return {
    type: 'nats',
    source: 'taking',
    connector: `connector "orders" {
      type            = "mq"
      driver          = "nats"
      url             = "${natsUrl}"
      reconnect_delay = "100ms"
      consumer {
        stream   = "${bed.name}"
        durable  = "taking"
        prefetch = ${prefetch}
      }
    }`,
    publish: (numbers) => bed.publish(texts(numbers)),
    acknowledged: async () => {
      const { state } = await bed.manager.streams.info(bed.name);
      const { num_pending, num_ack_pending } = await bed.manager.consumers.info(bed.name, 'taking');
      return state.messages - num_pending - num_ack_pending;
    },
    close: () => bed.close(),
  };
}

/** Every source that `debug.consume` can take a message from. */
export const pulledSources: readonly PulledSource[] = [
  { name: 'amqp_broker', isHere: brokerUrl !== undefined, place: queuePlace },
  { name: 'partitioned_log', isHere: true, place: logPlace },
  { name: 'nats with a stream', isHere: natsUrl !== undefined, place: streamPlace },
];
