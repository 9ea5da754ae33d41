import { Fields } from '@svc/protocol/cel';
import type { IPublishPacket } from 'mqtt';
import type { Codec } from '../../platform/formats/registry.ts';
import { addBody } from '../intake/body.ts';
import type { BrokerMessage } from '../intake/broker/broker-delivery.ts';
import type { Settlement } from '../intake/driver.ts';

/** What the broker waits for of one message. */
export interface HeldMessage {
  acknowledge(): void;
  /** It is not held here any more. */
  end(): void;
}

/** A message of a topic. The broker takes none back: another try is made from its slot. */
export class MqttMessage implements BrokerMessage {
  readonly key: string;
  readonly content: Buffer;
  readonly returnable = false;
  readonly atMostOnce: boolean;
  /** User properties (version 5); trace context is read from them. */
  readonly headers: Readonly<Record<string, unknown>> | undefined;
  readonly #packet: IPublishPacket;
  readonly #held: HeldMessage | undefined;

  /** `topic` is written out where the packet carries an alias. `held` is absent with quality of service 0. */
  constructor(topic: string, packet: IPublishPacket, held?: HeldMessage) {
    this.key = topic;
    this.content = Buffer.from(packet.payload);
    this.atMostOnce = packet.qos === 0;
    this.headers = packet.properties?.userProperties;
    this.#packet = packet;
    this.#held = held;
  }

  /** Whether the broker had kept it. */
  get isRetained(): boolean {
    return this.#packet.retain;
  }

  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>> {
    const input = new Fields() as Record<string, unknown>;
    const adding = addBody(input, '_raw', content, codec);
    return adding === undefined ? this.#input(input) : adding.then(() => this.#input(input));
  }

  #input(input: Record<string, unknown>): Record<string, unknown> {
    const { qos, retain, messageId = 0, properties } = this.#packet;
    input['_topic'] = this.key;
    input['_message_id'] = messageId;
    input['_qos'] = qos;
    input['_retained'] = retain;
    if (properties === undefined) return input;
    const { contentType, responseTopic, correlationData } = properties;
    if (this.headers !== undefined) input['_headers'] = Object.assign(new Fields(), this.headers);
    if (contentType !== undefined) input['_content_type'] = contentType;
    if (responseTopic !== undefined) input['_response_topic'] = responseTopic;
    if (correlationData !== undefined) input['_correlation_data'] = new Uint8Array(correlationData);
    return input;
  }

  settle({ kind }: Settlement): void {
    // What is not acknowledged is delivered again over the next connection.
    if (kind !== 'requeue') this.#held?.acknowledge();
    this.#held?.end();
  }
}
