import type { Rewriting } from '../../net/rewritten-data.ts';

/** What a line of a protocol says of the bytes behind it. */
export interface Announcement {
  /** Bytes that follow, with their end. */
  readonly follows: number;
  /** What comes in the place of line and bytes that are too large. */
  readonly instead?: {
    readonly line: string;
    /** Bytes that are kept of those that follow, from the first one on. */
    readonly keeps: number;
    readonly rest: Buffer;
  };
}

const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * Follows lines, and the bytes that they announce, in what a server sends. Libraries keep the bytes of a message until they
 * have all of them, however many a server announces: what is too large is passed over, and something else takes its place.
 */
export class AnnouncedBytes implements Rewriting {
  readonly #read: (line: string) => Announcement | undefined;
  readonly #longestLine: () => number;
  /** A line without its end. */
  #line = nothing;
  /** Bytes that pass, then what takes the place of the next ones, which are passed over. */
  #passes = 0;
  #rest: Buffer | undefined;
  #skips = 0;
  #problem: Error | undefined;

  /** @param read says what a line announces, without its line feed; throws for what ends the connection */
  constructor(read: (line: string) => Announcement | undefined, longestLine: () => number) {
    this.#read = read;
    this.#longestLine = longestLine;
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  rewrite(bytes: Buffer): Buffer {
    const data = this.#line.length === 0 ? bytes : Buffer.concat([this.#line, bytes]);
    this.#line = nothing;
    const pieces: Buffer[] = [];
    /** What was not added to the pieces begins here. */
    let from = 0;
    let at = 0;
    while (at < data.length) {
      if (this.#passes > 0) {
        const passed = Math.min(this.#passes, data.length - at);
        this.#passes -= passed;
        at += passed;
      } else if (this.#skips > 0) {
        pieces.push(data.subarray(from, at));
        if (this.#rest !== undefined) pieces.push(this.#rest);
        this.#rest = undefined;
        const skipped = Math.min(this.#skips, data.length - at);
        this.#skips -= skipped;
        at += skipped;
        from = at;
      } else {
        const end = data.indexOf(lineFeed, at);
        const announced = this.#announced(data, at, end);
        if (announced === undefined) {
          if (this.#problem === undefined) this.#line = Buffer.from(data.subarray(at));
          return joined([...pieces, data.subarray(from, at)]);
        }
        const { follows, instead } = announced;
        this.#passes = instead?.keeps ?? follows;
        if (instead !== undefined) {
          pieces.push(data.subarray(from, at), Buffer.from(instead.line, 'latin1'));
          this.#skips = follows - instead.keeps;
          this.#rest = instead.rest;
          from = end + 1;
        }
        at = end + 1;
      }
    }
    if (from === 0 && pieces.length === 0) return data;
    pieces.push(data.subarray(from, at));
    return joined(pieces);
  }

  /** Undefined: the line has no end yet, or ends the connection. */
  #announced(data: Buffer, at: number, end: number): Announcement | undefined {
    try {
      if ((end < 0 ? data.length : end) - at > this.#longestLine())
        throw new Error('the server sent a line without an end');
      return end < 0 ? undefined : (this.#read(data.toString('latin1', at, end)) ?? { follows: 0 });
    } catch (error) {
      this.#problem = error as Error;
      return undefined;
    }
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only, ...others] = pieces.filter(({ length }) => length > 0);
  return only === undefined ? nothing : others.length === 0 ? only : Buffer.concat([only, ...others]);
}
