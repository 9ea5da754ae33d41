import { PluginProblem } from '../install/problem.ts';

/** Bytes of the longest line. */
const longestLine = 4_096;

/** Takes lines and numbers of bytes out of a stream. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next line, without its end. Throws PluginProblem at the end of the stream. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(0x0a);
      if (end >= 0) return this.#take(end + 1).toString('latin1', 0, end);
      if (this.#held.length > longestLine) throw new PluginProblem('git wrote a line that is too long.');
      this.#held = Buffer.concat([this.#held, await this.#next()]);
    }
  }

  /** The next bytes, as they come. Throws PluginProblem when there are fewer. */
  async *bytes(count: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = count; left > 0; ) {
      if (this.#held.length === 0) this.#held = await this.#next();
      const piece = this.#take(Math.min(left, this.#held.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Lets the stream end. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  #take(count: number): Buffer {
    const piece = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return piece;
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#pieces.next();
    if (done === true) throw new PluginProblem('git ended in the middle of a file.');
    return value;
  }
}
