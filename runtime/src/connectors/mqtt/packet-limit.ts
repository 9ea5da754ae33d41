/** What of a fixed header is read next; the rest of a packet is passed over. */
type Expected = 'type' | 'length' | 'rest';

/**
 * Follows the packets in what a broker sends (MQTT 3.1.1, section 2.2). The library keeps the bytes of a packet until it
 * has all of them, however many the broker announces.
 */
export class PacketLimit {
  readonly #most: number;
  #expected: Expected = 'type';
  #length = 0;
  /** What a digit of the length counts: 128 to the power of its place. */
  #place = 1;

  /** @param most bytes of a packet behind its fixed header */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether no packet that begins in these bytes, or continues in them, is larger than allowed. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#expected === 'rest') {
        const passed = Math.min(this.#length, bytes.length - at);
        this.#length -= passed;
        at += passed;
        if (this.#length === 0) this.#expected = 'type';
        continue;
      }
      const byte = bytes[at++] as number;
      if (this.#expected === 'type') {
        this.#expected = 'length';
        this.#length = 0;
        this.#place = 1;
        continue;
      }
      this.#length += (byte & 0x7f) * this.#place;
      this.#place *= 128;
      if (this.#length > this.#most) return false;
      if (byte < 0x80) this.#expected = this.#length === 0 ? 'type' : 'rest';
    }
    return true;
  }
}
