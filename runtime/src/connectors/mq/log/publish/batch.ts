import type { Message } from 'kafkajs';
import { typeOf } from '../failure.ts';
import type { ProducerIdentity } from './identity.ts';

/** Errors after which a broker may have kept what it was sent. */
const uncertain = ['REQUEST_TIMED_OUT', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'];
/** Errors that say that a batch is there already. */
const kept = ['DUPLICATE_SEQUENCE_NUMBER'];
/** Errors that say that a partition expects another number, or does not know the producer. */
const unnumbered = [
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
];

/** Under which identity a batch goes, and the number of its first message. */
export interface Numbers {
  readonly identity: ProducerIdentity;
  readonly first: number;
}

/** Messages of one partition that go together. */
export class Batch {
  readonly topic: string;
  readonly partition: number;
  /** Times that it failed, without those in which the partition had no leader. */
  failures = 0;
  #messages: readonly Message[];
  #numbers: Numbers | undefined;
  #isUncertain = false;

  constructor(topic: string, partition: number, messages: readonly Message[]) {
    this.topic = topic;
    this.partition = partition;
    this.#messages = messages;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get numbers(): Numbers | undefined {
    return this.#numbers;
  }

  /** Whether a broker may have it. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  /** Gives it numbers; those that it has stay, so that a broker recognises it. */
  number(identity: ProducerIdentity | undefined): void {
    if (identity === undefined || this.#numbers !== undefined) return;
    this.#numbers = { identity, first: identity.next(this.topic, this.partition) };
  }

  /**
   * Leaves out messages that no caller waits for. One that a broker may have under its numbers stays whole as long as it is
   * sent.
   */
  keep(isWanted: (message: Message) => boolean): void {
    const wanted = this.#messages.filter(isWanted);
    if (wanted.length === 0) this.giveUp();
    if (wanted.length === 0 || !this.#isUncertain || this.#numbers === undefined) this.#messages = wanted;
  }

  confirmed(): void {
    this.#numbers?.identity.confirmed(this.topic, this.partition, this.#messages.length);
  }

  /**
   * Takes in what a try failed with; true when a broker has it all the same.
   *
   * @param wasSent a broker may have read it
   */
  failed(error: unknown, wasSent: boolean): boolean {
    const type = typeOf(error) ?? '';
    if (this.#numbers !== undefined && kept.includes(type)) return true;
    if (wasSent && (type === '' || uncertain.includes(type))) this.#isUncertain = true;
    if (hasLostNumbers(error) && this.#numbers !== undefined) this.#numbers.identity.isOver = true;
    // No broker has it: others may have its numbers.
    if (!this.#isUncertain) this.#numbers = undefined;
    return false;
  }

  /** It is sent no more. When a broker may have it, the number that its partition expects is not known. */
  giveUp(): void {
    if (this.#numbers !== undefined && this.#isUncertain) this.#numbers.identity.isOver = true;
  }

  /** Each message as a batch of its own. */
  divided(): readonly Batch[] {
    return this.#messages.map((message) => new Batch(this.topic, this.partition, [message]));
  }
}

/** Whether a partition expects another number, or does not know the producer. */
export function hasLostNumbers(error: unknown): boolean {
  return unnumbered.includes(typeOf(error) ?? '');
}
