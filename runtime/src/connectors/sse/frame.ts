import type { Posted } from '../../platform/http/live/push.ts';

/** Text of a stream of events, made once for all who get it. */
export class EventFrame {
  /** Of an event that is kept for those who come again; undefined: of a comment or a notice. */
  readonly id: string | undefined;
  /** As a chunk of HTTP/1.1 (RFC 9112, 7.1). */
  readonly chunk: Buffer;
  readonly #head: number;

  constructor(text: string, id?: string) {
    const size = Buffer.byteLength(text).toString(16);
    this.id = id;
    this.chunk = Buffer.from(`${size}\r\n${text}\r\n`);
    this.#head = size.length + 2;
  }

  get length(): number {
    return this.chunk.length;
  }

  /** Without the framing of a chunk. */
  get bytes(): Buffer {
    return this.chunk.subarray(this.#head, -2);
  }
}

/** What a flow sends: the text of its JSON has no line break (HTML, 9.2.6). */
export function eventFrame({ id, push: { text } }: Posted): EventFrame {
  return new EventFrame(`id: ${id}\nevent: message\ndata: ${text}\n\n`, id);
}

/** Says that the stream lasts, to what is between it and its client. */
export const heartbeat = new EventFrame(': keepalive\n\n');

/** Milliseconds that a client waits before it connects again. */
export function retryFrame(milliseconds: number): EventFrame {
  return new EventFrame(`retry: ${milliseconds}\n\n`);
}

/** The client has missed something that is not kept any longer. */
export const gap = new EventFrame('event: gap\ndata: {}\n\n');
