import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { DiskState } from '../../../foundation/disk/disk-state.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { FolderFailure } from '../reads.ts';
import type { Entry, Exchange, FileStore, Listing, OpenFile, Part, Writing, Written } from '../store.ts';
import { entriesIn, entryAt, entryOf } from './entries.ts';
import { failureOf } from './failure.ts';
import { makeFolders, type Places } from './places.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

/** Bytes that are read at a time. */
const pieceBytes = 128 * 1024;

export interface LocalSettings {
  readonly createFolders: boolean;
  /** Mode of files that are made. */
  readonly permissions: number;
  /** What is written to. */
  readonly disk: DiskState;
}

/** Files in a folder of the machine. */
export class LocalStore implements FileStore {
  readonly #places: Places;
  readonly #settings: LocalSettings;

  constructor(places: Places, settings: LocalSettings) {
    this.#places = places;
    this.#settings = settings;
  }

  stat(path: string): Promise<Entry | undefined> {
    return entryAt(this.#places, path);
  }

  list(path: string, listing: Listing, exchange: Exchange): AsyncIterable<Entry> {
    return entriesIn(this.#places, path, listing, exchange);
  }

  async open(path: string, { signal }: Exchange): Promise<OpenFile> {
    const at = await this.#places.file(path);
    let file: FileHandle | undefined;
    try {
      // A pipe without a writer would wait for ever.
      file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stats = await file.stat({ bigint: true });
      if (stats.isDirectory()) throw new FolderFailure(path);
      if (!stats.isFile()) throw new Failure('value_refused', `"${path}" is not a regular file`);
      return new LocalFile(file, entryOf(path, stats), signal);
    } catch (error) {
      await file?.close();
      throw failureOf(error, path);
    }
  }

  write(
    path: string,
    source: AsyncIterable<Uint8Array>,
    writing: Pick<Writing, 'append'>,
    exchange: Exchange,
  ): Promise<Written> {
    return this.#settings.disk.writing(() => this.#write(path, source, writing, exchange));
  }

  async #write(
    path: string,
    source: AsyncIterable<Uint8Array>,
    { append }: Pick<Writing, 'append'>,
    { signal }: Exchange,
  ): Promise<Written> {
    await this.#places.makeAround(path, this.#settings.createFolders);
    const at = await this.#places.file(path);
    try {
      const bytes = append ? await this.#append(at, source, signal) : await this.#replace(at, source, signal);
      return { path, bytes };
    } catch (error) {
      throw failureOf(error, path);
    }
  }

  async remove({ path, isFolder }: Entry): Promise<void> {
    const at = await this.#places.entry(path);
    try {
      if (isFolder) await rm(at, { recursive: true });
      else await unlink(at);
    } catch (error) {
      throw failureOf(error, path);
    }
  }

  /** Written as every file is: a copy that is cancelled, or for which there is no space, leaves what was there. */
  async copy({ path }: Entry, destination: string, exchange: Exchange): Promise<number> {
    const source = await this.open(path, exchange);
    try {
      return (await this.write(destination, source.stream(), { append: false }, exchange)).bytes;
    } finally {
      source.close();
    }
  }

  move(entry: Entry, destination: string, exchange: Exchange): Promise<void> {
    return this.#settings.disk.writing(() => this.#move(entry, destination, exchange));
  }

  async #move(entry: Entry, destination: string, exchange: Exchange): Promise<void> {
    await this.#places.makeAround(destination, this.#settings.createFolders);
    const [from, to] = [await this.#places.entry(entry.path), await this.#places.entry(destination)];
    try {
      await rename(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV' || entry.isFolder) throw failureOf(error, destination);
      await this.copy(entry, destination, exchange);
      exchange.signal.throwIfAborted();
      await this.remove(entry);
    }
  }

  makeFolder(path: string): Promise<void> {
    return this.#settings.disk.writing(async () => makeFolders(await this.#places.file(path), path));
  }

  /** Writes beside the file, and takes its place when every byte is on the disk. */
  async #replace(at: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const beside = unfinishedBeside(at);
    const file = await open(beside, 'wx', this.#settings.permissions);
    try {
      let bytes = 0;
      await writeAll(file, source, signal, (count) => (bytes += count));
      // The mask of the process has taken bits from the mode.
      if (process.platform !== 'win32') await file.chmod(this.#settings.permissions);
      await file.sync();
      await file.close();
      await rename(beside, at);
      await keepEntry(dirname(at));
      return bytes;
    } catch (error) {
      await file.close().catch(() => undefined);
      await removed(beside);
      throw error;
    }
  }

  /** What is behind the file when the source fails is taken away, unless another process has written behind it. */
  async #append(at: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const { file, isNew } = await this.#openBehind(at);
    const { size: before } = await file.stat();
    let bytes = 0;
    try {
      if (isNew && process.platform !== 'win32') await file.chmod(this.#settings.permissions);
      await writeAll(file, source, signal, (count) => (bytes += count));
      await file.sync();
      if (isNew) await keepEntry(dirname(at));
      return bytes;
    } catch (error) {
      const { size } = await file.stat();
      if (size === before + bytes) await (isNew ? removed(at) : file.truncate(before));
      throw error;
    } finally {
      await file.close();
    }
  }

  async #openBehind(at: string): Promise<{ readonly file: FileHandle; readonly isNew: boolean }> {
    const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    for (;;) {
      const found = await open(at, flags).catch(unlessCode('ENOENT'));
      if (found !== undefined) return { file: found, isNew: false };
      const made = await open(at, flags | O_CREAT | O_EXCL, this.#settings.permissions).catch(unlessCode('EEXIST'));
      if (made !== undefined) return { file: made, isNew: true };
    }
  }
}

/** A version of a file that stays what it is when another one takes its name. */
class LocalFile implements OpenFile {
  readonly isFreeable = true;
  readonly entry: Entry;
  readonly #file: FileHandle;
  readonly #streams = new Set<Readable>();
  readonly #signal: AbortSignal;

  constructor(file: FileHandle, entry: Entry, signal: AbortSignal) {
    this.entry = entry;
    this.#file = file;
    this.#signal = signal;
  }

  /** Never more than the file had when it was opened. */
  stream({ start, end }: Part = { start: 0, end: this.entry.size }): Readable {
    const stream = Readable.from(this.#pieces(start, end), { objectMode: false, highWaterMark: pieceBytes });
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    // What is being read is waited for by the file itself.
    this.#file.close().catch(() => undefined);
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      this.#signal.throwIfAborted();
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
      let bytesRead: number;
      try {
        ({ bytesRead } = await this.#file.read(piece, 0, piece.length, at));
      } catch (error) {
        throw failureOf(error, this.entry.path);
      }
      if (bytesRead === 0)
        throw new Failure('connector_failed', `"${this.entry.path}" became shorter while it was read`);
      at += bytesRead;
      yield bytesRead === piece.length ? piece : piece.subarray(0, bytesRead);
    }
  }
}

/** Writes what comes, and says of each part how many bytes it was. */
async function writeAll(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  count: (bytes: number) => void,
): Promise<void> {
  for await (const piece of source) {
    signal.throwIfAborted();
    for (let at = 0; at < piece.byteLength; ) {
      const { bytesWritten } = await file.write(piece, at, piece.byteLength - at);
      at += bytesWritten;
      count(bytesWritten);
    }
  }
  signal.throwIfAborted();
}

/** A name in the same folder, so that taking the place of the file is one step of the file system. */
function unfinishedBeside(at: string): string {
  return join(dirname(at), `.svc-${randomBytes(12).toString('hex')}.tmp`);
}

async function removed(at: string): Promise<void> {
  await unlink(at).catch(unlessCode('ENOENT'));
}

/** Makes undefined of an error of this code; any other one stays. */
function unlessCode(code: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  };
}

/** Has the entry of a file in its folder written to the disk: a file that is there only in memory is lost with the machine. */
async function keepEntry(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
