/** Bytes before the content of a message: its letter, and its length, which counts itself (Message Formats of the server). */
const header = 5;

/**
 * Follows the messages in what a server sends. The library keeps the bytes of a message until it has all of them, however
 * many the server announces.
 */
export class FrameLimit {
  readonly #most: number;
  /** Bytes of the header that were read. */
  #read = 0;
  #length = 0;
  /** Bytes of the content that are still to come. */
  #left = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** Whether no message that begins in these bytes, or continues in them, is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, bytes.length - at);
        this.#left -= passed;
        at += passed;
        continue;
      }
      const byte = bytes[at++] as number;
      if (this.#read > 0) this.#length = this.#length * 256 + byte;
      this.#read++;
      if (this.#read < header) continue;
      this.#left = Math.max(0, this.#length - 4);
      if (this.#left > this.#most) return false;
      this.#read = 0;
      this.#length = 0;
    }
    return true;
  }
}
