import { placeholder } from '../../intake/broker/passed-over.ts';
import type { Rewriting } from '../../net/rewritten-data.ts';

const nothing = Buffer.alloc(0);
/** The packet that carries a message, in the upper half of its first byte. */
const publish = 3;
/** Bytes of the longest length (MQTT 3.1.1, section 2.2.3). */
const longestLength = 4;

interface Packet {
  /** Bytes that say what it is, and those behind them. */
  readonly begins: number;
  readonly length: number;
  /** What takes the place of both. */
  readonly instead?: Buffer;
}

/**
 * Follows the packets in what a broker sends. The library keeps the bytes of a packet until it has all of them, however many
 * the broker announces: of a message that is too large the bytes are passed over, and something else takes their place.
 * With version 5 a broker is notified of the limit, so that a larger packet ends the connection.
 */
export class PacketLimit implements Rewriting {
  readonly #most: number;
  readonly #passesOver: boolean;
  /** The beginning of a packet that is not understood yet. */
  #begun = nothing;
  #passes = 0;
  #skips = 0;
  #problem: Error | undefined;

  /**
   * @param most bytes of a packet behind its fixed header
   * @param passesOver whether messages that are larger are passed over; otherwise they end the connection
   */
  constructor(most: number, passesOver: boolean) {
    this.#most = most;
    this.#passesOver = passesOver;
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  rewrite(bytes: Buffer): Buffer {
    const data = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = nothing;
    const pieces: Buffer[] = [];
    let from = 0;
    let at = 0;
    while (at < data.length) {
      if (this.#passes > 0) {
        const passed = Math.min(this.#passes, data.length - at);
        this.#passes -= passed;
        at += passed;
      } else if (this.#skips > 0) {
        const skipped = Math.min(this.#skips, data.length - at);
        this.#skips -= skipped;
        at += skipped;
        from = at;
      } else {
        const packet = this.#understood(data.subarray(at));
        if (packet === undefined) {
          if (this.#problem === undefined) this.#begun = Buffer.from(data.subarray(at));
          pieces.push(data.subarray(from, at));
          return Buffer.concat(pieces);
        }
        const { begins, length, instead } = packet;
        if (instead === undefined) this.#passes = length;
        else {
          pieces.push(data.subarray(from, at), instead);
          this.#skips = length;
          from = at + begins;
        }
        at += begins;
      }
    }
    if (pieces.length === 0 && from === 0) return data;
    pieces.push(data.subarray(from, at));
    return Buffer.concat(pieces);
  }

  /** As of `read`; undefined as well: it ends the connection. */
  #understood(bytes: Buffer): Packet | undefined {
    try {
      return this.#read(bytes);
    } catch (error) {
      this.#problem = error as Error;
      return undefined;
    }
  }

  /** Undefined: more has to come. */
  #read(bytes: Buffer): Packet | undefined {
    let length = 0;
    let begins = 1;
    for (; ; begins++) {
      if (begins > longestLength) throw new Error('the broker sent a packet whose length has no end');
      const digit = bytes[begins];
      if (digit === undefined) return undefined;
      length += (digit & 0x7f) * 128 ** (begins - 1);
      if (digit < 0x80) break;
    }
    begins++;
    if (length <= this.#most) return { begins, length };
    const first = bytes[0] as number;
    if (!this.#passesOver || first >> 4 !== publish)
      throw new Error(`the broker sent a packet of more than ${this.#most} bytes (max_message)`);
    if (bytes.length < begins + 2) return undefined;
    const named = 2 + bytes.readUInt16BE(begins) + ((first & 0b110) === 0 ? 0 : 2);
    if (named > length) throw new Error('the broker sent a message whose topic is longer than it');
    if (bytes.length < begins + named) return undefined;
    const body = placeholder(length);
    const head = [Buffer.from([first, ...digitsOf(named + body.length)]), bytes.subarray(begins, begins + named)];
    return { begins: begins + named, length: length - named, instead: Buffer.concat([...head, body]) };
  }
}

function digitsOf(length: number): number[] {
  const digit = length % 128;
  return length < 128 ? [digit] : [digit + 128, ...digitsOf(Math.floor(length / 128))];
}
