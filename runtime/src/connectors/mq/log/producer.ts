import { setTimeout as sleep } from 'node:timers/promises';
import type { ICustomPartitioner, Message, PartitionMetadata, ProducerBatch } from 'kafkajs';
import { Failure } from '../../../errors/failure.ts';
import { backoffDelay } from '../../../net/backoff.ts';
import { failureOf, typeOf } from './failure.ts';
import type { Cluster } from './library.ts';
import { type ProduceAnswer, type ProducedPartition, produce } from './produce.ts';
import type { Protocol } from './protocol.ts';

/** Messages of one topic that go together. */
export interface Sending {
  readonly topic: string;
  /** Whose confirmation is awaited: -1 of all replicas in step, 1 of the leader, 0 of no broker. */
  readonly acks: -1 | 0 | 1;
  readonly compression?: ProducerBatch['compression'];
  readonly messages: readonly Message[];
}

/** Takes what became of a message: undefined where it is confirmed as `acks` says. */
export type Tell = (message: Message, failure: Failure | undefined) => void;

/** What failed of a message. */
interface Failed {
  readonly message: Message;
  readonly error: unknown;
}

/** Messages of a topic by the partitions that they go to, and how many the topic has as far as is known. */
interface Placed {
  readonly partitions: readonly PartitionMetadata[];
  readonly messages: ReadonlyMap<number, readonly Message[]>;
}

const withoutLeader = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
/** Milliseconds in which partitions have leaders, and the pauses that make these up. */
const longestElection = 5_000;
const pauses = { kind: 'exponential', delay: 100, maxDelay: 500, jitter: true } as const;

/** A partition that nothing can be sent to yet. */
class LeaderMissing extends Error {
  readonly type = 'LEADER_NOT_AVAILABLE';
}

/**
 * Sends messages to the leaders of their partitions, and tells of each message whether it was confirmed. The library fails
 * all messages of a call for one partition, so that another try would send again what other partitions have.
 */
export class LogProducer {
  readonly #cluster: Cluster;
  readonly #protocol: Protocol;
  readonly #choose: ReturnType<ICustomPartitioner>;
  /** Whether the brokers are to be asked where partitions are. */
  #isStale = false;

  constructor(cluster: Cluster, protocol: Protocol, partitioner: ICustomPartitioner) {
    this.#cluster = cluster;
    this.#protocol = protocol;
    this.#choose = partitioner();
  }

  async connect(): Promise<void> {
    await this.#cluster.connect();
  }

  async disconnect(): Promise<void> {
    await this.#cluster.disconnect();
  }

  /**
   * Tells of each message, as soon as it is known, whether it is confirmed. A partition of a topic that is being made has no
   * leader for a while, and has taken nothing of it: it alone is waited for. Never rejects.
   */
  async send(sending: Sending, tell: Tell): Promise<void> {
    let left = longestElection;
    let open = sending.messages;
    for (let tries = 1; ; tries++) {
      const failed = new Map(
        (await this.#try({ ...sending, messages: open })).map(({ message, error }) => [message, error]),
      );
      const waits = (message: Message) => left > 0 && isWithoutLeader(failed.get(message));
      for (const message of open) if (!waits(message)) tell(message, failureIn(sending.topic, failed.get(message)));
      open = open.filter(waits);
      if (open.length === 0) return;
      this.#isStale = true;
      const pause = backoffDelay(pauses, tries);
      left -= pause;
      await sleep(pause);
    }
  }

  /** Sends a message to a topic; resolves when every replica in step has it. */
  async sendOne(topic: string, message: Message): Promise<void> {
    let failure: Failure | undefined;
    await this.send({ topic, acks: -1, messages: [message] }, (_, told) => {
      failure = told;
    });
    if (failure !== undefined) throw failure;
  }

  /** Sends each message once: one request for each leader. */
  async #try(sending: Sending): Promise<readonly Failed[]> {
    const { topic } = sending;
    try {
      const { partitions, messages } = await this.#place(topic, sending.messages);
      const failed: Failed[] = [];
      const byLeader = new Map<number, Map<number, readonly Message[]>>();
      for (const [partition, those] of messages) {
        const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
        if (partition >= partitions.length) failed.push(...all(those, beyond(topic, partition, partitions.length)));
        else if (leader < 0) failed.push(...all(those, new LeaderMissing(`partition ${partition} has no leader`)));
        else byLeader.set(leader, (byLeader.get(leader) ?? new Map()).set(partition, those));
      }
      const sent = [...byLeader].map(([leader, those]) => this.#produce(String(leader), sending, those));
      return failed.concat(...(await Promise.all(sent)));
    } catch (error) {
      this.#isStale = true;
      return all(sending.messages, error);
    }
  }

  /** A new partition is looked for once. */
  async #place(topic: string, messages: readonly Message[]): Promise<Placed> {
    const placed = this.#placed(topic, messages, await this.#partitions(topic));
    if ([...placed.messages.keys()].every((partition) => partition < placed.partitions.length)) return placed;
    this.#isStale = true;
    return this.#placed(topic, messages, await this.#partitions(topic));
  }

  #placed(topic: string, messages: readonly Message[], partitions: PartitionMetadata[]): Placed {
    const found = new Map<number, Message[]>();
    for (const message of messages) {
      const partition = this.#choose({ topic, partitionMetadata: partitions, message });
      const those = found.get(partition);
      if (those === undefined) found.set(partition, [message]);
      else those.push(message);
    }
    return { partitions, messages: found };
  }

  async #partitions(topic: string): Promise<PartitionMetadata[]> {
    const cluster = this.#cluster;
    if (!cluster.isConnected()) {
      await cluster.connect();
      this.#isStale = true;
    }
    await cluster.addMultipleTargetTopics([topic]);
    if (this.#isStale) await cluster.refreshMetadata();
    else await cluster.refreshMetadataIfNecessary();
    this.#isStale = false;
    const found = cluster.findTopicPartitionMetadata(topic);
    if (found.length === 0) throw new LeaderMissing(`nothing is known of topic "${topic}"`);
    return found;
  }

  async #produce(
    nodeId: string,
    { topic, acks, compression }: Sending,
    partitions: ReadonlyMap<number, readonly Message[]>,
  ): Promise<readonly Failed[]> {
    const asked = [...partitions].map(([partition, messages]) => ({ partition, messages }));
    let answer: ProduceAnswer | undefined;
    try {
      const broker = await this.#cluster.findBroker({ nodeId });
      answer = await produce(broker, this.#protocol, { topic, acks, compression, partitions: asked });
    } catch (error) {
      this.#isStale = true;
      const { name, host, port } = error as { readonly name?: string; readonly host?: string; readonly port?: number };
      if (name === 'KafkaJSConnectionClosedError' && host !== undefined && port !== undefined)
        this.#cluster.removeBroker({ host, port });
      return asked.flatMap(({ messages }) => all(messages, error));
    }
    if (acks === 0) return [];
    const answers = answer?.topics.find(({ topicName }) => topicName === topic)?.partitions;
    return asked.flatMap(({ partition, messages }) => {
      const error = this.#errorIn(answers?.find((each) => each.partition === partition));
      return error === undefined ? [] : all(messages, error);
    });
  }

  #errorIn(answer: ProducedPartition | undefined): Error | undefined {
    if (answer === undefined) return new Failure('connector_failed', 'no broker has confirmed the message');
    return answer.errorCode === 0 ? undefined : this.#protocol.errorOf(answer.errorCode);
  }
}

/** Whether a topic is not there, or a partition of it has no leader or another one. */
export function isWithoutLeader(error: unknown): boolean {
  return withoutLeader.includes(typeOf(error) ?? '');
}

function all(messages: readonly Message[], error: unknown): Failed[] {
  return messages.map((message) => ({ message, error }));
}

function failureIn(topic: string, error: unknown): Failure | undefined {
  if (error === undefined) return undefined;
  if (!isWithoutLeader(error)) return failureOf(error);
  return new Failure('connector_failed', `topic "${topic}" does not exist, or has no leader`, { cause: error });
}

/** Partitions have numbers from 0 on, without a gap. */
function beyond(topic: string, partition: number, count: number): Failure {
  return new Failure('value_refused', `topic "${topic}" has no partition ${partition}: it has ${count}, from 0 on`);
}
