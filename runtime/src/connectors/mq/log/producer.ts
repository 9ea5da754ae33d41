import { setTimeout as sleep } from 'node:timers/promises';
import type { ICustomPartitioner, Message, Producer, ProducerBatch, RecordMetadata } from 'kafkajs';
import { Failure } from '../../../errors/failure.ts';
import { backoffDelay } from '../../../net/backoff.ts';
import { typeOf } from './failure.ts';

/** Messages of one topic that go together. */
export interface Sending {
  readonly topic: string;
  /** Whose confirmation is awaited: -1 of all replicas in step, 1 of the leader, 0 of no broker. */
  readonly acks: -1 | 0 | 1;
  readonly compression?: ProducerBatch['compression'];
  readonly messages: readonly Message[];
}

/** A message that no broker has. */
export interface Unsent {
  readonly message: Message;
  readonly failure: Failure;
}

/** The partition that a message was to go to, and how many the topic has as far as is known. */
interface Place {
  readonly partition: number;
  readonly count: number;
}

const withoutLeader = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
/** Milliseconds in which partitions have leaders, and the pauses that make these up. */
const longestElection = 5_000;
const pauses = { kind: 'exponential', delay: 100, maxDelay: 500, jitter: true } as const;

/** The library asks the brokers again after an error of this type. */
class UnknownPartition extends Error {
  readonly type = 'UNKNOWN_TOPIC_OR_PARTITION';
}

/** A producer of the library that tries once, and tells of each message whether the brokers have it. */
export class LogProducer {
  readonly #producer: Producer;
  /** Where messages go. */
  readonly #places = new WeakMap<Message, Place>();
  /** Messages for whose partition the brokers have been asked again. */
  readonly #lookedFor = new WeakSet<Message>();

  /** @param make makes the producer of the library with this partitioner */
  constructor(make: (createPartitioner: ICustomPartitioner) => Producer, standard: ICustomPartitioner) {
    this.#producer = make(() => {
      const choose = standard();
      return (asked) => {
        const { topic, message, partitionMetadata } = asked;
        const place = { partition: choose(asked), count: partitionMetadata.length };
        this.#places.set(message, place);
        if (isThere(place) || this.#lookedFor.has(message)) return place.partition;
        throw new UnknownPartition(`topic "${topic}" has no partition ${place.partition}`);
      };
    });
  }

  async connect(): Promise<void> {
    await this.#producer.connect();
  }

  async disconnect(): Promise<void> {
    await this.#producer.disconnect();
  }

  /**
   * Resolves with the messages that no broker has: the library passes over those of a partition that it does not know. A new
   * partition is looked for once. Rejects with what failed, where that is so for all.
   */
  async send({ messages, ...sending }: Sending): Promise<readonly Unsent[]> {
    const send = () => this.#sendWhenLed({ ...sending, messages });
    const answers = await send().catch((error: unknown) => {
      if (!this.#isOther(messages)) throw error;
      for (const message of messages) this.#lookedFor.add(message);
      return send();
    });
    const { topic, acks } = sending;
    return messages.flatMap((message) => {
      const failure = this.#failureOf(topic, message, acks === 0 ? undefined : answers);
      return failure === undefined ? [] : [{ message, failure }];
    });
  }

  /** A partition of a topic that is being made has no leader for a while, and none has taken anything of it. */
  async #sendWhenLed({ messages, ...sending }: Sending): Promise<readonly RecordMetadata[]> {
    let left = longestElection;
    for (let tries = 1; ; tries++)
      try {
        return await this.#producer.send({ ...sending, messages: [...messages] });
      } catch (error) {
        if (!isWithoutLeader(error) || this.#isOther(messages)) throw error;
        const { topic } = sending;
        if (left <= 0)
          throw new Failure('connector_failed', `topic "${topic}" does not exist, or has no leader`, { cause: error });
        const pause = backoffDelay(pauses, tries);
        left -= pause;
        await sleep(pause);
      }
  }

  /** Whether one is for a partition that the topic is not known to have, and the brokers have not been asked for it again. */
  #isOther(messages: readonly Message[]): boolean {
    return messages.some((message) => !isThere(this.#places.get(message)) && !this.#lookedFor.has(message));
  }

  #failureOf(topic: string, message: Message, answers: readonly RecordMetadata[] | undefined): Failure | undefined {
    const place = this.#places.get(message);
    if (place !== undefined && !isThere(place))
      return new Failure(
        'value_refused',
        `topic "${topic}" has no partition ${place.partition}: it has ${place.count}, from 0 on`,
      );
    const isAnswered = answers?.some(
      ({ topicName, partition, errorCode }) => topicName === topic && partition === place?.partition && errorCode === 0,
    );
    if (answers === undefined || isAnswered) return undefined;
    return new Failure('connector_failed', 'no broker has confirmed the message');
  }
}

/** Whether a topic is not there, or a partition of it has no leader or another one. */
export function isWithoutLeader(error: unknown): boolean {
  const { name } = error as { readonly name?: string };
  return name === 'KafkaJSMetadataNotLoaded' || withoutLeader.includes(typeOf(error) ?? '');
}

/** Partitions have numbers from 0 on, without a gap. */
function isThere(place: Place | undefined): boolean {
  return place === undefined || place.partition < place.count;
}
