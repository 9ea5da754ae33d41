import { randomBytes } from 'node:crypto';
import type { Rewriting } from '../../../platform/net/rewritten-data.ts';

/** What takes the place of an answer that was passed over begins with it: no broker knows it. */
const mark = randomBytes(16);
const nothing = Buffer.alloc(0);
/** Bytes of the length of an answer, and of the number of the request that it is for. */
const lengthBytes = 4;
const header = 8;
/** Bytes of an answer that say what is in it. */
const mostOfHead = 65_536;
/** Where a request says what it asks for, and its number. */
const at = { api: 4, correlation: 8 } as const;
const fetchApi = 1;

/** An answer to a fetch that was passed over: its size, and how it begins. */
export interface PassedOver {
  readonly bytes: number;
  readonly head: Buffer;
}

/** An answer that is being passed over. */
interface Skipped {
  readonly correlation: number;
  readonly bytes: number;
  left: number;
  readonly head: Buffer[];
  /** Bytes of the head. */
  kept: number;
}

/** What an answer to a fetch was, where another one came in its place. */
export function passedOverIn(answer: Buffer): PassedOver | undefined {
  if (!answer.subarray(0, mark.length).equals(mark)) return undefined;
  return { bytes: answer.readUInt32BE(mark.length), head: answer.subarray(mark.length + lengthBytes) };
}

/**
 * Follows the answers of a broker. The library keeps the bytes of one until it has all of them, however many the broker
 * announces: those of a fetch are passed over where they are too many, and their beginning takes their place; another
 * answer of that size ends the connection.
 */
export class ResponseLimit implements Rewriting {
  readonly #most: number;
  readonly #fetches = new Set<number>();
  /** The beginning of an answer that is not understood yet. */
  #begun = nothing;
  #passes = 0;
  #over: Skipped | undefined;
  #problem: Error | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Notes what a request asks for. */
  asked(request: Uint8Array): void {
    const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
    if (bytes.length >= at.correlation + lengthBytes && bytes.readInt16BE(at.api) === fetchApi)
      this.#fetches.add(bytes.readInt32BE(at.correlation));
  }

  rewrite(bytes: Buffer): Buffer {
    const data = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = nothing;
    const pieces: Buffer[] = [];
    let from = 0;
    let position = 0;
    while (position < data.length) {
      if (this.#passes > 0) {
        const passed = Math.min(this.#passes, data.length - position);
        this.#passes -= passed;
        position += passed;
      } else if (this.#over !== undefined) {
        const instead = this.#skip(this.#over, data.subarray(position, position + this.#over.left));
        position = instead === undefined ? data.length : position + instead.skipped;
        if (instead !== undefined) pieces.push(instead.answer);
        from = position;
      } else {
        const begins = data.subarray(position, position + header);
        const length = begins.length < lengthBytes ? 0 : begins.readUInt32BE(0);
        if (begins.length < header && (begins.length < lengthBytes || length >= lengthBytes)) {
          this.#begun = Buffer.from(begins);
          break;
        }
        const correlation = length < lengthBytes ? undefined : begins.readInt32BE(lengthBytes);
        const isFetch = correlation !== undefined && this.#fetches.delete(correlation);
        if (length <= this.#most) this.#passes = lengthBytes + length;
        else if (isFetch) {
          pieces.push(data.subarray(from, position));
          const left = length - lengthBytes;
          this.#over = { correlation, bytes: length, left, head: [], kept: 0 };
          position += header;
          from = position;
        } else {
          this.#problem = new Error(`a broker sent a response of more than ${this.#most} bytes (max_response)`);
          break;
        }
      }
    }
    if (from === 0 && pieces.length === 0 && position === data.length) return data;
    pieces.push(data.subarray(from, position));
    return Buffer.concat(pieces);
  }

  /** What takes the place of the answer, when these are its last bytes. */
  #skip(over: Skipped, bytes: Buffer): { readonly skipped: number; readonly answer: Buffer } | undefined {
    over.left -= bytes.length;
    if (over.kept < mostOfHead) {
      const kept = Buffer.from(bytes.subarray(0, mostOfHead - over.kept));
      over.head.push(kept);
      over.kept += kept.length;
    }
    if (over.left > 0) return undefined;
    this.#over = undefined;
    const answer = Buffer.concat([Buffer.alloc(header), mark, Buffer.alloc(lengthBytes), ...over.head]);
    answer.writeUInt32BE(answer.length - lengthBytes, 0);
    answer.writeInt32BE(over.correlation, lengthBytes);
    answer.writeUInt32BE(over.bytes, header + mark.length);
    return { skipped: bytes.length, answer };
  }
}
