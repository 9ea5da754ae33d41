import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectRabbit } from 'amqplib';
import { TestBrokers } from '../../runtime/src/connectors/mq/log/testing/broker.ts';

/** Where a service takes messages from, with everything in it that is not taken yet. */
export interface Place {
  /** Address of the broker, and the name of the queue, topic or stream. */
  readonly broker: string;
  readonly place: string;
  /** Resolves when the broker has all of these. */
  send(bodies: readonly string[]): Promise<void>;
  /** Adds so many partitions; absent where a place has no partitions. */
  grow?(partitions: number): Promise<void>;
  /** Messages that are not acknowledged. */
  left(): Promise<number>;
  /** Messages that the broker has twice since it did not answer; absent where it is not killed. */
  sentTwice?(): Promise<number>;
  end(): Promise<void>;
}

/** Partitions that the topic has at first. */
const firstPartitions = 8;
/** Nanoseconds after which a message of a process that is gone is delivered again. */
const longestAcknowledgement = 2e9;

const name = () => `svc-chaos-${process.pid}-${Date.now()}`;

async function rabbitmq(address: string): Promise<Place> {
  const model = await connectRabbit(address);
  const channel = await model.createConfirmChannel();
  const place = name();
  await channel.assertQueue(place, { durable: true });
  return {
    broker: address,
    place,
    send: async (bodies) => {
      for (const body of bodies) channel.sendToQueue(place, Buffer.from(body), { persistent: true });
      await channel.waitForConfirms();
    },
    left: async () => (await channel.checkQueue(place)).messageCount,
    end: async () => {
      await channel.deleteQueue(place);
      await model.close();
    },
  };
}

/** The stand-in for Kafka, whose topics are in the memory of this process. */
const log = async () => topicAt(await TestBrokers.start(), () => 'ledger');

/** A real broker; the group has the name of its topic. */
const kafka = async (address: string) => topicAt(await TestBrokers.real(address), (topic) => topic);

async function topicAt(brokers: TestBrokers, groupOf: (topic: string) => string): Promise<Place> {
  const place = await brokers.topic(firstPartitions);
  let partitions = firstPartitions;
  let sent = 0;
  // The client of the tests connects again when the topic grows: nothing is sent meanwhile.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  return {
    broker: brokers.addresses[0] as string,
    place,
    send: (bodies) =>
      inTurn(async () => {
        sent += bodies.length;
        const messages = bodies.map((value, at) => ({ value, partition: at % partitions }));
        await brokers.sendTogether(place, messages);
      }),
    grow: (count) =>
      inTurn(async () => {
        partitions += count;
        await brokers.grow(place, partitions);
      }),
    left: async () => {
      const [kept, waiting] = [await brokers.waiting(place), await brokers.waiting(place, groupOf(place))];
      return Math.max(0, sent - kept) + waiting;
    },
    sentTwice: async () => (await brokers.waiting(place)) - sent,
    end: () => brokers.stop(),
  };
}

async function jetstream(address: string): Promise<Place> {
  const { hostname, port } = new URL(address);
  const client = await connectNats({ servers: `${hostname}:${port || 4222}` });
  const manager = await jetstreamManager(client);
  const place = name();
  await manager.streams.add({ name: place, subjects: [`${place}.>`] });
  await manager.consumers.add(place, {
    durable_name: 'ledger',
    ack_policy: 'explicit',
    ack_wait: longestAcknowledgement,
  });
  const { createInbox } = await import('@nats-io/transport-node');
  return {
    broker: address,
    place,
    send: async (bodies) => {
      // An answer to each says that the stream has it.
      let open = bodies.length;
      const { promise, resolve } = Promise.withResolvers<void>();
      const inbox = createInbox();
      const answers = client.subscribe(inbox, { callback: () => void (--open === 0 && resolve()) });
      for (const body of bodies) client.publish(`${place}.sent`, body, { reply: inbox });
      await promise;
      answers.unsubscribe();
    },
    left: async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info(place, 'ledger');
      return num_pending + num_ack_pending;
    },
    end: async () => {
      await manager.streams.delete(place);
      await client.close();
    },
  };
}

/** By the name of the folder that has the connector, and what makes the place at a broker of this address. */
export const places: Readonly<Record<string, (address: string) => Promise<Place>>> = {
  rabbitmq,
  log,
  kafka,
  jetstream,
};
