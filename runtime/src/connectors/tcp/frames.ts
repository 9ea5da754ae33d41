import { Failure } from '../../foundation/errors/failure.ts';

/** How the bytes of one message are set apart from those of the next (docs/specification/tcp.md#frames). */
export interface Framing {
  /** Reads the messages of one connection, none of more than `most` bytes. */
  reader(most: number): FrameReader;
  /** The message as it is sent; a text is written in UTF-8. */
  frame(message: string | Uint8Array): Buffer;
}

export interface FrameReader {
  /**
   * The messages that a piece of the stream completes, in order. Throws a Failure for what begins no message; nothing can
   * be read of the connection after that.
   */
  take(piece: Buffer): Buffer[];
  /** Whether a message has begun and is not complete. */
  readonly isBegun: boolean;
}

const prefixBytes = 4;

/** Bytes of a message. */
export function byteLength(message: string | Uint8Array): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.length;
}

/** Four bytes with the length, big-endian, and then so many bytes. */
export const prefixed: Framing = {
  reader: (most) => new PrefixedReader(most),
  frame: (message) => {
    const length = byteLength(message);
    const frame = Buffer.allocUnsafe(prefixBytes + length);
    frame.writeUInt32BE(length, 0);
    if (typeof message === 'string') frame.write(message, prefixBytes);
    else frame.set(message, prefixBytes);
    return frame;
  },
};

class PrefixedReader implements FrameReader {
  readonly #most: number;
  /** What came and is not read yet is between `#start` and `#end`; it grows with what came, whatever the length says. */
  #kept: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isBegun(): boolean {
    return this.#end > this.#start;
  }

  take(piece: Buffer): Buffer[] {
    this.#keep(piece);
    const messages: Buffer[] = [];
    while (this.#end - this.#start >= prefixBytes) {
      const length = this.#kept.readUInt32BE(this.#start);
      if (length === 0) throw malformed('a message has a length of 0');
      if (length > this.#most) throw tooLarge(this.#most);
      const end = this.#start + prefixBytes + length;
      if (end > this.#end) break;
      messages.push(this.#kept.subarray(this.#start + prefixBytes, end));
      this.#start = end;
    }
    return messages;
  }

  #keep(piece: Buffer): void {
    const rest = this.#end - this.#start;
    if (rest === 0) {
      // Most pieces are whole messages: they are read where they are.
      this.#kept = piece;
    } else if (this.#end + piece.length <= this.#kept.length && this.#isOwn) {
      piece.copy(this.#kept, this.#end);
      this.#end += piece.length;
      return;
    } else {
      const larger = Buffer.allocUnsafe(Math.max(2 * (rest + piece.length), 1024));
      this.#kept.copy(larger, 0, this.#start, this.#end);
      piece.copy(larger, rest);
      this.#kept = larger;
      this.#isOwn = true;
      this.#start = 0;
      this.#end = rest + piece.length;
      return;
    }
    this.#isOwn = false;
    this.#start = 0;
    this.#end = piece.length;
  }

  /** Whether the bytes are kept in memory of this reader, which may be written to. */
  #isOwn = false;
}

const delimiter = '#';
/** Digits of a length; 16 MiB has eight. */
const mostDigits = 8;

/**
 * The length in decimal digits, `#`, and then so much text. NestJS counts UTF-16 code units of the text where this program
 * sends only ASCII, of which every way of counting gives the same.
 */
export const counted: Framing = {
  reader: (most) => new CountedReader(most),
  frame: (message) => {
    const head = `${byteLength(message)}${delimiter}`;
    if (typeof message === 'string') return Buffer.from(head + message);
    return Buffer.concat([Buffer.from(head), message]);
  },
};

class CountedReader implements FrameReader {
  readonly #most: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #text = '';
  /** Code units of the message that has begun; undefined before its length was read. */
  #length: number | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get isBegun(): boolean {
    return this.#text !== '' || this.#length !== undefined;
  }

  take(piece: Buffer): Buffer[] {
    this.#text += this.#decode(piece);
    const messages: Buffer[] = [];
    for (;;) {
      this.#length ??= this.#readLength();
      if (this.#length === undefined || this.#text.length < this.#length) return messages;
      messages.push(Buffer.from(this.#text.slice(0, this.#length)));
      this.#text = this.#text.slice(this.#length);
      this.#length = undefined;
    }
  }

  #decode(piece: Buffer): string {
    try {
      return this.#decoder.decode(piece, { stream: true });
    } catch (error) {
      throw malformed('a message is not UTF-8', error);
    }
  }

  #readLength(): number | undefined {
    const end = this.#text.slice(0, mostDigits + 1).indexOf(delimiter);
    const digits = end < 0 ? this.#text.slice(0, mostDigits + 1) : this.#text.slice(0, end);
    if (!/^\d*$/.test(digits) || end === 0 || digits.length > mostDigits)
      throw malformed(`a message does not begin with its length and ${delimiter}`);
    if (end < 0) return undefined;
    const length = Number(digits);
    if (length === 0) throw malformed('a message has a length of 0');
    if (length > this.#most) throw tooLarge(this.#most);
    this.#text = this.#text.slice(end + 1);
    return length;
  }
}

function malformed(message: string, cause?: unknown): Failure {
  return new Failure('body_undecodable', message, { cause });
}

function tooLarge(most: number): Failure {
  return new Failure('body_too_large', `a message has at most ${most} bytes (max_message)`);
}
