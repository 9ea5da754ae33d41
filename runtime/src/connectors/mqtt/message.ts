import { Fields } from '@svc/protocol/cel';
import type { IPublishPacket } from 'mqtt';
import type { Codec } from '../../formats/registry.ts';
import { addBody } from '../../intake/body.ts';
import type { BrokerMessage } from '../../intake/broker-delivery.ts';
import type { Settlement } from '../../intake/driver.ts';

/** A message of a topic. The broker takes none back: another try is made from its slot. */
export class MqttMessage implements BrokerMessage {
  readonly key: string;
  readonly content: Buffer;
  readonly returnable = false;
  readonly atMostOnce: boolean;
  readonly #packet: IPublishPacket;
  readonly #acknowledge: () => Promise<void>;

  /** `topic` is written out where the packet carries an alias. */
  constructor(topic: string, packet: IPublishPacket, acknowledge: () => Promise<void>) {
    this.key = topic;
    this.content = Buffer.from(packet.payload);
    this.atMostOnce = packet.qos === 0;
    this.#packet = packet;
    this.#acknowledge = acknowledge;
  }

  async input(codec: Codec | undefined): Promise<Record<string, unknown>> {
    const { qos, retain, messageId = 0 } = this.#packet;
    const input = new Fields() as Record<string, unknown>;
    await addBody(input, '_raw', this.content, codec);
    input['_topic'] = this.key;
    input['_message_id'] = messageId;
    input['_qos'] = qos;
    input['_retained'] = retain;
    return input;
  }

  async settle({ kind }: Settlement): Promise<void> {
    // What is not acknowledged is delivered again over the next connection.
    if (kind !== 'requeue') await this.#acknowledge();
  }
}
