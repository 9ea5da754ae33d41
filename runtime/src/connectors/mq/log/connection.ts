import { Failure } from '../../../errors/failure.ts';
import { type Connection, textOf } from '../../../net/connection.ts';
import type { LogClient } from './client.ts';
import { failureOf } from './failure.ts';
import type { GroupConsumer } from './group/consumer.ts';
import type { KeyFormat } from './keys/formats.ts';
import type { Cluster, FetchedRecord } from './library.ts';
import { isWithoutLeader, type LogProducer } from './publish/producer.ts';
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
  readonly lost: (reason: string) => void;
}

type CopiedHeaders = Readonly<Record<string, Buffer | string>>;

/** Tries to send a message on before the connection counts as lost. */
const mostTries = 3;

/** A client that takes part in a group, and sends on what is given up. */
export class LogConnection implements Connection {
  readonly client: LogClient;
  readonly cluster: Cluster;
  readonly consumer: GroupConsumer;
  readonly deadLetterTopic: ((topic: string) => string) | undefined;
  readonly keyFormat: KeyFormat;
  readonly schemas: SchemaValues | undefined;
  readonly #giveUp: (reason: string) => void;
  #isReplaced = false;
  #producer: Promise<LogProducer> | undefined;

  constructor({ client, cluster, consumer, deadLetterTopic, keyFormat, schemas, lost }: LogConnectionOptions) {
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
    for (let tries = 1; ; tries++) {
      this.#producer ??= this.#connectProducer();
      const producer = this.#producer;
      try {
        return await (await producer).sendOne(topic, { key, value, headers });
      } catch (error) {
        if (tries < mostTries && !isWithoutLeader(error)) continue;
        if (this.#producer === producer) this.#producer = undefined;
        producer.then((given) => given.disconnect()).catch(() => undefined);
        const { code, message, retriable } = failureOf(error);
        throw new Failure(code, `a message cannot be sent to topic "${topic}": ${message}`, {
          cause: error,
          retriable,
        });
      }
    }
  }

  replaced(): void {
    this.#isReplaced = true;
  }

  async close(): Promise<void> {
    await this.consumer.close(this.#isReplaced);
    await (await this.#producer?.catch(() => undefined))?.disconnect();
    await this.cluster.disconnect();
    this.client.end('the connection is closed');
  }

  destroy(): void {
    this.consumer.destroy();
    this.client.end('the connection was given up');
  }

  async #connectProducer(): Promise<LogProducer> {
    const producer = await this.client.producer();
    await producer.connect();
    return producer;
  }
}

/** Says why brokers cannot be asked, where the library says only that they cannot. */
export function refused(error: unknown): Error {
  return new Error(textOf(failureOf(error)), { cause: error });
}
