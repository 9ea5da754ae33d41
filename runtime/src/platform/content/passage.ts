import type { Readable } from 'node:stream';
import { Content, type ContentLabel } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';

/** Where the bytes of a passage come from. */
export interface PassageSource {
  /** Bytes; undefined when their number is not known. */
  readonly size: number | undefined;
  /** The first bytes, as many as are available. */
  readonly begin: Uint8Array;
  /** As of `ContentBytes`. */
  readonly isFreeable?: boolean;
  /** Gives the bytes; destroying it notifies their sender. */
  readonly stream: Readable;
}

/** Bytes that are forwarded as they come, to one reader, and kept nowhere: their sender sends no faster than they are read. */
export class Passage {
  readonly #source: PassageSource;
  #isRead = false;

  constructor(source: PassageSource) {
    this.#source = source;
    // The reader gets the error; without a reader no one handles it.
    source.stream.on('error', () => undefined);
  }

  content(label: ContentLabel): Content {
    const { size, begin, isFreeable = false } = this.#source;
    const read = () => {
      throw new Failure('internal', 'the content is forwarded as it comes: its bytes cannot be read');
    };
    const bytes = { size, inMemory: undefined, once: true, isFreeable, stream: () => this.take(), read };
    return new Content(bytes, label, begin);
  }

  /** The bytes, for their one reader. */
  take(): Readable {
    if (this.#isRead) throw new Failure('internal', 'the content was forwarded already: it can be read once');
    this.#isRead = true;
    return this.#source.stream;
  }

  /** Called when the message has ended: what has not come by then is discarded. */
  close(): void {
    this.#source.stream.destroy();
  }
}
