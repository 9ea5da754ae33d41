import type { EventEmitter } from 'node:events';

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
export class AnnouncedBytes {
  readonly #read: (line: string) => Announcement | undefined;
  readonly #longestLine: () => number;
  /** A line without its end. */
  #line = nothing;
  /** Bytes that pass, then what takes the place of the next ones, which are passed over. */
  #passes = 0;
  #rest: Buffer | undefined;
  #skips = 0;

  /** @param read says what a line announces, without its line feed; throws for what ends the connection */
  constructor(read: (line: string) => Announcement | undefined, longestLine: () => number) {
    this.#read = read;
    this.#longestLine = longestLine;
  }

  /** What is passed on of these bytes. Throws for what ends the connection. */
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
        if ((end < 0 ? data.length : end) - at > this.#longestLine())
          throw new Error('the server sent a line without an end');
        if (end < 0) {
          this.#line = Buffer.from(data.subarray(at));
          pieces.push(data.subarray(from, at));
          return joined(pieces);
        }
        const { follows = 0, instead } = this.#read(data.toString('latin1', at, end)) ?? {};
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
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only, ...others] = pieces.filter(({ length }) => length > 0);
  return only === undefined ? nothing : others.length === 0 ? only : Buffer.concat([only, ...others]);
}

/** Has everything that a stream gives pass through `rewrite` before anything that listens to it has it. */
export function rewriteData(stream: EventEmitter, rewrite: (bytes: Buffer) => Buffer): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (event, ...given) => {
    if (event !== 'data') return emit(event, ...given);
    const bytes = rewrite(given[0] as Buffer);
    return bytes.length === 0 || emit('data', bytes);
  };
}
