import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../../platform/net/connection.ts';
import { typeOf } from '../failure.ts';
import { fetchRecords } from '../fetch.ts';
import type { Cluster } from '../library.ts';
import type { Protocol } from '../protocol.ts';
import { readable } from '../records.ts';
import type { GroupClient } from './client.ts';
import type { AssignedPartition } from './partition.ts';

export interface FetchSettings {
  readonly minBytes: number;
  /** Of one answer; and of what waits to be delivered before no more is fetched. */
  readonly maxBytes: number;
  /** Milliseconds that a broker waits for `minBytes`. */
  readonly maxWait: number;
  /** Messages of a partition that wait to be delivered before no more of it is fetched. */
  readonly enough: number;
}

/** Called by a fetcher. */
export interface FetchEvents {
  /** Messages of some partition have come. */
  arrived(): void;
  /** A partition ended with what flows do not get, such as the end of a transaction. */
  passedOver(): void;
  /** What was to be read next is not there any more. */
  outOfRange(partition: AssignedPartition): Promise<void>;
  /** The brokers cannot be asked any more. */
  failed(reason: string): void;
}

/** Bytes of one partition in an answer. */
const mostOfPartition = 1_048_576;
/** Milliseconds that a broker waits while partitions that it leads are not asked for, since enough of them waits. */
const shortWait = 20;
/** Milliseconds before a leader is looked for again. */
const pause = 100;
/** Only what transactions have committed. */
const readCommitted = 1;

/** Answers that mean that another broker leads the partition. */
const stale = [
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
];

/** Asks the leaders of partitions for messages, each for one answer at a time. */
export class Fetcher {
  readonly #cluster: Cluster;
  readonly #protocol: Protocol;
  readonly #mostBytes: number;
  readonly #settings: FetchSettings;
  #partitions: readonly AssignedPartition[] = [];
  readonly #events: FetchEvents;
  readonly #asking = new Map<string, Promise<void>>();
  #turn = 0;
  readonly #ended = new AbortController();

  constructor({ cluster, protocol, mostBytes }: GroupClient, settings: FetchSettings, events: FetchEvents) {
    this.#cluster = cluster;
    this.#protocol = protocol;
    this.#mostBytes = mostBytes;
    this.#settings = settings;
    this.#events = events;
  }

  /** From now on these are read: what comes of another one is not taken. */
  read(partitions: readonly AssignedPartition[]): void {
    this.#partitions = partitions;
    this.proceed();
  }

  /** Asks every leader that is not being asked for what is wanted of it. Called whenever something was delivered. */
  proceed(): void {
    if (this.#ended.signal.aborted) return;
    for (const [leader, partitions] of this.#byLeader()) {
      if (this.#asking.has(leader)) continue;
      const wanted = partitions.filter((partition) => this.#isWanted(partition));
      if (wanted.length === 0) continue;
      const asking = this.#ask(leader, wanted, wanted.length < partitions.length).finally(() => {
        this.#asking.delete(leader);
        this.proceed();
      });
      this.#asking.set(leader, asking);
    }
  }

  /** What comes from now on is not taken. */
  end(): void {
    this.#ended.abort();
  }

  get #waitingBytes(): number {
    return this.#partitions.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #isWanted({ waiting }: AssignedPartition): boolean {
    return waiting < this.#settings.enough && (waiting === 0 || this.#waitingBytes < this.#settings.maxBytes);
  }

  /** Partitions without a leader are under the empty name. */
  #byLeader(): Map<string, AssignedPartition[]> {
    const byLeader = new Map<string, AssignedPartition[]>();
    for (const partition of this.#partitions) {
      const leader = this.#leaderOf(partition);
      const others = byLeader.get(leader);
      if (others === undefined) byLeader.set(leader, [partition]);
      else others.push(partition);
    }
    return byLeader;
  }

  #leaderOf({ topic, number }: AssignedPartition): string {
    const { leader = -1 } =
      this.#cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === number) ?? {};
    return leader < 0 ? '' : String(leader);
  }

  async #ask(leader: string, partitions: readonly AssignedPartition[], isShort: boolean): Promise<void> {
    const { signal } = this.#ended;
    try {
      if (leader === '') await this.#lookAgain();
      else await this.#fetch(leader, partitions, isShort);
    } catch (error) {
      if (!signal.aborted) await this.#recover(error).catch((failed) => this.#fail(failed));
    }
  }

  async #fetch(leader: string, partitions: readonly AssignedPartition[], isShort: boolean): Promise<void> {
    const { minBytes, maxBytes, maxWait } = this.#settings;
    // Brokers fill an answer in the order of the request: each partition is the first one in its turn.
    const turn = this.#turn++ % partitions.length;
    const inTurn = [...partitions.slice(turn), ...partitions.slice(0, turn)];
    const asked = new Map(partitions.map((partition) => [`${partition.topic}/${partition.number}`, partition]));
    const from = new Map(partitions.map((partition) => [partition, partition.next]));
    const broker = await this.#cluster.findBroker({ nodeId: leader });
    const request = {
      maxWaitTime: isShort ? Math.min(shortWait, maxWait) : maxWait,
      minBytes,
      maxBytes,
      isolationLevel: readCommitted,
      topics: Object.entries(Object.groupBy(inTurn, ({ topic }) => topic)).map(([topic, ofTopic = []]) => ({
        topic,
        partitions: ofTopic.map(({ number, next }) => ({
          partition: number,
          fetchOffset: String(next),
          maxBytes: Math.min(maxBytes, mostOfPartition),
        })),
      })),
    };
    const { responses } = await fetchRecords(broker, this.#protocol, request, this.#mostBytes);
    if (this.#ended.signal.aborted) return;
    let isPassedOver = false;
    for (const { topicName, partitions: answered } of responses)
      for (const answer of answered) {
        const partition = asked.get(`${topicName}/${answer.partition}`);
        const began = partition && from.get(partition);
        if (partition === undefined || began === undefined || began !== partition.next) continue;
        if (!this.#partitions.includes(partition)) continue;
        const { messages, next } = readable(answer, began);
        if (next !== undefined && partition.add(messages, next)) isPassedOver = true;
      }
    if (isPassedOver) this.#events.passedOver();
    this.#events.arrived();
  }

  async #recover(error: unknown): Promise<void> {
    const type = typeOf(error);
    if (type === 'OFFSET_OUT_OF_RANGE') {
      const { topic, partition: number } = error as { readonly topic?: string; readonly partition?: number };
      const partition = this.#partitions.find((each) => each.topic === topic && each.number === number);
      if (partition === undefined) throw error;
      return this.#events.outOfRange(partition);
    }
    if (type === undefined || !stale.includes(type)) throw error;
    await this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    const { signal } = this.#ended;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await this.#cluster.refreshMetadata();
  }

  #fail(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    this.end();
    this.#events.failed(textOf(error));
  }
}
