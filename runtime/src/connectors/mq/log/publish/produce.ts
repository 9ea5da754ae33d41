import type { ProducerBatch } from 'kafkajs';
import type { GroupBroker } from '../library.ts';
import type { Protocol } from '../protocol.ts';
import type { Batch, Numbers } from './batch.ts';

/** Batches for partitions that one broker leads, all under one identity or none. */
export interface ProduceRequest {
  readonly topic: string;
  readonly acks: -1 | 0 | 1;
  readonly compression: ProducerBatch['compression'] | undefined;
  readonly batches: readonly Batch[];
}

/** What a broker says of one partition. */
export interface ProducedPartition {
  readonly partition: number;
  readonly errorCode: number;
}

export interface ProduceAnswer {
  readonly topics: readonly { readonly topicName: string; readonly partitions: readonly ProducedPartition[] }[];
}

/** Milliseconds in which replicas must have the messages; the broker answers with an error after that. */
const longest = 30_000;

/**
 * Sends messages to a broker once, and resolves with what it says of each partition: the library would reject with the
 * first error among them. Without `acks` there is no answer.
 */
export async function produce(broker: GroupBroker, protocol: Protocol, asked: ProduceRequest): Promise<ProduceAnswer> {
  const { topic, acks, compression, batches } = asked;
  const partitions = batches.map(({ partition, messages, numbers }) => ({
    partition,
    messages,
    firstSequence: numbers?.first ?? 0,
  }));
  const request = broker.lookupRequest(protocol.keys.Produce, protocol.definitions.Produce);
  const topicData = [{ topic, partitions }];
  const made = request({ acks, compression, timeout: longest, topicData, ...identityOf(batches[0]?.numbers) });
  const parse = async (answer: object) => answer;
  try {
    return (await broker.connectionPool.send({ ...made, response: { ...made.response, parse } })) as ProduceAnswer;
  } catch (error) {
    if ((error as { readonly name?: string }).name === 'KafkaJSConnectionClosedError') await broker.disconnect();
    throw error;
  }
}

function identityOf(numbers: Numbers | undefined): object {
  if (numbers === undefined) return {};
  const { id, epoch } = numbers.identity;
  return { producerId: id, producerEpoch: epoch };
}
