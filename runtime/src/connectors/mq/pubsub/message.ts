import { Fields } from '@svc/protocol/cel';
import type { Codec } from '../../../platform/formats/registry.ts';
import { addBody } from '../../intake/body.ts';
import type { BrokerMessage } from '../../intake/broker/broker-delivery.ts';

/** A message of a channel. The server keeps none, so that there is nothing to settle. */
export class ChannelMessage implements BrokerMessage {
  readonly key: string;
  readonly cameBy: string | undefined;
  readonly content: Buffer;
  readonly returnable = false;
  readonly atMostOnce = true;

  constructor(channel: string, pattern: string | undefined, content: Buffer) {
    this.key = channel;
    this.cameBy = pattern;
    this.content = content;
  }

  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>> {
    const input = new Fields() as Record<string, unknown>;
    const adding = addBody(input, 'raw', content, codec);
    return adding === undefined ? this.#input(input) : adding.then(() => this.#input(input));
  }

  #input(input: Record<string, unknown>): Record<string, unknown> {
    input['_channel'] = this.key;
    if (this.cameBy !== undefined) input['_pattern'] = this.cameBy;
    return input;
  }

  settle(): void {}
}
