import { randomBytes } from 'node:crypto';
import kafkajs, {
  type Admin,
  type Consumer,
  type ConsumerConfig,
  type Kafka,
  type Message,
  type Producer,
} from 'kafkajs';
import { brokersIn } from '../../../../../../test/support/servers/kafka/server.ts';
import { KafkaStandIn, type StandInOptions } from '../../../../../../test/support/servers/kafka/stand-in.ts';
import { until } from '../../../../../../test/support/until.ts';
import { correctRequestQueue } from '../request-queue.ts';

/** Address of a real broker; absent where no one is started. */
export const kafkaUrl = process.env['TEST_KAFKA_URL'];

/** What clients of the tests call themselves: they go through no proxy. */
export const testClient = 'svc-tests';

/** A record of a topic, as tests look at it. */
export interface Sent {
  readonly partition: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Brokers, and a client of the tests that goes through no proxy. */
export class TestBrokers {
  /** Undefined where the brokers are real. */
  readonly standIn: KafkaStandIn | undefined;
  readonly addresses: readonly string[];
  readonly #kafka: Kafka;
  readonly #producer: Producer;
  readonly #admin: Admin;
  readonly #consumers: Consumer[] = [];

  private constructor(standIn: KafkaStandIn | undefined, addresses: readonly string[], kafka: Kafka) {
    this.standIn = standIn;
    this.addresses = addresses;
    this.#kafka = kafka;
    // What it sends again, since a partition of a new topic had no leader yet, is there once.
    this.#producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner, idempotent: true });
    this.#admin = kafka.admin();
  }

  /** A stand-in of its own. */
  static async start(options?: StandInOptions): Promise<TestBrokers> {
    const standIn = await KafkaStandIn.start(options);
    return TestBrokers.#connect(standIn.brokers, standIn, options);
  }

  /** The broker that `TEST_KAFKA_URL` names, or another one. */
  static async real(url = kafkaUrl as string): Promise<TestBrokers> {
    return TestBrokers.#connect([brokersIn(url).brokers]);
  }

  static async #connect(addresses: readonly string[], standIn?: KafkaStandIn, options?: StandInOptions) {
    await correctRequestQueue();
    const kafka = new kafkajs.Kafka({
      clientId: testClient,
      brokers: [...addresses],
      logLevel: kafkajs.logLevel.NOTHING,
      ...(options?.tls && { ssl: { rejectUnauthorized: false } }),
      ...(options?.users?.[0] && {
        sasl: { mechanism: 'plain', username: options.users[0].name, password: options.users[0].password },
      }),
    });
    const made = new TestBrokers(standIn, addresses, kafka);
    await made.#producer.connect();
    await made.#admin.connect();
    return made;
  }

  /** A topic of its own. */
  async topic(partitions = 1): Promise<string> {
    const topic = `svc-test-${randomBytes(6).toString('hex')}`;
    await this.create(topic, partitions);
    return topic;
  }

  /** Messages of a topic that a group has not committed; all of them without a group. */
  async waiting(topic: string, groupId?: string): Promise<number> {
    const ends = await this.#admin.fetchTopicOffsets(topic);
    let sum = 0;
    for (const { partition, low, high } of ends) {
      const committed = groupId === undefined ? -1 : await this.committed(groupId, topic, partition);
      sum += Number(high) - (committed < 0 ? Number(low) : committed);
    }
    return sum;
  }

  /** From now on a topic takes no message, or takes them again. */
  async take(topic: string, isTaking: boolean): Promise<void> {
    const closed = this.standIn?.topics.closed;
    if (closed === undefined) await this.#configure(topic, 'max.message.bytes', isTaking ? '1048588' : '1');
    else if (isTaking) closed.delete(topic);
    else closed.add(topic);
  }

  /** A topic keeps the last message of each key alone. */
  async compact(topic: string): Promise<void> {
    if (this.standIn === undefined) await this.#configure(topic, 'cleanup.policy', 'compact');
    else this.standIn.topics.compacted.add(topic);
  }

  async #configure(topic: string, name: string, value: string): Promise<void> {
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] }];
    await this.#admin.alterConfigs({ validateOnly: false, resources });
  }

  async create(topic: string, numPartitions = 1): Promise<void> {
    await this.#admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: true });
  }

  /** Adds partitions to a topic. */
  async grow(topic: string, count: number): Promise<void> {
    if (this.standIn !== undefined) return this.standIn.topics.grow(topic, count);
    await this.#admin.createPartitions({ topicPartitions: [{ topic, count }] });
    await this.refreshed(topic, count);
  }

  /** Removes a topic, and makes one of its name. */
  async remake(topic: string, partitions: number): Promise<void> {
    if (this.standIn !== undefined) return void this.standIn.topics.create(topic, partitions);
    await this.#admin.deleteTopics({ topics: [topic] });
    await until(async () => !(await this.#admin.listTopics()).includes(topic));
    await this.create(topic, partitions);
  }

  /** Resolves when the client of the tests knows so many partitions. */
  async refreshed(topic: string, partitions: number): Promise<void> {
    await this.#producer.disconnect();
    await this.#producer.connect();
    await until(async () => {
      const { topics } = await this.#admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions.length === partitions;
    });
  }

  /** Sends messages one after another; resolves when the brokers have them. */
  async send(topic: string, messages: readonly Message[]): Promise<void> {
    for (const message of messages) await this.#producer.send({ topic, messages: [message] });
  }

  /** Sends messages in one batch. */
  async sendTogether(topic: string, messages: readonly Message[], compression = 0): Promise<void> {
    await this.#producer.send({ topic, compression, messages: [...messages] });
  }

  /** Everything that a topic has, by partition and offset, as soon as there is so much. */
  async sent(topic: string, atLeast: number): Promise<readonly Sent[]> {
    const found: Sent[] = [];
    const consumer = this.#kafka.consumer({ groupId: `tests-${randomBytes(6).toString('hex')}`, maxWaitTimeInMs: 50 });
    this.#consumers.push(consumer);
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message: { key, value, headers = {} } }) => {
        const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
        found.push({
          partition,
          key: key === null ? null : key.toString(),
          value: value === null ? null : value.toString(),
          headers: Object.fromEntries(texts),
        });
      },
    });
    await until(() => found.length >= atLeast);
    return found;
  }

  /** A member of a group in another program, which reads nothing while the group comes together; resolves when it has joined. */
  async otherProgram(
    groupId: string,
    topic: string,
    take: (value: string) => unknown,
    timeouts: Pick<ConsumerConfig, 'sessionTimeout' | 'rebalanceTimeout'> = { sessionTimeout: 6_000 },
  ): Promise<Consumer> {
    const consumer = this.#kafka.consumer({ groupId, maxWaitTimeInMs: 50, heartbeatInterval: 50, ...timeouts });
    this.#consumers.push(consumer);
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
    await consumer.run({ eachMessage: async ({ message }) => void (await take(String(message.value))) });
    await joined;
    return consumer;
  }

  /** The offset that a group has committed of a partition; -1 when it has not committed any. */
  async committed(groupId: string, topic: string, partition = 0): Promise<number> {
    const [found] = await this.#admin.fetchOffsets({ groupId, topics: [topic] });
    return Number(found?.partitions.find((each) => each.partition === partition)?.offset ?? -1);
  }

  /** Members of a group, also while it comes together. */
  async members(groupId: string): Promise<number> {
    if (this.standIn !== undefined) return this.standIn.groups.get(groupId)?.members.length ?? 0;
    const { groups } = await this.#admin.describeGroups([groupId]);
    return groups[0]?.members.length ?? 0;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.disconnect()));
    await this.#producer.disconnect();
    await this.#admin.disconnect();
    await this.standIn?.stop();
  }
}
