import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Fields } from '@svc/protocol/cel';
import type { IPublishPacket } from 'mqtt';
import { anonymous } from '../../contracts/message.ts';
import { Failure } from '../../errors/failure.ts';
import { decodeBody } from '../../formats/decode.ts';
import { type Codec, codecOf } from '../../formats/registry.ts';
import { textOf } from '../../formats/text.ts';
import type { Arrival, Settlement } from '../../intake/driver.ts';

/** A message of a topic. The broker takes none back: another try is made from its slot. */
export class TopicMessage implements Arrival {
  readonly key: string;
  readonly id = undefined;
  readonly tries = 0;
  readonly returnable = false;
  readonly atMostOnce: boolean;
  readonly #packet: IPublishPacket;
  readonly #acknowledge: () => Promise<void>;

  /** `topic` is written out where the packet carries an alias. */
  constructor(topic: string, packet: IPublishPacket, acknowledge: () => Promise<void>) {
    this.key = topic;
    this.atMostOnce = packet.qos === 0;
    this.#packet = packet;
    this.#acknowledge = acknowledge;
  }

  identity(): string {
    return createHash('sha1').update(`${this.key}\n`).update(this.#packet.payload).digest('base64');
  }

  async message(codec: Codec | undefined) {
    const { qos, retain, messageId = 0, payload } = this.#packet;
    const input = new Fields() as Record<string, unknown>;
    const body = await bodyOf(Buffer.from(payload), codec);
    if (typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array))
      Object.assign(input, body);
    else input['_raw'] = body;
    input['_topic'] = this.key;
    input['_message_id'] = messageId;
    input['_qos'] = qos;
    input['_retained'] = retain;
    return { input, auth: anonymous, addressed: [] };
  }

  async settle({ kind }: Settlement): Promise<void> {
    // What is not acknowledged is delivered again over the next connection.
    if (kind !== 'requeue') await this.#acknowledge();
  }
}

/** A JSON object as it is; everything else as the text that it is written in, or as bytes. */
async function bodyOf(payload: Buffer, codec: Codec | undefined): Promise<unknown> {
  if (!isUtf8(payload)) return new Uint8Array(payload);
  if (codec !== undefined) return decodeBody(codec, payload);
  try {
    const value = await decodeBody(await codecOf('json'), payload);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : textOf(payload);
  } catch (error) {
    if (error instanceof Failure && error.code === 'body_undecodable') return textOf(payload);
    throw error;
  }
}
