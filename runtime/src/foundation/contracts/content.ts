import type { Readable } from 'node:stream';
import { shown } from '../observe/shown.ts';

/**
 * The bytes of a content. Kept ones can be read any number of times until their owner releases them; others are forwarded as
 * they come, to one reader.
 */
export interface ContentBytes {
  /** Undefined: their number is not known. Of kept ones it is known. */
  readonly size: number | undefined;
  /** They are kept nowhere: `stream` can be taken once, `read` is refused. */
  readonly once: boolean;
  /** Each piece of `stream` is memory that its reader alone holds, and may free. Absent: others may hold it. */
  readonly isFreeable?: boolean;
  /** The bytes where they are in memory, which only few are. */
  readonly inMemory: Uint8Array | undefined;
  /** All of them, from the first one, as fast as they are taken. */
  stream(): Readable;
  /** Those from `start` to `end`, which is not included. Absent: only all of them can be had. */
  part?(start: number, end: number): Readable;
  /** What tells this version from others. Absent: nothing does. */
  readonly version?: ContentVersion | undefined;
  /** All of them at once. Throws a Failure when they are gone, or were never kept. */
  read(): Buffer;
}

/** A version of what a content is taken from. */
export interface ContentVersion {
  /** Another one has another text: quoted as in the header `ETag` (RFC 9110, 8.8.3). */
  readonly etag?: string | undefined;
  /** Milliseconds since 1970. */
  readonly modified?: number | undefined;
}

/** What is known about a content without looking into it. */
export interface ContentLabel {
  /** Empty when its sender gave none. */
  readonly filename: string;
  /** Media type as its sender wrote it; empty when it wrote none. */
  readonly contentType: string;
}

/** A content as it is shown to people: never its bytes, a few at the beginning aside. */
export interface ShownContent {
  readonly filename: string;
  readonly content_type: string;
  /** Null: not known. */
  readonly size: number | null;
  /** The first bytes as text, what cannot be printed as dots. */
  readonly preview: string;
}

/** Bytes that a content shows of itself. */
const shownBytes = 32;

/**
 * A file of a message or of an answer: an upload, a download. Expressions read it as a map of `filename`, `content_type`,
 * `size` and `data` in base64. `data` is read when it is asked for, and is in no list of its names, so that code that
 * walks through values, to show, check or copy them, passes over it; JSON carries it.
 */
export class Content {
  readonly filename: string;
  readonly content_type: string;
  /** Bytes, an integer; null for a content that is forwarded as it comes and whose size its sender did not give. */
  readonly size: bigint | null;
  /** Base64. */
  declare readonly data: string;
  readonly #bytes: ContentBytes;
  readonly #begin: Uint8Array;

  /** `begin` holds the first bytes, as many as are available. */
  constructor(bytes: ContentBytes, { filename, contentType }: ContentLabel, begin: Uint8Array) {
    this.filename = filename;
    this.content_type = contentType;
    this.size = bytes.size === undefined ? null : BigInt(bytes.size);
    this.#bytes = bytes;
    this.#begin = Uint8Array.from(begin.subarray(0, shownBytes));
    Object.defineProperty(this, 'data', { get: () => this.#bytes.read().toString('base64') });
  }

  get bytes(): ContentBytes {
    return this.#bytes;
  }

  /** What logs show. */
  get [shown](): ShownContent {
    return this.shown;
  }

  /** What debuggers show. */
  get shown(): ShownContent {
    const { filename, content_type } = this;
    const size = this.#bytes.size ?? null;
    const preview = Buffer.from(this.#begin)
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, '.');
    return { filename, content_type, size, preview };
  }

  toJSON(): Readonly<Record<string, unknown>> {
    const { filename, content_type, data } = this;
    return { filename, content_type, size: this.#bytes.size ?? null, data };
  }
}

/** Closes what the contents of one message are kept in, once they have no holder any more. */
export class ContentOwner {
  readonly #kept = new Set<{ close(): void }>();
  #holders = 1;

  own(kept: { close(): void }): void {
    if (this.#holders === 0) kept.close();
    else this.#kept.add(kept);
  }

  /** Keeps everything for work that continues after the message has ended; the returned function releases it. */
  hold(): () => void {
    this.#holders++;
    let held = true;
    return () => {
      if (held) this.release();
      held = false;
    };
  }

  /** Called once by the maker of the owner, when the message has ended. */
  release(): void {
    if (--this.#holders > 0) return;
    for (const each of this.#kept) each.close();
    this.#kept.clear();
  }
}
