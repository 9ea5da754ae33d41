import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { QueueDesk, QueuedMessage, QueueSide, ReplayedMessage } from '../../../contracts/queue.ts';
import { Failure } from '../../../errors/failure.ts';
import { deadLetterName, errorHeader } from '../../../intake/broker/dead-letters.ts';
import { textOf } from '../../../net/connection.ts';
import { readAccess } from '../../../net/tls.ts';
import { brokersOf, type LogConfig } from './brokers.ts';
import { type GroupClient, LogClient } from './client.ts';
import { failureOf, typeOf } from './failure.ts';
import { type DoneAhead, readDoneAhead } from './group/done-ahead.ts';
import { Membership } from './group/membership.ts';
import { offsetsAt, startPositionOf } from './group/start-position.ts';
import type { FetchedRecord } from './library.ts';
import { originHeaders, plainHeaders } from './message.ts';
import { readable } from './records.ts';

type ConsumerConfig = NonNullable<LogConfig['consumer']>;

/** A record and where it is. */
interface Found {
  readonly topic: string;
  readonly partition: number;
  readonly record: FetchedRecord;
}

/** Milliseconds in which a broker answers. */
const longestAnswer = 15_000;
/** Milliseconds that a broker waits for what a partition has: it is there. */
const longestWait = 1_000;
/** Bytes of one answer. */
const mostBytes = 1_048_576;

/** Looks at what a group has not committed, without joining it. What was replayed is committed by a group of its own. */
export class LogDesk implements QueueDesk {
  readonly #client: LogClient;
  readonly #consumer: ConsumerConfig;
  readonly #group: GroupClient;

  private constructor(client: LogClient, consumer: ConsumerConfig) {
    this.#client = client;
    this.#consumer = consumer;
    this.#group = client.group(consumer.group_id);
  }

  static async open(
    name: string,
    config: LogConfig,
    consumer: ConsumerConfig,
    services: ConnectorServices,
  ): Promise<LogDesk> {
    const { client_id = name, sasl, max_response } = config;
    const server = brokersOf(config);
    const client = await LogClient.make({
      addresses: server.addresses,
      clientId: `${client_id}-queue`,
      sasl,
      tls: await readAccess(server, config.tls, services),
      mostBytes: max_response,
      timeout: longestAnswer,
      log: services.log,
    });
    const desk = new LogDesk(client, consumer);
    try {
      await desk.#group.cluster.connect();
    } catch (error) {
      client.end('it cannot be used');
      throw failureOf(error);
    }
    return desk;
  }

  async peek(side: QueueSide, limit: number): Promise<readonly QueuedMessage[]> {
    return (await this.#found(side, limit)).map(queued);
  }

  async replay(limit: number, sent: (message: ReplayedMessage) => void): Promise<void> {
    const found = await this.#found('dead', limit);
    if (found.length === 0) return;
    const producer = await this.#client.producer();
    await producer.connect();
    try {
      for (const one of found) {
        const { topic, partition, record } = one;
        const message = queued(one);
        const to = this.#originOf(message);
        const headers = Object.fromEntries(
          Object.entries(record.headers ?? {}).filter(
            ([name]) => name !== errorHeader && !originHeaders.includes(name),
          ),
        );
        const { key, value } = record;
        await producer.send({ topic: to, acks: -1, messages: [{ key, value, headers }] }).catch((error: unknown) => {
          throw refusal(
            `${message.position} of "${topic}" cannot be sent back to "${to}": ${failureOf(error).message}`,
          );
        });
        await this.#commit(topic, partition, BigInt(record.offset) + 1n);
        sent({ ...message, to });
      }
    } finally {
      await producer.disconnect();
    }
  }

  async close(): Promise<void> {
    await this.#group.cluster.disconnect().catch(() => undefined);
    this.#client.end('it is closed');
  }

  get #replayGroup(): string {
    return `${this.#consumer.group_id}.replay`;
  }

  /** In the order in which they were written, of each partition in its own. */
  async #found(side: QueueSide, limit: number): Promise<readonly Found[]> {
    const { topics, dlq, group_id, offset } = this.#consumer;
    const waiting = side === 'waiting';
    const names = waiting ? topics : topics.map((topic) => dlq?.topic ?? deadLetterName(topic));
    const groupId = waiting ? group_id : this.#replayGroup;
    const start = waiting ? startPositionOf(offset) : ({ kind: 'earliest' } as const);
    const all: (Found & { readonly time: number })[] = [];
    for (const topic of new Set(names)) {
      const numbers = await this.#partitionsOf(topic);
      const { cluster } = this.#group;
      const settings = { groupId, sessionTimeout: longestAnswer, rebalanceTimeout: longestAnswer };
      const committed = await new Membership(this.#group, settings, [topic], '').offsets({ [topic]: numbers });
      const missing = numbers.filter((number) => !committed.some(({ partition }) => partition === number));
      const begins = missing.length === 0 ? [] : await offsetsAt(cluster, start, topic, missing);
      const ends = await offsetsAt(cluster, { kind: 'latest' }, topic, numbers);
      for (const { partition, offset: from, metadata } of [...committed, ...begins]) {
        const end = ends.find((each) => each.partition === partition)?.offset ?? from;
        const records = await this.#read(topic, partition, { from, end, limit, ahead: readDoneAhead(metadata, from) });
        let time = 0;
        for (const record of records)
          all.push({ topic, partition, record, time: (time = Math.max(time, Number(record.timestamp))) });
      }
    }
    return all.sort((one, other) => one.time - other.time).slice(0, limit);
  }

  async #partitionsOf(topic: string): Promise<readonly number[]> {
    const { cluster } = this.#group;
    try {
      await cluster.addMultipleTargetTopics([topic]);
    } catch (error) {
      if (typeOf(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw failureOf(error);
      throw refusal(`topic "${topic}" does not exist at the brokers`);
    }
    return cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
  }

  async #read(
    topic: string,
    partition: number,
    { from, end, limit, ahead }: { from: bigint; end: bigint; limit: number; ahead: DoneAhead | undefined },
  ): Promise<readonly FetchedRecord[]> {
    const { cluster } = this.#group;
    const isOpen = ({ offset }: FetchedRecord) =>
      ahead === undefined || BigInt(offset) >= ahead.until || ahead.open.includes(BigInt(offset));
    const found: FetchedRecord[] = [];
    for (let next = from; next < end && found.length < limit; ) {
      const leader = cluster
        .findTopicPartitionMetadata(topic)
        .find(({ partitionId }) => partitionId === partition)?.leader;
      const broker = await cluster.findBroker({ nodeId: String(leader) });
      const { responses } = await broker.fetch({
        maxWaitTime: longestWait,
        minBytes: 1,
        maxBytes: mostBytes,
        isolationLevel: 1,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(next), maxBytes: mostBytes }] }],
      });
      const answer = responses[0]?.partitions[0];
      const read = answer === undefined ? undefined : readable(answer, next);
      if (read?.next === undefined) break;
      next = read.next;
      found.push(...read.messages.filter((record) => BigInt(record.offset) < end && isOpen(record)));
    }
    return found.slice(0, limit);
  }

  /** The topic that a dead letter is from: what it says, where that is taken from here. */
  #originOf({ headers, source }: QueuedMessage): string {
    const { topics, dlq } = this.#consumer;
    const written = headers[originHeaders[0] as string];
    if (typeof written === 'string' && topics.includes(written)) return written;
    const found = topics.filter((topic) => (dlq?.topic ?? deadLetterName(topic)) === source);
    if (found.length === 1) return found[0] as string;
    throw refusal(`a dead letter of "${source}" does not say which of the topics it is from`);
  }

  async #commit(topic: string, partition: number, offset: bigint): Promise<void> {
    const groupId = this.#replayGroup;
    const coordinator = await this.#group.cluster.findGroupCoordinator({ groupId });
    await coordinator
      .offsetCommit({
        groupId,
        memberId: '',
        groupGenerationId: -1,
        topics: [{ topic, partitions: [{ partition, offset: String(offset) }] }],
      })
      .catch((error: unknown) => {
        throw refusal(`the brokers do not keep that a dead letter was sent back: ${textOf(failureOf(error))}`);
      });
  }
}

function queued({ topic, partition, record }: Found): QueuedMessage {
  const { key, value, offset } = record;
  return {
    source: topic,
    position: `${partition}/${offset}`,
    key: key === null ? '' : key.toString('utf8'),
    headers: plainHeaders(record),
    content: value ?? Buffer.alloc(0),
  };
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
