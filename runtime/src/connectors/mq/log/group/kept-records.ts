import { fetchRecords } from '../fetch.ts';
import type { Cluster, FetchedRecord } from '../library.ts';
import { readable } from '../records.ts';
import type { GroupClient } from './client.ts';
import { type DoneAhead, readDoneAhead } from './done-ahead.ts';
import { Membership } from './membership.ts';
import type { Offsets } from './offsets.ts';
import { offsetsAt, type StartPosition } from './start-position.ts';

/** A record and where it is. */
export interface KeptRecord {
  readonly topic: string;
  readonly partition: number;
  readonly record: FetchedRecord;
}

/** What a group has not done of a partition. */
export interface KeptPart {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly end: bigint;
  readonly ahead: DoneAhead | undefined;
}

/** Milliseconds in which a coordinator answers. */
const longestAnswer = 15_000;
/** Milliseconds that a broker waits for what a partition has: it is there. */
const longestWait = 1_000;
/** Bytes of one answer, and of the answers of all partitions that wait here for their turn. */
const mostBytes = 1_048_576;
const mostWaiting = 16 * mostBytes;
const leastBytes = 65_536;

/** The partitions of a topic that the brokers have been asked for. */
export function numbersOf(cluster: Cluster, topic: string): readonly number[] {
  return cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
}

/** Where a group is in the partitions of a topic; it begins at `start` where it has committed nothing. It is not joined. */
export async function partsOf(
  group: GroupClient,
  groupId: string,
  topic: string,
  start: StartPosition,
): Promise<readonly KeptPart[]> {
  const { cluster } = group;
  const numbers = numbersOf(cluster, topic);
  const [committed, first, ends] = await Promise.all([
    committedOf(group, groupId, topic, numbers),
    offsetsAt(cluster, { kind: 'earliest' }, topic, numbers),
    offsetsAt(cluster, { kind: 'latest' }, topic, numbers),
  ]);
  const missing = numbers.filter((number) => !committed.some(({ partition }) => partition === number));
  const begins = missing.length === 0 ? [] : await offsetsAt(cluster, start, topic, missing);
  const at = (offsets: Offsets, partition: number) => offsets.find((each) => each.partition === partition)?.offset;
  return [...committed, ...begins].map(({ partition, offset, metadata }) => {
    // What is older than the log keeps is gone.
    const least = at(first, partition) ?? offset;
    const from = least > offset ? least : offset;
    return { topic, partition, from, end: at(ends, partition) ?? from, ahead: readDoneAhead(metadata, offset) };
  });
}

/** What a group has committed of partitions of a topic; those without an offset are absent. */
export function committedOf(group: GroupClient, groupId: string, topic: string, partitions: readonly number[]) {
  const settings = { groupId, sessionTimeout: longestAnswer, rebalanceTimeout: longestAnswer };
  return new Membership(group, settings, [topic], { id: '' }).offsets({ [topic]: partitions });
}

/**
 * The records that are not done, in the order in which they were written, of each partition in its own. Of a partition no
 * more than one answer is kept here.
 */
export async function* keptRecords(group: GroupClient, parts: readonly KeptPart[]): AsyncGenerator<KeptRecord> {
  const bytes = Math.max(leastBytes, Math.min(mostBytes, Math.trunc(mostWaiting / Math.max(1, parts.length))));
  const heads: Head[] = [];
  for (const part of parts) {
    const records = recordsOf(group, part, bytes);
    const { value } = await records.next();
    if (value) heads.push({ part, records, record: value, time: Number(value.timestamp) });
  }
  for (;;) {
    const head = heads.reduce<Head | undefined>(
      (least, each) => (least && least.time <= each.time ? least : each),
      undefined,
    );
    if (head === undefined) return;
    const { part, records, record } = head;
    yield { topic: part.topic, partition: part.partition, record };
    const { value } = await records.next();
    if (value) {
      head.record = value;
      head.time = Math.max(head.time, Number(value.timestamp));
    } else heads.splice(heads.indexOf(head), 1);
  }
}

interface Head {
  readonly part: KeptPart;
  readonly records: AsyncGenerator<FetchedRecord, undefined>;
  record: FetchedRecord;
  /** Never less than that of the record before it. */
  time: number;
}

async function* recordsOf(
  { cluster, protocol, mostBytes: mostOfAnswer }: GroupClient,
  { topic, partition, from, end, ahead }: KeptPart,
  maxBytes: number,
): AsyncGenerator<FetchedRecord, undefined> {
  for (let next = from; next < end; ) {
    const { leader } =
      cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition) ?? {};
    const broker = await cluster.findBroker({ nodeId: String(leader) });
    const request = {
      maxWaitTime: longestWait,
      minBytes: 1,
      maxBytes,
      isolationLevel: 1,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(next), maxBytes }] }],
    };
    const { responses } = await fetchRecords(broker, protocol, request, mostOfAnswer);
    const answer = responses[0]?.partitions[0];
    const read = answer === undefined ? undefined : readable(answer, next);
    if (read?.next === undefined) return undefined;
    next = read.next;
    for (const record of read.messages) {
      const offset = BigInt(record.offset);
      if (offset < end && !isDone(offset, from, ahead)) yield record;
    }
  }
  return undefined;
}

/** Whether a group that is at `from` has done a record. */
export function isDone(offset: bigint, from: bigint, ahead: DoneAhead | undefined): boolean {
  return offset < from || (ahead !== undefined && offset < ahead.until && !ahead.open.includes(offset));
}
