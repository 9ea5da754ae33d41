import { randomBytes } from 'node:crypto';
import { close, openSync, read, readSync, unlinkSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Content, type ContentBytes, type ContentLabel } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { weigh } from './free.ts';
import { temporaryFiles } from './temporary.ts';

/** Bytes that stay in memory; what is more goes to a temporary file. */
export const smallBytes = 64 * 1024;
/** Bytes that are read from a file at a time. */
const pieceBytes = 64 * 1024;

/** What temporary files of the process may be together. */
const most = { files: 1024, bytes: 8 * 1024 ** 3 };
const used = { files: 0, bytes: 0 };

const readPiece = promisify(read);
const writePiece = promisify(write);

/** The resources of a spool, in an object that outlives the spool. */
interface Taken {
  file: number | undefined;
  bytes: number;
}

/** Releases the resources of spools that were never closed. */
const forgotten = new FinalizationRegistry<Taken>(giveBack);

/**
 * Takes bytes one after another and keeps them: few in memory, more in a temporary file, which has no name from the moment
 * it is made, so that nothing of it is left however the process ends. The caller that appends waits for what is returned.
 */
export class Spool {
  readonly #taken: Taken = { file: undefined, bytes: 0 };
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Reads and writes under way. */
  #working = 0;
  #closed = false;

  get size(): number {
    return this.#size;
  }

  /**
   * Takes more bytes, whose memory is free when what is returned has settled. Rejects or throws with a Failure when they
   * cannot be kept.
   */
  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#closed) throw gone();
    this.#size += chunk.byteLength;
    if (this.#taken.file === undefined) {
      this.#chunks.push(Uint8Array.prototype.slice.call(chunk));
      if (this.#size <= smallBytes) return;
      this.#open();
      const begin = Buffer.concat(this.#chunks);
      this.#chunks = [];
      return this.#write(begin, 0);
    }
    return this.#write(chunk, this.#size - chunk.byteLength);
  }

  /** The bytes from `start` to `end`, by default of what was appended until now. Nothing is appended while they are read. */
  async content(start: number, label: ContentLabel, end: number = this.#size): Promise<Content> {
    const size = end - start;
    const inMemory = this.#taken.file === undefined ? this.#inMemory(start, end) : undefined;
    const bytes: ContentBytes = {
      size,
      once: false,
      isFreeable: inMemory === undefined,
      inMemory,
      stream: () => Readable.from(inMemory ? [inMemory] : this.#pieces(start, start + size), { objectMode: false }),
      read: () => (inMemory ? Buffer.from(inMemory) : this.#readAll(start, size)),
    };
    return new Content(bytes, label, inMemory ?? (await this.#begin(start, size)));
  }

  /** Frees the bytes, those that are being read as soon as that has ended. */
  close(): void {
    this.#closed = true;
    this.#chunks = [];
    this.#closeUnused();
  }

  /** A copy, so that many small contents of one spool do not each hold all of it. */
  #inMemory(start: number, end: number): Buffer {
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return Buffer.from(whole.subarray(start, end));
  }

  #open(): void {
    if (used.files >= most.files) throw new Failure('overloaded', 'too many uploads and downloads are under way');
    const path = join(tmpdir(), `svc-content-${randomBytes(16).toString('hex')}`);
    try {
      this.#taken.file = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
    } catch (cause) {
      temporaryFiles.failed(cause);
      throw unkept(cause);
    }
    used.files++;
    forgotten.register(this, this.#taken, this);
  }

  async #write(chunk: Uint8Array, position: number): Promise<void> {
    if (used.bytes + chunk.byteLength > most.bytes)
      throw new Failure('overloaded', 'the uploads and downloads that are under way are too large together');
    this.#taken.bytes += chunk.byteLength;
    used.bytes += chunk.byteLength;
    await temporaryFiles.writing(() =>
      this.#work(async (file) => {
        for (let at = 0; at < chunk.byteLength; ) {
          const { bytesWritten } = await writePiece(file, chunk, at, chunk.byteLength - at, position + at);
          at += bytesWritten;
        }
      }),
    );
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const wanted = Math.min(pieceBytes, end - at);
      const piece = await this.#work(async (file) => {
        const { bytesRead, buffer } = await readPiece(file, Buffer.allocUnsafeSlow(wanted), 0, wanted, at);
        return buffer.subarray(0, bytesRead);
      });
      if (piece.length === 0) throw gone();
      at += piece.length;
      weigh(piece);
      yield piece;
    }
  }

  async #begin(start: number, size: number): Promise<Uint8Array> {
    for await (const piece of this.#pieces(start, start + Math.min(size, 64))) return piece;
    return new Uint8Array();
  }

  #readAll(start: number, size: number): Buffer {
    const { file } = this.#taken;
    if (this.#closed || file === undefined) throw gone();
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let at = 0; at < size; ) {
      const count = readSync(file, bytes, at, size - at, start + at);
      if (count === 0) throw gone();
      at += count;
    }
    return bytes;
  }

  async #work<T>(work: (file: number) => Promise<T>): Promise<T> {
    const { file } = this.#taken;
    if (this.#closed || file === undefined) throw gone();
    this.#working++;
    try {
      return await work(file);
    } catch (cause) {
      throw cause instanceof Failure ? cause : unkept(cause);
    } finally {
      this.#working--;
      this.#closeUnused();
    }
  }

  #closeUnused(): void {
    if (!this.#closed || this.#working > 0 || this.#taken.file === undefined) return;
    forgotten.unregister(this);
    giveBack(this.#taken);
  }
}

function giveBack(taken: Taken): void {
  if (taken.file === undefined) return;
  const { file } = taken;
  taken.file = undefined;
  used.files--;
  used.bytes -= taken.bytes;
  close(file, () => undefined);
}

function gone(): Failure {
  return new Failure('internal', 'the content is gone: the message that it belongs to has ended');
}

function unkept(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure('internal', `the content cannot be kept in a temporary file: ${reason}`, { cause });
}
