import type { Message } from 'kafkajs';
import { sizeOf } from './composition.ts';
import { Outgoing, type SendSettings } from './outgoing.ts';
import type { LogProducer } from './producer.ts';

/** Copies of messages: dead letters, and what is sent back. */
const ofCopies: SendSettings = {
  acks: 'all',
  retries: 2,
  batchSize: 1,
  linger: 0,
  compression: 'none',
  mostTogether: 1_000_000,
};

/** Sends messages to any topic over one producer, to each topic in their order. */
export class Sender {
  readonly producer: LogProducer;
  readonly #settings: SendSettings;
  readonly #over: AbortSignal;
  readonly #topics = new Map<string, Outgoing>();

  /** @param over no further try is made when it fires */
  constructor(producer: LogProducer, over: AbortSignal, settings = ofCopies) {
    this.producer = producer;
    this.#over = over;
    this.#settings = settings;
  }

  /** Resolves when the brokers have the message as `acks` says. When the signal fires first, it rejects with its reason. */
  async send(topic: string, message: Message, signal = this.#over): Promise<void> {
    const existing = this.#topics.get(topic);
    const outgoing = existing ?? new Outgoing(topic, this.producer, this.#settings, this.#over);
    if (existing === undefined) this.#topics.set(topic, outgoing);
    await outgoing.send(message, sizeOf(message), signal);
  }
}
