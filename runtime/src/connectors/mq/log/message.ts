import { Fields } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { bodyOf } from '../../intake/body.ts';
import type { BrokerMessage } from '../../intake/broker/broker-delivery.ts';
import { errorHeader } from '../../intake/broker/dead-letters.ts';
import type { Said } from '../../intake/broker/honoured.ts';
import type { Settlement } from '../../intake/driver.ts';
import type { LogConnection } from './connection.ts';
import { copiedHeaders, saidBy } from './copies.ts';
import type { AssignedPartition } from './group/partition.ts';
import { batchHeader, idHeader, originHeaders } from './headers.ts';
import { readKey, shownKey, textOrBytes } from './keys/codec.ts';
import type { FetchedRecord } from './library.ts';

const [topicHeader = '', partitionHeader = '', offsetHeader = ''] = originHeaders;

/** A message of a topic. The log takes none back: another try is made from its slot. */
export class LogMessage implements BrokerMessage {
  readonly key: string;
  readonly id: string | undefined;
  readonly order: string | undefined;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, string>>;
  readonly isPlaced = true;
  readonly returnable = false;
  readonly #record: FetchedRecord;
  readonly #said: Said;
  readonly #partition: AssignedPartition;
  readonly #connection: LogConnection;
  /** It was given up after its partition was lost: it has not become a dead letter. */
  #isUnburied = false;

  constructor(record: FetchedRecord, partition: AssignedPartition, connection: LogConnection) {
    const { topic, number } = partition;
    this.#record = record;
    this.#partition = partition;
    this.#connection = connection;
    this.key = topic;
    this.content = record.value ?? Buffer.alloc(0);
    this.#said = saidBy(record);
    this.headers = plainHeaders(this.#said.headers);
    const keyText = record.key === null ? undefined : record.key.toString('latin1');
    this.order = keyText === undefined ? undefined : `${topic}/${number}/${keyText}`;
    const id = this.headers[idHeader];
    this.id = typeof id === 'string' && id !== '' ? id : shownKey(record.key, 'text');
    this.origin = { [topicHeader]: topic, [partitionHeader]: String(number), [offsetHeader]: record.offset };
  }

  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>> {
    const { problem } = this.#record;
    if (problem !== undefined) throw new Failure('body_undecodable', problem);
    const key = this.#key();
    return key instanceof Promise
      ? key.then((ready) => this.#withKey(ready, codec, content))
      : this.#withKey(key, codec, content);
  }

  #withKey(
    key: unknown,
    codec: Codec | undefined,
    content: Buffer,
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    const body = this.#body(codec, content);
    return body instanceof Promise ? body.then((ready) => this.#input(ready, key)) : this.#input(body, key);
  }

  #input(body: unknown, key: unknown): Record<string, unknown> {
    const { offset } = this.#record;
    const input = new Fields() as Record<string, unknown>;
    input['body'] = body;
    input['headers'] = this.headers;
    input['topic'] = this.#partition.topic;
    input['partition'] = this.#partition.number;
    input['offset'] = Number(offset);
    input['key'] = key;
    input['timestamp'] = Math.floor(Number(this.#said.properties['timestamp']) / 1000);
    return input;
  }

  settle(settlement: Settlement): Promise<void> | void {
    const { consumer } = this.#connection;
    const [record, partition] = [this.#record, this.#partition];
    if (this.#isUnburied) return consumer.left(partition);
    if (settlement.kind !== 'requeue') return consumer.settled(partition, record);
    return settlement.byPolicy === true ? this.#sendBehind() : consumer.putBack(partition, record);
  }

  /** Absent where what is given up is dropped. */
  get bury(): ((reason: string) => Promise<void>) | undefined {
    const { deadLetterTopic } = this.#connection;
    return deadLetterTopic && ((reason) => this.#bury(deadLetterTopic(this.#partition.topic), reason));
  }

  /** The copy that a gate asks for is confirmed before the message counts as done. */
  async #sendBehind(): Promise<void> {
    const { consumer } = this.#connection;
    const [record, partition] = [this.#record, this.#partition];
    try {
      await this.#connection.resend(partition.topic, record, copiedHeaders(this.#said));
    } catch (error) {
      consumer.left(partition);
      throw error;
    }
    consumer.settled(partition, record);
  }

  #body(codec: Codec | undefined, content: Buffer): unknown | Promise<unknown> {
    const { schemas } = this.#connection;
    if (this.#record.value === null) return null;
    return schemas === undefined || codec !== undefined ? bodyOf(content, codec) : schemas.read(content);
  }

  #key(): unknown | Promise<unknown> {
    const { key } = this.#record;
    const { schemas, keyFormat } = this.#connection;
    return key !== null && schemas?.hasKeys(this.#partition.topic) ? schemas.read(key) : readKey(key, keyFormat);
  }

  /** What another member reads now is that one's. */
  async #bury(topic: string, reason: string): Promise<void> {
    if (this.#partition.isLost) {
      this.#isUnburied = true;
      return;
    }
    // What a sender wrote under that name says nothing.
    const { [batchHeader]: _, ...copied } = copiedHeaders(this.#said);
    const batch = this.#record.problem === undefined ? undefined : { [batchHeader]: 'unread' };
    const headers = { ...copied, ...this.origin, ...batch, [errorHeader]: reason };
    await this.#connection.send(topic, this.#record, headers);
  }
}

/** Headers as texts, those that are not UTF-8 as bytes, those that came several times as lists. */
export function plainHeaders(headers: Said['headers']): Record<string, unknown> {
  const plain = new Fields() as Record<string, unknown>;
  for (const [name, value] of Object.entries(headers))
    plain[name] = Array.isArray(value) ? value.map(textOfHeader) : textOfHeader(value as HeaderValue);
  return plain;
}

type HeaderValue = Buffer | string | undefined;

function textOfHeader(value: HeaderValue): string | Uint8Array | null {
  return value === undefined || value === null ? null : typeof value === 'string' ? value : textOrBytes(value);
}
