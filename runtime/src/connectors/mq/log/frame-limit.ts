/** Bytes of the length before each response. */
const lengthBytes = 4;

/**
 * Follows the responses in what a broker sends. The library keeps the bytes of a response until it has all of them, however
 * many the broker announces.
 */
export class FrameLimit {
  readonly #most: number;
  #length = 0;
  /** Bytes of the length that were read. */
  #read = 0;
  /** Bytes of the response that have not come. */
  #left = 0;

  /** @param most bytes of one response */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether no response that begins in these bytes is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, bytes.length - at);
        this.#left -= passed;
        at += passed;
        continue;
      }
      this.#length = this.#length * 256 + (bytes[at++] as number);
      if (++this.#read < lengthBytes) continue;
      if (this.#length > this.#most) return false;
      this.#left = this.#length;
      this.#length = 0;
      this.#read = 0;
    }
    return true;
  }
}
