import type { Readable } from 'node:stream';
import { shown } from '../observe/shown.ts';

/** Where the bytes of a content are kept. They can be read any number of times until their owner lets them go. */
export interface KeptBytes {
  readonly size: number;
  /** The bytes where they are in memory, which only few are. */
  readonly inMemory: Uint8Array | undefined;
  /** All of them, from the first one, as fast as they are taken. */
  stream(): Readable;
  /** All of them at once. Throws a Failure when they are gone. */
  read(): Buffer;
}

/** What is known about a content without looking into it. */
export interface ContentLabel {
  /** Empty when nobody said it. */
  readonly filename: string;
  /** Media type as its sender wrote it; empty when it wrote none. */
  readonly contentType: string;
}

/** A content as it is shown to people: never its bytes, a few at the beginning aside. */
export interface ShownContent {
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  /** The first bytes as text, what cannot be printed as dots. */
  readonly preview: string;
}

/** Bytes that a content shows of itself. */
const shownBytes = 32;

/**
 * A file of a message or of an answer: an upload, a download. Expressions read it as a map of `filename`, `content_type`,
 * `size` and `data` in base64. `data` is read when somebody asks, and stands in no list of its names, so that whoever
 * walks through values, to show, check or copy them, passes over it; JSON carries it.
 */
export class Content {
  readonly filename: string;
  readonly content_type: string;
  /** Bytes, an integer. */
  readonly size: bigint;
  /** Base64. */
  declare readonly data: string;
  readonly #bytes: KeptBytes;
  readonly #begin: Uint8Array;

  /** `begin` holds the first bytes, as many as are at hand. */
  constructor(bytes: KeptBytes, { filename, contentType }: ContentLabel, begin: Uint8Array) {
    this.filename = filename;
    this.content_type = contentType;
    this.size = BigInt(bytes.size);
    this.#bytes = bytes;
    this.#begin = Uint8Array.from(begin.subarray(0, shownBytes));
    Object.defineProperty(this, 'data', { get: () => this.#bytes.read().toString('base64') });
  }

  get bytes(): KeptBytes {
    return this.#bytes;
  }

  /** What logs show. */
  get [shown](): ShownContent {
    return this.shown;
  }

  /** What debuggers show. */
  get shown(): ShownContent {
    const { filename, content_type, size } = this;
    const preview = Buffer.from(this.#begin)
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, '.');
    return { filename, content_type, size: Number(size), preview };
  }

  toJSON(): Readonly<Record<string, unknown>> {
    const { filename, content_type, size, data } = this;
    return { filename, content_type, size: Number(size), data };
  }
}

/** Closes what the contents of one message are kept in, once nobody holds them any more. */
export class ContentOwner {
  readonly #kept = new Set<{ close(): void }>();
  #holders = 1;

  own(kept: { close(): void }): void {
    if (this.#holders === 0) kept.close();
    else this.#kept.add(kept);
  }

  /** Keeps everything for somebody who goes on after the message has ended; the returned function lets it go. */
  hold(): () => void {
    this.#holders++;
    let held = true;
    return () => {
      if (held) this.release();
      held = false;
    };
  }

  /** Called once by whoever made the owner, when the message has ended. */
  release(): void {
    if (--this.#holders > 0) return;
    for (const each of this.#kept) each.close();
    this.#kept.clear();
  }
}
