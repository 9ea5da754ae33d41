import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, ProducerBatch } from 'kafkajs';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { backoffDelay } from '../../../../platform/net/backoff.ts';
import { failureOf, typeOf } from '../failure.ts';
import { type Batch, hasLostNumbers } from './batch.ts';
import { sizeOf } from './composition.ts';

/** Messages of one topic that go together. Of one producer, those of a topic are sent one after another. */
export interface Sending {
  readonly topic: string;
  /** Whose confirmation is awaited: -1 of all replicas in step, 1 of the leader, 0 of no broker. */
  readonly acks: -1 | 0 | 1;
  readonly compression: ProducerBatch['compression'];
  readonly messages: readonly Message[];
  /** Tries after the first one. */
  readonly retries: number;
  /** Whether a caller waits for a message still; one that none waits for is not sent, or not again. */
  readonly isWanted: (message: Message) => boolean;
  /** No further try is made when it fires. */
  readonly over: AbortSignal;
}

/** Takes what became of a message: undefined where it is confirmed as `acks` says. */
export type Tell = (message: Message, failure: Failure | undefined) => void;

const withoutLeader = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
const tooLarge = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];
/** Milliseconds in which partitions have leaders. */
const longestElection = 5_000;
/** Between two tries. */
const pauses = { kind: 'exponential', delay: 100, maxDelay: 1_000, jitter: true } as const;

/** The tries of one sending: what is tried again, and what is reported of the rest. */
export class Round {
  readonly sending: Sending;
  readonly #tell: Tell;
  /** Milliseconds in which partitions may have no leader. */
  #election = longestElection;

  constructor(sending: Sending, tell: Tell) {
    this.sending = sending;
    this.#tell = tell;
  }

  /** Batches that are tried again after one has failed. The others are reported. */
  after(batch: Batch, error: unknown): readonly Batch[] {
    const { topic } = this.sending;
    const isLost = batch.isUncertain && hasLostNumbers(error);
    if (!isLost) {
      if (this.#waits(error)) return [batch];
      const { retriable } = failureIn(topic, error);
      // One message that the broker will never take does not take along those that went with it.
      if (!retriable && batch.messages.length > 1) return batch.divided();
      if (this.continues(error, ++batch.failures)) return [batch];
    }
    batch.giveUp();
    const said = isLost ? unknown(topic, error) : error;
    this.fail(batch.messages, said);
    return [];
  }

  /** Whether another try is made after so many that failed. An unknown producer has one more, under another id. */
  continues(error: unknown, failures: number): boolean {
    if (this.#waits(error)) return true;
    const { topic, retries, over } = this.sending;
    const most = hasLostNumbers(error) ? retries + 1 : retries;
    return failureIn(topic, error).retriable && failures <= most && !over.aborted;
  }

  fail(messages: readonly Message[], error: unknown): void {
    for (const message of messages) this.#tell(message, failureIn(this.sending.topic, error, message));
  }

  /** Partitions have numbers from 0 on, without a gap. */
  beyond(messages: readonly Message[], partition: number, count: number): readonly [] {
    const { topic } = this.sending;
    const reason = `topic "${topic}" has no partition ${partition}: it has ${count}, from 0 on`;
    this.fail(messages, new Failure('value_refused', reason));
    return [];
  }

  /** @param tries how many failed */
  async pause(tries: number): Promise<void> {
    const pause = backoffDelay(pauses, tries);
    this.#election -= pause;
    await sleep(pause, undefined, { signal: this.sending.over }).catch(() => undefined);
  }

  #waits(error: unknown): boolean {
    return this.#election > 0 && isWithoutLeader(error) && !this.sending.over.aborted;
  }
}

/** Whether a topic is not there, or a partition of it has no leader or another one. */
export function isWithoutLeader(error: unknown): boolean {
  return withoutLeader.includes(typeOf(error) ?? '');
}

function failureIn(topic: string, error: unknown, message?: Message): Failure {
  if (isWithoutLeader(error))
    return new Failure('connector_failed', `topic "${topic}" does not exist, or has no leader`, { cause: error });
  if (!tooLarge.includes(typeOf(error) ?? '')) return failureOf(error);
  const size = message === undefined ? '' : ` of ${sizeOf(message)} bytes`;
  return new Failure(
    'body_too_large',
    `the message${size} is too large for topic "${topic}": raise max.message.bytes of the topic, or message.max.bytes of its brokers`,
    { cause: error, retriable: false },
  );
}

/** A broker may have had the messages, and has forgotten from whom. */
function unknown(topic: string, cause: unknown): Failure {
  return new Failure(
    'outcome_unknown',
    `topic "${topic}" may have the message: no answer came, and the broker does not know the sender any more`,
    { cause },
  );
}
