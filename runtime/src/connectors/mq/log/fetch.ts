import type { Broker } from 'kafkajs';
import type { FetchedPartition, FetchedRecord, GroupBroker } from './library.ts';
import type { Decoder, Protocol } from './protocol.ts';

export type FetchRequest = Parameters<Broker['fetch']>[0];

export interface Fetched {
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
}

/** Where the fields of a record batch are (magic 2), and bytes before its length counts. */
const at = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, maxTimestamp: 35, producerId: 43 } as const;
const shortestBatch = 61;
const header = 12;
const transactional = 16;

/**
 * Asks a broker for records. The library gives up the whole answer for one batch that it cannot read; here that batch
 * becomes a record with the reason, and what is around it comes.
 */
export async function fetchRecords(broker: GroupBroker, protocol: Protocol, asked: FetchRequest): Promise<Fetched> {
  const made = broker.lookupRequest(protocol.keys.Fetch, protocol.definitions.Fetch)(asked);
  const { apiVersion } = made.request;
  const decode = (bytes: Buffer) => decodeAnswer(bytes, apiVersion, protocol);
  return (await broker.connectionPool.send({ ...made, response: { ...made.response, decode } })) as Fetched;
}

async function decodeAnswer(bytes: Buffer, version: number, protocol: Protocol) {
  const decoder = new protocol.Decoder(bytes);
  const throttleTime = decoder.readInt32();
  const [errorCode, sessionId] = version >= 7 ? [decoder.readInt16(), decoder.readInt32()] : [0, 0];
  const responses = await decoder.readArrayAsync(async () => ({
    topicName: decoder.readString(),
    partitions: await decoder.readArrayAsync(() => decodePartition(decoder, version, protocol)),
  }));
  return { throttleTime: 0, clientSideThrottleTime: version >= 8 ? throttleTime : 0, errorCode, sessionId, responses };
}

async function decodePartition(decoder: Decoder, version: number, protocol: Protocol) {
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
  const records = decoder.readBytes(Math.max(0, decoder.readInt32()));
  return {
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    abortedTransactions,
    ...(await readRecords(records, protocol)),
  };
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
    next = batch.readBigInt64BE(0) + BigInt(batch.readInt32BE(at.lastOffsetDelta)) + 1n;
    from += batch.length;
  }
  return { messages, next };
}

async function readBatch(batch: Buffer, protocol: Protocol): Promise<readonly FetchedRecord[]> {
  try {
    return (await protocol.readBatch(new protocol.Decoder(batch))).records.map(withOwnHeaders);
  } catch (error) {
    const firstOffset = String(batch.readBigInt64BE(0));
    const lastOffsetDelta = batch.readInt32BE(at.lastOffsetDelta);
    const context = {
      firstOffset,
      lastOffsetDelta,
      producerId: String(batch.readBigInt64BE(at.producerId)),
      inTransaction: (batch.readInt16BE(at.attributes) & transactional) !== 0,
    };
    const reason = error instanceof Error ? error.message : String(error);
    const timestamp = String(batch.readBigInt64BE(at.maxTimestamp));
    const problem = `a batch of ${lastOffsetDelta + 1} messages from offset ${firstOffset} on cannot be read: ${reason}`;
    return [{ offset: firstOffset, timestamp, key: null, value: batch, batchContext: context, problem }];
  }
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
