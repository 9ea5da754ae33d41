import { Fields } from '@svc/protocol/cel';
import { encodeJson } from '../../../../platform/formats/json.ts';
import type { BrokerMessage } from '../../../intake/broker/broker-delivery.ts';
import { isFields } from '../answer.ts';

/** An event of a subscription. The server keeps none, so that there is nothing to settle. */
export class EventMessage implements BrokerMessage {
  /** The operation that it was subscribed by. */
  readonly key: string;
  readonly returnable = false;
  readonly atMostOnce = true;
  readonly #value: unknown;

  constructor(operation: string, value: unknown) {
    this.key = operation;
    this.#value = value;
  }

  get content(): Buffer {
    return Buffer.from(encodeJson(this.#value));
  }

  /** The fields of an object by their names, anything else as `data`; another object for each call. */
  input(): Record<string, unknown> {
    const input = new Fields() as Record<string, unknown>;
    const value: unknown = structuredClone(this.#value);
    if (isFields(value)) Object.assign(input, value);
    else input['data'] = value;
    return input;
  }

  settle(): void {}
}
