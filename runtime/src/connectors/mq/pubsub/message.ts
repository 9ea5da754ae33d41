import { Fields } from '@svc/protocol/cel';
import type { Codec } from '../../../formats/registry.ts';
import { addBody } from '../../../intake/body.ts';
import type { BrokerMessage } from '../../../intake/broker/broker-delivery.ts';

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

  async input(codec: Codec | undefined): Promise<Record<string, unknown>> {
    const input = new Fields() as Record<string, unknown>;
    await addBody(input, 'raw', this.content, codec);
    input['_channel'] = this.key;
    if (this.cameBy !== undefined) input['_pattern'] = this.cameBy;
    return input;
  }

  settle(): void {}
}
