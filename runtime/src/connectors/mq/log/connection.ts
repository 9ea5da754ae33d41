import { Failure } from '../../../foundation/errors/failure.ts';
import { type Connection, textOf } from '../../../platform/net/connection.ts';
import type { LogClient } from './client.ts';
import { failureOf } from './failure.ts';
import type { GroupConsumer } from './group/consumer.ts';
import type { KeyFormat } from './keys/formats.ts';
import type { Cluster, FetchedRecord } from './library.ts';
import type { Idempotence } from './publish/identity.ts';
import { Sender } from './publish/sender.ts';
import type { SchemaValues } from './schemas/values.ts';

export interface LogConnectionOptions {
  readonly client: LogClient;
  readonly cluster: Cluster;
  readonly consumer: GroupConsumer;
  /** Where messages of a topic go that are given up. Undefined: they are dropped. */
  readonly deadLetterTopic: ((topic: string) => string) | undefined;
  /** What keys are that have no schema. */
  readonly keyFormat: KeyFormat;
  /** Undefined: messages name no schemas. */
  readonly schemas: SchemaValues | undefined;
  /** Of dead letters, and of what is given back. */
  readonly idempotence: Idempotence;
  readonly lost: (reason: string) => void;
}

type CopiedHeaders = Readonly<Record<string, Buffer | string>>;

/** A client that takes part in a group, and sends on what is given up. */
export class LogConnection implements Connection {
  readonly client: LogClient;
  readonly cluster: Cluster;
  readonly consumer: GroupConsumer;
  readonly deadLetterTopic: ((topic: string) => string) | undefined;
  readonly keyFormat: KeyFormat;
  readonly schemas: SchemaValues | undefined;
  readonly #idempotence: Idempotence;
  readonly #giveUp: (reason: string) => void;
  #isReplaced = false;
  readonly #over = new AbortController();
  #sender: Promise<Sender> | undefined;

  constructor(options: LogConnectionOptions) {
    const { client, cluster, consumer, deadLetterTopic, keyFormat, schemas, idempotence, lost } = options;
    this.#idempotence = idempotence;
    this.client = client;
    this.cluster = cluster;
    this.consumer = consumer;
    this.deadLetterTopic = deadLetterTopic;
    this.keyFormat = keyFormat;
    this.schemas = schemas;
    this.#giveUp = lost;
  }

  /** Learns where the partitions of topics are. */
  async know(topics: readonly string[]): Promise<void> {
    await this.cluster.addMultipleTargetTopics([...topics]);
  }

  /** Joins the group, to read these topics. */
  async read(topics: readonly string[]): Promise<void> {
    await this.know(topics);
    this.consumer.start();
  }

  /**
   * Sends a copy of a message. One that cannot be sent would be passed over by what is committed behind it: then the
   * connection is given up, and all begins again where the group is.
   */
  async resend(topic: string, record: FetchedRecord, headers: CopiedHeaders): Promise<void> {
    try {
      await this.send(topic, record, headers);
    } catch (error) {
      this.#giveUp(textOf(error));
      throw error;
    }
  }

  /** Sends a copy of a message. Resolves when every replica in step has it. */
  async send(topic: string, { key, value }: FetchedRecord, headers: CopiedHeaders): Promise<void> {
    try {
      this.#sender ??= this.#connectSender();
      await (await this.#sender).send(topic, { key, value, headers });
    } catch (error) {
      const { code, message, retriable } = failureOf(error);
      throw new Failure(code, `a message cannot be sent to topic "${topic}": ${message}`, { cause: error, retriable });
    }
  }

  replaced(): void {
    this.#isReplaced = true;
  }

  async close(): Promise<void> {
    await this.consumer.close(this.#isReplaced);
    this.#over.abort();
    await (await this.#sender?.catch(() => undefined))?.producer.disconnect();
    await this.cluster.disconnect();
    this.client.end('the connection is closed');
  }

  destroy(): void {
    this.#over.abort();
    this.consumer.destroy();
    this.client.end('the connection was given up');
  }

  async #connectSender(): Promise<Sender> {
    try {
      const producer = await this.client.producer(this.#idempotence);
      await producer.connect();
      return new Sender(producer, this.#over.signal);
    } catch (error) {
      this.#sender = undefined;
      throw error;
    }
  }
}

/** Says why brokers cannot be asked, where the library says only that they cannot. */
export function refused(error: unknown): Error {
  return new Error(textOf(failureOf(error)), { cause: error });
}
