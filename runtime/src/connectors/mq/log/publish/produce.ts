import type { Message, ProducerBatch } from 'kafkajs';
import type { GroupBroker } from '../library.ts';
import type { Protocol } from '../protocol.ts';

/** Messages for partitions that one broker leads. */
export interface ProduceRequest {
  readonly topic: string;
  readonly acks: -1 | 0 | 1;
  readonly compression: ProducerBatch['compression'] | undefined;
  readonly partitions: readonly { readonly partition: number; readonly messages: readonly Message[] }[];
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
  const { topic, acks, compression, partitions } = asked;
  const topicData = [{ topic, partitions: partitions.map((each) => ({ ...each, firstSequence: 0 })) }];
  const request = broker.lookupRequest(protocol.keys.Produce, protocol.definitions.Produce);
  const made = request({ acks, compression, timeout: longest, topicData });
  const parse = async (answer: object) => answer;
  try {
    return (await broker.connectionPool.send({ ...made, response: { ...made.response, parse } })) as ProduceAnswer;
  } catch (error) {
    if ((error as { readonly name?: string }).name === 'KafkaJSConnectionClosedError') await broker.disconnect();
    throw error;
  }
}
