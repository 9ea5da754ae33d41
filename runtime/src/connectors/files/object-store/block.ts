import { createHash } from 'node:crypto';

/** Bytes that are hashed before the event loop gets a turn. */
const turnBytes = 1024 * 1024;
const firstBytes = 64 * 1024;

/** A part of what is uploaded, in memory of its own: pieces of a source are freed when the next one is asked for. */
export interface Block {
  readonly bytes: Uint8Array;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  /** Nothing comes behind it. */
  readonly isLast: boolean;
}

/** What comes, in blocks of `most` bytes; the last one has fewer, or none when it is the only one. */
export async function* blocksOf(source: AsyncIterable<Uint8Array>, most: number, size?: number): AsyncGenerator<Block> {
  let block = new Filling(most, size);
  for await (const piece of source)
    for (let at = 0; at < piece.byteLength; ) {
      if (block.isFull) {
        yield block.end(false);
        block = new Filling(most, undefined);
      }
      const taken = block.take(piece.subarray(at, at + turnBytes));
      at += taken;
      if (piece.byteLength > turnBytes) await new Promise((resolve) => setImmediate(resolve));
    }
  yield block.end(true);
}

class Filling {
  readonly #most: number;
  readonly #hash = createHash('sha256');
  #bytes: Buffer;
  #size = 0;

  /** `size`: bytes that are expected, where they are known. */
  constructor(most: number, size: number | undefined) {
    this.#most = most;
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(most, size ?? firstBytes));
  }

  get isFull(): boolean {
    return this.#size === this.#most;
  }

  /** Takes what has room, and says how many bytes that is. */
  take(piece: Uint8Array): number {
    const count = Math.min(piece.byteLength, this.#most - this.#size);
    this.#makeRoom(this.#size + count);
    const taken = piece.subarray(0, count);
    this.#bytes.set(taken, this.#size);
    this.#hash.update(taken);
    this.#size += count;
    return count;
  }

  end(isLast: boolean): Block {
    return { bytes: this.#bytes.subarray(0, this.#size), hash: this.#hash.digest('hex'), isLast };
  }

  #makeRoom(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#most, Math.max(size, this.#bytes.length * 2)));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}
