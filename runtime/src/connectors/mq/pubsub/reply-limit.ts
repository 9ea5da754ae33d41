/** Types of replies whose first line is the length of what follows: texts, errors, texts with a format. */
const withLength = new Set([0x24, 0x21, 0x3d]);
const lineFeed = 0x0a;
/** The longest line that announces something; longer ones are texts. */
const digits = 20;

/**
 * Follows the replies in what a server sends (RESP 2 and 3). The library keeps the bytes of a text until it has all of
 * them, however many the server announces.
 */
export class ReplyLimit {
  /** Bytes of a text. */
  most: number;
  /** Bytes of a text that are passed over, with its end. */
  #rest = 0;
  #line: number[] = [];
  #lineLength = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** Whether no text that begins in these bytes, or continues in them, is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#rest > 0) {
        const passed = Math.min(this.#rest, bytes.length - at);
        this.#rest -= passed;
        at += passed;
        continue;
      }
      const byte = bytes[at++] as number;
      if (byte === lineFeed) {
        if (!this.#begin()) return false;
      } else {
        if (this.#line.length < digits) this.#line.push(byte);
        if (++this.#lineLength > this.most) return false;
      }
    }
    return true;
  }

  /** A line has ended. */
  #begin(): boolean {
    const [type = 0, ...rest] = this.#line;
    this.#line = [];
    this.#lineLength = 0;
    const length = withLength.has(type) ? Number.parseInt(String.fromCharCode(...rest), 10) : -1;
    if (length > this.most) return false;
    if (length >= 0) this.#rest = length + 2;
    return true;
  }
}
