/** Bytes that are not framed messages; nothing that follows can be read. */
export class FramingError extends Error {
  override readonly name = 'FramingError';
}

const longestHeader = 8_192;
const largestMessage = 64 * 1024 * 1024;

/**
 * Cuts a stream of bytes into messages, each behind a header with its length in bytes (Language Server Protocol, "Base
 * protocol"). `decode` reads UTF-8.
 */
export class FrameReader {
  readonly #decode: (bytes: Uint8Array) => string;
  #waiting: Uint8Array[] = [];
  #size = 0;
  /** Length of the body that is awaited; undefined while a header is. */
  #expected: number | undefined;

  constructor(decode: (bytes: Uint8Array) => string) {
    this.#decode = decode;
  }

  /** Takes what arrived and gives the messages that are complete. Throws FramingError for what is not a frame. */
  push(chunk: Uint8Array): readonly string[] {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    const messages: string[] = [];
    for (;;) {
      if (this.#expected === undefined && !this.#readHeader()) return messages;
      if (this.#size < (this.#expected as number)) return messages;
      messages.push(this.#decode(this.#take(this.#expected as number)));
      this.#expected = undefined;
    }
  }

  #readHeader(): boolean {
    const bytes = this.#joined();
    const end = endOfHeader(bytes);
    if (end < 0) {
      if (bytes.length > longestHeader) throw new FramingError(`a header is longer than ${longestHeader} bytes`);
      return false;
    }
    const header = String.fromCharCode(...this.#take(end).subarray(0, Math.min(end, longestHeader)));
    const length = /^content-length:[ \t]*(\d{1,10})[ \t]*\r?$/im.exec(header)?.[1];
    if (length === undefined) throw new FramingError('a header has no Content-Length');
    if (Number(length) > largestMessage) throw new FramingError(`a message is longer than ${largestMessage} bytes`);
    this.#expected = Number(length);
    return true;
  }

  #joined(): Uint8Array {
    const [first] = this.#waiting;
    if (this.#waiting.length === 1 && first) return first;
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#waiting) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    this.#waiting = [whole];
    return whole;
  }

  #take(count: number): Uint8Array {
    const whole = this.#joined();
    this.#waiting = [whole.subarray(count)];
    this.#size -= count;
    return whole.subarray(0, count);
  }
}

/** The offset behind the empty line that ends a header; -1 when it has not arrived. */
function endOfHeader(bytes: Uint8Array): number {
  for (let at = 3; at < bytes.length && at <= longestHeader; at++)
    if (bytes[at] === 10 && bytes[at - 1] === 13 && bytes[at - 2] === 10 && bytes[at - 3] === 13) return at + 1;
  return -1;
}

/** The header of a message of so many bytes. */
export function frameHeader(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}
