import { Readable } from 'node:stream';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Entry, Exchange, OpenFile, Part } from '../store.ts';

/** Bytes that wait for a reader. */
const waitingBytes = 256 * 1024;

/** How the bytes of a file come: each time it is called over a connection of its own, which it ends when the signal fires. */
export type Pieces = (part: Part, signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;

/** A file of a server. It holds a connection only while its bytes are read. */
export class RemoteFile implements OpenFile {
  readonly entry: Entry;
  readonly #pieces: Pieces;
  readonly #exchange: Exchange;
  readonly #streams = new Set<Readable>();

  constructor(entry: Entry, exchange: Exchange, pieces: Pieces) {
    this.entry = entry;
    this.#exchange = exchange;
    this.#pieces = pieces;
  }

  stream(part: Part = { start: 0, end: this.entry.size }): Readable {
    const stop = new AbortController();
    const pieces = this.#pieces(part, AbortSignal.any([this.#exchange.signal, stop.signal]));
    const stream = Readable.from(pieces, { objectMode: false, highWaterMark: waitingBytes });
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      stop.abort(new Failure('cancelled', 'the transfer of the file was ended'));
    });
    return stream;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
  }
}

/** The failure of a file whose bytes are fewer than it was said to have. */
export function becameShorter(path: string): Failure {
  return new Failure('connector_failed', `"${path}" ended before all of it had come`);
}
