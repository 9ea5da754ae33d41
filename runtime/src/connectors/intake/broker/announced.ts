import type { Rewriting } from '../../../platform/net/rewritten-data.ts';

/** What the beginning of a message says of the bytes behind it. */
export interface Announcement {
  /** Bytes of the beginning itself. */
  readonly begins: number;
  /** Bytes that follow, with their end. */
  readonly follows: number;
  /** What comes in the place of both, where they are too large. */
  readonly instead?: {
    readonly head: Buffer;
    /** Bytes that are kept of those that follow, from the first one on. */
    readonly keeps: number;
    readonly rest: Buffer;
  };
}

const lineFeed = 0x0a;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Follows messages in what a server sends by what their beginnings announce. Libraries keep the bytes of a message until they
 * have all of them, however many a server announces: what is too large is passed over, and something else takes its place.
 */
export class AnnouncedBytes implements Rewriting {
  readonly #read: (bytes: Buffer) => Announcement | undefined;
  /** The beginning of a message that is not understood yet. */
  #begun = nothing;
  /** Bytes that pass, then what takes the place of the next ones, which are passed over. */
  #passes = 0;
  #rest = nothing;
  #skips = 0;
  #problem: Error | undefined;

  /** @param read says what these bytes begin with; undefined: more has to come. Throws for what ends the connection */
  constructor(read: (bytes: Buffer) => Announcement | undefined) {
    this.#read = read;
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  rewrite(bytes: Buffer): Buffer {
    const data = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = nothing;
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
        pieces.push(data.subarray(from, at), this.#rest);
        this.#rest = nothing;
        const skipped = Math.min(this.#skips, data.length - at);
        this.#skips -= skipped;
        at += skipped;
        from = at;
      } else {
        const announced = this.#announced(data.subarray(at));
        if (announced === undefined) {
          if (this.#problem === undefined) this.#begun = Buffer.from(data.subarray(at));
          return joined([...pieces, data.subarray(from, at)]);
        }
        const { begins, follows, instead } = announced;
        this.#passes = instead?.keeps ?? follows;
        if (instead !== undefined) {
          pieces.push(data.subarray(from, at), instead.head);
          this.#skips = follows - instead.keeps;
          this.#rest = instead.rest;
          from = at + begins;
        }
        at += begins;
      }
    }
    if (from === 0 && pieces.length === 0) return data;
    return joined([...pieces, data.subarray(from, at)]);
  }

  /** Undefined: more has to come, or the connection ends. */
  #announced(bytes: Buffer): Announcement | undefined {
    try {
      return this.#read(bytes);
    } catch (error) {
      this.#problem = error as Error;
      return undefined;
    }
  }
}

/** What a line says of the bytes behind it. */
export interface AnnouncingLine extends Pick<Announcement, 'follows'> {
  readonly instead?: Omit<NonNullable<Announcement['instead']>, 'head'> & { readonly line: string };
}

/**
 * Reads beginnings that are lines, such as one whose last word is a number of bytes.
 *
 * @param read says what a line announces, without its line feed; undefined: nothing
 * @param longest bytes of a line: a longer one ends the connection
 */
export function byLines(
  read: (line: string) => AnnouncingLine | undefined,
  longest: () => number,
): (bytes: Buffer) => Announcement | undefined {
  return (bytes) => {
    const end = bytes.indexOf(lineFeed);
    if ((end < 0 ? bytes.length : end) > longest()) throw new Error('the server sent a line without an end');
    if (end < 0) return undefined;
    const { follows, instead } = read(bytes.toString('latin1', 0, end)) ?? { follows: 0 };
    const begins = end + 1;
    if (instead === undefined) return { begins, follows };
    const { line, ...rest } = instead;
    return { begins, follows, instead: { head: Buffer.from(line, 'latin1'), ...rest } };
  };
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only, ...others] = pieces.filter(({ length }) => length > 0);
  return only === undefined ? nothing : others.length === 0 ? only : Buffer.concat([only, ...others]);
}
