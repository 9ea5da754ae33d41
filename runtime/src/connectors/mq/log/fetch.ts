import type { Broker } from 'kafkajs';
import type { FetchedPartition, FetchedRecord, GroupBroker } from './library.ts';
import type { Decoder, Protocol } from './protocol.ts';
import { type PassedOver, passedOverIn } from './response-limit.ts';

export type FetchRequest = Parameters<Broker['fetch']>[0];

export interface Fetched {
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
}

/** Where the fields of a record batch are (magic 2), and bytes before its length counts. */
const at = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, maxTimestamp: 35, producerId: 43 } as const;
const shortestBatch = 61;
const header = 12;
const transactional = 16;

/** An answer, or what came in its place. */
interface Answer extends Fetched {
  readonly over?: PassedOver | undefined;
}

/** Bytes for which a broker gives one batch of a partition. */
const oneBatch = 1;

/**
 * Asks a broker for records. The library gives up the whole answer for one batch that it cannot read; here that batch
 * becomes a record with the reason, and what is around it comes. So does one that is larger than an answer may be: of an
 * answer that is too large each partition is asked for alone, for one batch.
 */
export async function fetchRecords(
  broker: GroupBroker,
  protocol: Protocol,
  asked: FetchRequest,
  mostBytes: number,
): Promise<Fetched> {
  const made = broker.lookupRequest(protocol.keys.Fetch, protocol.definitions.Fetch)(asked);
  const version = made.request.apiVersion;
  const decode = async (bytes: Buffer) => {
    const over = passedOverIn(bytes);
    return over === undefined ? decodeAnswer(bytes, version, protocol) : { ...noRecords, over };
  };
  const answer = (await broker.connectionPool.send({ ...made, response: { ...made.response, decode } })) as Answer;
  const { over } = answer;
  if (over === undefined) return answer;
  const each = asked.topics.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })));
  const [first, ...others] = each;
  if (others.length === 0 && first?.partition.maxBytes === oneBatch)
    return tooLargeBatch(over, version, protocol, mostBytes);
  const responses: Fetched['responses'][number][] = [];
  for (const { topic, partition } of each) {
    const topics = [{ topic, partitions: [{ ...partition, maxBytes: oneBatch }] }];
    const alone = { ...asked, maxWaitTime: 0, maxBytes: oneBatch, topics };
    responses.push(...(await fetchRecords(broker, protocol, alone, mostBytes)).responses);
  }
  return { responses };
}

const noRecords = { throttleTime: 0, clientSideThrottleTime: 0, errorCode: 0, sessionId: 0, responses: [] };

/** One record in the place of a batch, with the reason. */
function tooLargeBatch({ bytes, head }: PassedOver, version: number, protocol: Protocol, mostBytes: number): Fetched {
  const decoder = new protocol.Decoder(head);
  decodeHeader(decoder, version);
  const responses = decoder.readArray(() => ({
    topicName: decoder.readString(),
    partitions: decoder.readArray(() => {
      const partition = decodePartitionHeader(decoder, version);
      const batch = decoder.readBytes(shortestBatch);
      const { offset, timestamp, count, context, next } = contextOf(batch);
      const problem = `a batch of ${count} messages from offset ${offset} on has ${bytes} bytes, more than ${mostBytes} (max_response)`;
      const record = { offset, timestamp, key: null, value: Buffer.alloc(0), batchContext: context, problem };
      return { ...partition, messages: [record], next };
    }),
  }));
  return { responses };
}

async function decodeAnswer(bytes: Buffer, version: number, protocol: Protocol) {
  const decoder = new protocol.Decoder(bytes);
  const { throttleTime, errorCode, sessionId } = decodeHeader(decoder, version);
  const responses = await decoder.readArrayAsync(async () => ({
    topicName: decoder.readString(),
    partitions: await decoder.readArrayAsync(() => decodePartition(decoder, version, protocol)),
  }));
  return { throttleTime: 0, clientSideThrottleTime: version >= 8 ? throttleTime : 0, errorCode, sessionId, responses };
}

function decodeHeader(decoder: Decoder, version: number) {
  const throttleTime = decoder.readInt32();
  const [errorCode, sessionId] = version >= 7 ? [decoder.readInt16(), decoder.readInt32()] : [0, 0];
  return { throttleTime, errorCode, sessionId };
}

async function decodePartition(decoder: Decoder, version: number, protocol: Protocol) {
  const { length, ...partition } = decodePartitionHeader(decoder, version);
  return { ...partition, ...(await readRecords(decoder.readBytes(length), protocol)) };
}

/** What is said of a partition, up to the length of its records. */
function decodePartitionHeader(decoder: Decoder, version: number) {
  const partition = decoder.readInt32();
  const errorCode = decoder.readInt16();
  const highWatermark = String(decoder.readInt64());
  const lastStableOffset = version >= 4 ? String(decoder.readInt64()) : '-1';
  if (version >= 5) decoder.readInt64();
  const abortedTransactions =
    version < 4
      ? []
      : decoder.readArray(() => ({
          producerId: String(decoder.readInt64()),
          firstOffset: String(decoder.readInt64()),
        }));
  if (version >= 11) decoder.readInt32();
  const length = Math.max(0, decoder.readInt32());
  return { partition, errorCode, highWatermark, lastStableOffset, abortedTransactions, length };
}

/** The records of whole batches, and the offset behind these; the last batch of an answer may be cut. */
async function readRecords(bytes: Buffer, protocol: Protocol): Promise<Pick<FetchedPartition, 'messages' | 'next'>> {
  const messages: FetchedRecord[] = [];
  let next: bigint | undefined;
  for (let from = 0; bytes.length - from >= shortestBatch; ) {
    if (bytes.readInt8(from + at.magic) < 2) {
      const old = bytes.subarray(from);
      messages.push(...(await protocol.readMessageSet(new protocol.Decoder(old), old.length)));
      return { messages, next: undefined };
    }
    const batch = bytes.subarray(from, from + header + bytes.readInt32BE(from + at.length));
    if (batch.length < header + batch.readInt32BE(at.length)) break;
    for (const record of await readBatch(batch, protocol)) messages.push(record);
    next = contextOf(batch).next;
    from += batch.length;
  }
  return { messages, next };
}

async function readBatch(batch: Buffer, protocol: Protocol): Promise<readonly FetchedRecord[]> {
  try {
    return (await protocol.readBatch(new protocol.Decoder(batch))).records.map(withOwnHeaders);
  } catch (error) {
    const { offset, timestamp, count, context } = contextOf(batch);
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `a batch of ${count} messages from offset ${offset} on cannot be read: ${reason}`;
    return [{ offset, timestamp, key: null, value: batch, batchContext: context, problem }];
  }
}

/** What a batch says before its records. */
function contextOf(batch: Buffer) {
  const first = batch.readBigInt64BE(0);
  const lastOffsetDelta = batch.readInt32BE(at.lastOffsetDelta);
  const offset = String(first);
  return {
    offset,
    timestamp: String(batch.readBigInt64BE(at.maxTimestamp)),
    count: lastOffsetDelta + 1,
    next: first + BigInt(lastOffsetDelta) + 1n,
    context: {
      firstOffset: offset,
      lastOffsetDelta,
      producerId: String(batch.readBigInt64BE(at.producerId)),
      inTransaction: (batch.readInt16BE(at.attributes) & transactional) !== 0,
    },
  };
}

/** The library collects headers in an object, so that one called as a property of all objects has that as its first value. */
function withOwnHeaders(record: FetchedRecord): FetchedRecord {
  const { headers } = record;
  for (const name of inherited) {
    const value = headers !== undefined && Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (headers === undefined || !Array.isArray(value) || typeof value[0] !== 'function') continue;
    const [, ...own] = value;
    headers[name] = own.length === 1 ? own[0] : own;
  }
  return record;
}

const inherited = Object.getOwnPropertyNames(Object.prototype);
