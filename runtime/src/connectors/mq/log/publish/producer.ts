import type { ICustomPartitioner, Message, PartitionMetadata } from 'kafkajs';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Cluster, GroupBroker } from '../library.ts';
import type { Protocol } from '../protocol.ts';
import { Batch } from './batch.ts';
import type { Identities } from './identity.ts';
import { type ProduceAnswer, type ProducedPartition, produce } from './produce.ts';
import { isWithoutLeader, Round, type Sending, type Tell } from './round.ts';

/** What failed of a batch. */
interface Failed {
  readonly batch: Batch;
  readonly error: unknown;
}

/** Messages by partitions, and how many a topic has. */
interface Placed {
  readonly count: number;
  readonly messages: ReadonlyMap<number, readonly Message[]>;
}

/** A partition that nothing can be sent to yet. */
class LeaderMissing extends Error {
  readonly type = 'LEADER_NOT_AVAILABLE';
}

/** A topic was made again, with fewer partitions. */
class PartitionGone extends Error {}

/**
 * Sends messages to the leaders of their partitions, and tells of each message whether it was confirmed. The library fails
 * all messages of a call for one partition, so that another try would send again what other partitions have.
 */
export class LogProducer {
  readonly #cluster: Cluster;
  readonly #protocol: Protocol;
  readonly #choose: ReturnType<ICustomPartitioner>;
  readonly #identities: Identities;
  /** Whether the brokers are to be asked where partitions are. */
  #isStale = false;

  constructor(cluster: Cluster, protocol: Protocol, partitioner: ICustomPartitioner, identities: Identities) {
    this.#cluster = cluster;
    this.#protocol = protocol;
    this.#choose = partitioner();
    this.#identities = identities;
  }

  async connect(): Promise<void> {
    await this.#cluster.connect();
  }

  async disconnect(): Promise<void> {
    await this.#cluster.disconnect();
  }

  /**
   * Tells of each message, as soon as it is known, whether it is confirmed. A partition of a topic that is being made has no
   * leader for a while, and has taken nothing of it: it alone is waited for, which counts as no try. Never rejects.
   */
  async send(sending: Sending, tell: Tell): Promise<void> {
    const round = new Round(sending, tell);
    let open = await this.#placed(round, sending.messages);
    for (let tries = 1; ; tries++) {
      for (const batch of open) batch.keep(sending.isWanted);
      open = open.filter(({ messages }) => messages.length > 0);
      if (open.length === 0) return;
      const [first, later] = firstOfEach(open);
      const failed = await this.#try(sending, first, tell);
      if (failed.some(({ error }) => isWithoutLeader(error))) this.#isStale = true;
      const again: Batch[] = [];
      for (const { batch, error } of failed)
        if (error instanceof PartitionGone) again.push(...(await this.#placed(round, batch.messages)));
        else again.push(...round.after(batch, error));
      open = [...again, ...later];
      if (again.some((batch) => first.includes(batch))) await round.pause(tries);
    }
  }

  /** Messages by the partitions that they go to. What cannot be placed is reported. */
  async #placed(round: Round, messages: readonly Message[]): Promise<readonly Batch[]> {
    const { topic, isWanted } = round.sending;
    for (let tries = 1; ; tries++) {
      try {
        const placed = await this.#place(topic, messages.filter(isWanted));
        return [...placed.messages].flatMap(([partition, those]) =>
          partition < placed.count ? new Batch(topic, partition, those) : round.beyond(those, partition, placed.count),
        );
      } catch (error) {
        this.#isStale = true;
        if (!round.continues(error, tries)) {
          round.fail(messages, error);
          return [];
        }
        await round.pause(tries);
      }
    }
  }

  /** A new partition is looked for once. */
  async #place(topic: string, messages: readonly Message[]): Promise<Placed> {
    const placed = this.#chosen(topic, messages, await this.#partitions(topic));
    if ([...placed.messages.keys()].every((partition) => partition < placed.count)) return placed;
    this.#isStale = true;
    return this.#chosen(topic, messages, await this.#partitions(topic));
  }

  #chosen(topic: string, messages: readonly Message[], partitions: PartitionMetadata[]): Placed {
    const choose = (message: Message) => this.#choose({ topic, partitionMetadata: partitions, message });
    return { count: partitions.length, messages: Map.groupBy(messages, choose) };
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

  /** Sends each batch once: one request for each leader. Tells of what is confirmed; resolves with the rest. */
  async #try(sending: Sending, batches: readonly Batch[], tell: Tell): Promise<readonly Failed[]> {
    let partitions: readonly PartitionMetadata[];
    try {
      partitions = await this.#partitions(sending.topic);
    } catch (error) {
      this.#isStale = true;
      return batches.filter((batch) => !batch.failed(error, false)).map((batch) => ({ batch, error }));
    }
    const [there, gone] = [true, false].map((is) =>
      batches.filter(({ partition }) => partition < partitions.length === is),
    ) as [Batch[], Batch[]];
    for (const batch of gone) batch.giveUp();
    const leaderOf = ({ partition }: Batch) =>
      partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
    const sent = [...Map.groupBy(there, leaderOf)].map(([leader, those]) => this.#sendTo(leader, sending, those, tell));
    const failed = (await Promise.all(sent)).flat();
    return [...failed, ...gone.map((batch) => ({ batch, error: new PartitionGone() }))];
  }

  /** Sends batches to a leader: those that have numbers under an earlier identity apart from the others. */
  async #sendTo(leader: number, sending: Sending, batches: readonly Batch[], tell: Tell): Promise<readonly Failed[]> {
    try {
      if (leader < 0) throw new LeaderMissing(`partition ${batches[0]?.partition} has no leader`);
      const broker = await this.#cluster.findBroker({ nodeId: String(leader) });
      const identity = await this.#identities.current(broker);
      for (const batch of batches) batch.number(identity);
      const byIdentity = [...Map.groupBy(batches, ({ numbers }) => numbers?.identity).values()];
      return (await Promise.all(byIdentity.map((those) => this.#produce(broker, sending, those, tell)))).flat();
    } catch (error) {
      this.#forget(error);
      return batches.filter((batch) => !batch.failed(error, false)).map((batch) => ({ batch, error }));
    }
  }

  /** Sends one request. Never rejects. */
  async #produce(
    broker: GroupBroker,
    { topic, acks, compression }: Sending,
    batches: readonly Batch[],
    tell: Tell,
  ): Promise<readonly Failed[]> {
    let answer: ProduceAnswer | undefined;
    let problem: unknown;
    try {
      answer = await produce(broker, this.#protocol, { topic, acks, compression, batches });
    } catch (error) {
      problem = error;
      this.#forget(error);
    }
    const answers = answer?.topics.find(({ topicName }) => topicName === topic)?.partitions;
    return batches.flatMap((batch) => {
      const said = answers?.find(({ partition }) => partition === batch.partition);
      const error = problem ?? (acks === 0 ? undefined : this.#errorIn(said));
      if (error !== undefined && !batch.failed(error, true)) return [{ batch, error }];
      batch.confirmed();
      for (const message of batch.messages) tell(message, undefined);
      return [];
    });
  }

  /** The next try asks where partitions are, over another connection where this one was lost. */
  #forget(error: unknown): void {
    this.#isStale = true;
    const { name, host, port } = error as { readonly name?: string; readonly host?: string; readonly port?: number };
    if (name === 'KafkaJSConnectionClosedError' && host !== undefined && port !== undefined)
      this.#cluster.removeBroker({ host, port });
  }

  #errorIn(answer: ProducedPartition | undefined): Error | undefined {
    if (answer === undefined) return new Failure('connector_failed', 'no broker has confirmed the message');
    return answer.errorCode === 0 ? undefined : this.#protocol.errorOf(answer.errorCode);
  }
}

/** The first batch of each partition, and the others: those of one partition go one after another. */
function firstOfEach(batches: readonly Batch[]): readonly [readonly Batch[], readonly Batch[]] {
  const partitions = new Set<number>();
  const first = batches.filter(({ partition }) => !partitions.has(partition) && partitions.add(partition));
  return [first, batches.filter((batch) => !first.includes(batch))];
}
