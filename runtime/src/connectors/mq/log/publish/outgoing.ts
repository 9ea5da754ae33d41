import type { Message } from 'kafkajs';
import { Failure } from '../../../../errors/failure.ts';
import { backoffDelay } from '../../../../net/backoff.ts';
import type { Clock } from '../../../../observe/clock.ts';
import { type Compression, compressionNumbers } from '../codecs.ts';
import type { LogProducer } from '../producer.ts';

export interface SendSettings {
  readonly acks: 'all' | 'leader' | 'none';
  /** Tries after the first one. */
  readonly retries: number;
  /** Bytes of waiting messages that are sent without waiting for others. */
  readonly batchSize: number;
  /** Milliseconds that the first waiting message waits for others. */
  readonly linger: number;
  readonly compression: Compression;
}

/** One message on its way. */
interface Waiting {
  readonly message: Message;
  readonly bytes: number;
  readonly settle: PromiseWithResolvers<void>;
  isGivenUp: boolean;
}

/** A message that is not confirmed. */
interface Unsent {
  readonly waiting: Waiting;
  readonly failure: Failure;
}

const acksOf = { all: -1, leader: 1, none: 0 } as const;
/** Between two tries. */
const backoff = { kind: 'exponential', delay: 100, maxDelay: 1_000, jitter: true } as const;
/** Most messages that wait for one topic. */
const mostWaiting = 10_000;
/** Bytes of messages that go together; a broker takes about a megabyte by default. */
const mostTogether = 900_000;

/** The messages of one topic: those that come while others are on their way go together, and none overtakes another. */
export class Outgoing {
  readonly #topic: string;
  readonly #producer: LogProducer;
  readonly #settings: SendSettings;
  readonly #clock: Clock;
  readonly #over: AbortSignal;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isSending = false;

  /** @param over no further try is made when it fires */
  constructor(topic: string, producer: LogProducer, settings: SendSettings, clock: Clock, over: AbortSignal) {
    this.#topic = topic;
    this.#producer = producer;
    this.#settings = settings;
    this.#clock = clock;
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
      if (count > 0 && bytes + waiting.bytes > mostTogether) break;
      bytes += waiting.bytes;
      count++;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** What no caller waits for any more is not sent, or not again; nor is what the brokers have. */
  async #sendBatch(all: readonly Waiting[]): Promise<void> {
    const { retries } = this.#settings;
    let open = all;
    for (let tries = 1; ; tries++) {
      open = open.filter(({ isGivenUp }) => !isGivenUp);
      if (open.length === 0) return;
      const unsent = await this.#sendOnce(open);
      // One message that the broker will never take does not take along those that went to its partition with it.
      const refused = unsent.filter(({ failure }) => !failure.retriable);
      if (refused.length > 1) for (const { waiting } of refused) await this.#sendBatch([waiting]);
      else for (const { waiting, failure } of refused) waiting.settle.reject(failure);
      const failed = unsent.filter(({ failure }) => failure.retriable);
      if (tries > retries || this.#over.aborted) {
        for (const { waiting, failure } of failed) waiting.settle.reject(failure);
        return;
      }
      open = failed.map(({ waiting }) => waiting);
      if (open.length === 0) return;
      await this.#clock.sleep(backoffDelay(backoff, tries), this.#over).catch(() => undefined);
    }
  }

  /** Settles what the brokers have, as soon as they have it; resolves with the rest. */
  async #sendOnce(batch: readonly Waiting[]): Promise<readonly Unsent[]> {
    const { acks, compression } = this.#settings;
    const byMessage = new Map(batch.map((waiting) => [waiting.message, waiting]));
    const unsent: Unsent[] = [];
    const sending = {
      topic: this.#topic,
      acks: acksOf[acks],
      compression: compressionNumbers[compression],
      messages: [...byMessage.keys()],
    };
    await this.#producer.send(sending, (message, failure) => {
      const waiting = byMessage.get(message) as Waiting;
      if (failure === undefined) waiting.settle.resolve();
      else unsent.push({ waiting, failure });
    });
    return unsent;
  }
}
