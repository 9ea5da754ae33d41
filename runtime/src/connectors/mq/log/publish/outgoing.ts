import type { Message } from 'kafkajs';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Compression, compressionNumbers } from '../codecs.ts';
import type { LogProducer } from './producer.ts';

export interface SendSettings {
  readonly acks: 'all' | 'leader' | 'none';
  /** Tries after the first one. */
  readonly retries: number;
  /** Bytes of waiting messages that are sent without waiting for others. */
  readonly batchSize: number;
  /** Milliseconds that the first waiting message waits for others. */
  readonly linger: number;
  readonly compression: Compression;
  /** Most bytes of messages that go together, unless one alone is larger. */
  readonly mostTogether: number;
}

/** One message on its way. */
interface Waiting {
  readonly message: Message;
  readonly bytes: number;
  readonly settle: PromiseWithResolvers<void>;
  isGivenUp: boolean;
}

const acksOf = { all: -1, leader: 1, none: 0 } as const;
/** Most messages that wait for one topic. */
const mostWaiting = 10_000;

/** The messages of one topic: those that come while others are on their way go together, and none overtakes another. */
export class Outgoing {
  readonly #topic: string;
  readonly #producer: LogProducer;
  readonly #settings: SendSettings;
  readonly #over: AbortSignal;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isSending = false;

  /** @param over no further try is made when it fires */
  constructor(topic: string, producer: LogProducer, settings: SendSettings, over: AbortSignal) {
    this.#topic = topic;
    this.#producer = producer;
    this.#settings = settings;
    this.#over = over;
  }

  /** Resolves when the brokers have the message as `acks` says. When the signal fires first, it rejects with its reason. */
  async send(message: Message, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.length >= mostWaiting)
      throw new Failure('connector_busy', `${mostWaiting} messages wait for topic "${this.#topic}"`);
    const waiting: Waiting = { message, bytes, settle: Promise.withResolvers<void>(), isGivenUp: false };
    this.#waiting.push(waiting);
    this.#bytes += bytes;
    this.#schedule();
    const giveUp = () => {
      waiting.isGivenUp = true;
      waiting.settle.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await waiting.settle.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #schedule(): void {
    if (this.#isSending) return;
    if (this.#bytes >= this.#settings.batchSize) return void this.#sendAll();
    if (this.#timer !== undefined) return;
    const go = () => void this.#sendAll();
    this.#timer = this.#settings.linger === 0 ? setImmediate(go) : setTimeout(go, this.#settings.linger);
  }

  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer as NodeJS.Timeout);
    clearImmediate(this.#timer as NodeJS.Immediate);
    this.#timer = undefined;
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) await this.#sendBatch(this.#next());
    this.#isSending = false;
  }

  #next(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && bytes + waiting.bytes > this.#settings.mostTogether) break;
      bytes += waiting.bytes;
      count++;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** Settles each as soon as it is known what became of it. */
  async #sendBatch(batch: readonly Waiting[]): Promise<void> {
    const { acks, compression, retries } = this.#settings;
    const byMessage = new Map(batch.map((waiting) => [waiting.message, waiting]));
    const sending = {
      topic: this.#topic,
      acks: acksOf[acks],
      compression: compressionNumbers[compression],
      messages: [...byMessage.keys()],
      retries,
      isWanted: (message: Message) => byMessage.get(message)?.isGivenUp === false,
      over: this.#over,
    };
    await this.#producer.send(sending, (message, failure) => {
      const { resolve, reject } = (byMessage.get(message) as Waiting).settle;
      if (failure === undefined) resolve();
      else reject(failure);
    });
  }
}
