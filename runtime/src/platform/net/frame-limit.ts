/** Bytes of a length. */
const lengthBytes = 4;

/** How a protocol says how long its messages are: by four bytes, the most significant first. */
export interface Frames {
  /** Bytes of the content of one message. */
  readonly most: number;
  /** Bytes before the length, such as a letter that says what the message is. */
  readonly before?: number;
  /** The length counts its own bytes as well. */
  readonly countsItself?: true;
}

/**
 * Follows the messages in what a server sends. Libraries keep the bytes of a message until they have all of them, however
 * many the server announces.
 */
export class FrameLimit {
  readonly #most: number;
  readonly #before: number;
  readonly #counted: number;
  /** Bytes of the header that were read. */
  #read = 0;
  #length = 0;
  /** Bytes of the content that have not come. */
  #left = 0;

  constructor({ most, before = 0, countsItself }: Frames) {
    this.#most = most;
    this.#before = before;
    this.#counted = countsItself ? lengthBytes : 0;
  }

  /** Whether no message that begins in these bytes is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, bytes.length - at);
        this.#left -= passed;
        at += passed;
        continue;
      }
      const byte = bytes[at++] as number;
      if (this.#read >= this.#before) this.#length = this.#length * 256 + byte;
      if (++this.#read < this.#before + lengthBytes) continue;
      this.#left = Math.max(0, this.#length - this.#counted);
      if (this.#left > this.#most) return false;
      this.#read = 0;
      this.#length = 0;
    }
    return true;
  }
}
