import protobuf from 'protobufjs';
import { anonymous } from '../../../../foundation/contracts/message.ts';
import { readMessage } from '../../../../platform/formats/protobuf/read.ts';
import type { Delivery, MessageContent } from '../../../intake/driver.ts';

export interface StreamMessageParts {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly type: protobuf.Type;
  readonly defaults: boolean;
  /** Called once, at the end. */
  readonly settled: () => void;
}

/** One message of a stream. The server keeps none, so that there is nothing to say to it. */
export class StreamMessage implements Delivery {
  readonly id = undefined;
  readonly tries = 0;
  readonly returnable = false;
  readonly #parts: StreamMessageParts;

  constructor(parts: StreamMessageParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.key;
  }

  identity(): string {
    return '';
  }

  /** Another object for each flow. */
  message(): MessageContent {
    const { type, bytes, defaults } = this.#parts;
    const input = readMessage(type, protobuf.Reader.create(bytes), { defaults, wellKnown: true });
    return { input: input as Record<string, unknown>, auth: anonymous, addressed: [] };
  }

  settle(): void {
    this.#parts.settled();
  }
}
