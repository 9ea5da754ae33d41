const lineFeed = 0x0a;
/** The longest line that says how long what follows is; what a server says of itself may be longer. */
const longestLine = 1_048_576;
/** `MSG subject sid [reply] bytes` and `HMSG subject sid [reply] bytes-of-headers bytes`. */
const message = /^H?MSG\s.*\s(\d+)\r?$/i;

/**
 * Follows the lines in what a server sends. The library keeps the bytes of a message until it has all of them, however
 * many the server announces.
 */
export class MessageLimit {
  readonly #most: number;
  /** Bytes of a message that are passed over, with its end. */
  #rest = 0;
  #line: Uint8Array[] = [];
  #length = 0;

  /** @param most bytes of a message with its headers */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether no message that begins in these bytes, or continues in them, is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#rest > 0) {
        const passed = Math.min(this.#rest, bytes.length - at);
        this.#rest -= passed;
        at += passed;
        continue;
      }
      const end = bytes.indexOf(lineFeed, at);
      const piece = bytes.subarray(at, end < 0 ? bytes.length : end);
      this.#length += piece.length;
      if (this.#length > longestLine) return false;
      this.#line.push(piece);
      if (end < 0) return true;
      at = end + 1;
      if (!this.#begin()) return false;
    }
    return true;
  }

  /** A line has ended. */
  #begin(): boolean {
    const line = Buffer.concat(this.#line).toString('latin1');
    this.#line = [];
    this.#length = 0;
    const bytes = Number(message.exec(line)?.[1] ?? -1);
    if (bytes > this.#most) return false;
    if (bytes >= 0) this.#rest = bytes + 2;
    return true;
  }
}
