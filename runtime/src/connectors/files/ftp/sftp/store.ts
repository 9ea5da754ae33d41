import type { FileEntryWithStats, Stats } from 'ssh2';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { SessionPool } from '../../../../platform/net/session-pool.ts';
import { folderOf } from '../../path.ts';
import { FolderFailure } from '../../reads.ts';
import type { Entry, Exchange, FileStore, OpenFile, Writing, Written } from '../../store.ts';
import { notFound } from '../../tree.ts';
import { listedPath } from '../listed-name.ts';
import { RemoteFile } from '../transfer.ts';
import { isUnfinished, unfinishedBeside } from '../unfinished.ts';
import { failureOf, status, statusOf } from './failure.ts';
import { entryPlaceOf, makeFolders, placeOf, statsAt, unlessMissing } from './places.ts';
import type { SftpSession } from './session.ts';
import { readPieces, writePieces } from './transfer.ts';

export interface SftpSettings {
  /** Files are written under another name, and renamed. */
  readonly atomic: boolean;
}

/** Files in a folder of an SFTP server. No path leads out of it, through links either, as far as the server resolves them. */
export class SftpStore implements FileStore {
  readonly #pool: SessionPool<SftpSession>;
  readonly #settings: SftpSettings;

  constructor(pool: SessionPool<SftpSession>, settings: SftpSettings) {
    this.#pool = pool;
    this.#settings = settings;
  }

  stat(path: string, { signal }: Exchange): Promise<Entry | undefined> {
    return this.#with(path, signal, (session) => entryAt(session, path));
  }

  async *list(
    path: string,
    { recursive }: { readonly recursive: boolean },
    { signal }: Exchange,
  ): AsyncGenerator<Entry, void, undefined> {
    const waiting = [path];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
      for await (const entry of this.#entriesIn(folder, folder === path, signal)) {
        yield entry;
        if (recursive && entry.isFolder) waiting.push(entry.path);
      }
  }

  async open(path: string, exchange: Exchange): Promise<OpenFile> {
    const found = await this.#with(path, exchange.signal, async (session) => {
      const stats = await statsAt(session, await placeOf(session, path));
      return stats && { entry: entryOf(path, stats), isFile: stats.isFile() };
    });
    if (found === undefined) throw notFound(path);
    if (found.entry.isFolder) throw new FolderFailure(path);
    // A pipe that no one writes to would wait for ever.
    if (!found.isFile) throw new Failure('value_refused', `"${path}" is not a regular file`);
    return new RemoteFile(found.entry, exchange, ({ start, end }, signal) =>
      this.#pieces(found.entry, start, end - start, signal),
    );
  }

  async write(
    path: string,
    source: AsyncIterable<Uint8Array>,
    { append }: Writing,
    { signal }: Exchange,
  ): Promise<Written> {
    const write = append ? this.#append(path, source, signal) : this.#replace(path, source, signal);
    return { path, bytes: await write };
  }

  remove(entry: Entry, { signal }: Exchange): Promise<void> {
    return this.#with(entry.path, signal, async (session) => {
      const place = await entryPlaceOf(session, entry.path);
      const isFolder = entry.isFolder && (await lstatsAt(session, place))?.isDirectory();
      if (isFolder) await removeFolder(session, place, entry.path, signal);
      else await done(session, (answer) => session.sftp.unlink(place, answer));
    });
  }

  /** The protocol copies nothing: the bytes come here and go back. */
  copy(source: Entry, destination: string, { signal }: Exchange): Promise<number> {
    return this.#replaceWith(destination, signal, async (session, place) => {
      const from = await placeOf(session, source.path);
      const whole = { path: source.path, start: 0, length: source.size };
      return withFile(session, from, 'r', (handle) => writeNew(session, place, readPieces(session, handle, whole)));
    });
  }

  move({ path, isFolder }: Entry, destination: string, { signal }: Exchange): Promise<void> {
    return this.#with(destination, signal, async (session) => {
      await makeFolders(session, folderOf(destination));
      const [from, to] = [await entryPlaceOf(session, path), await entryPlaceOf(session, destination)];
      await rename(session, from, to, isFolder);
    });
  }

  makeFolder(path: string, { signal }: Exchange): Promise<void> {
    return this.#with(path, signal, async (session) => void (await makeFolders(session, path)));
  }

  /** Rejects when the folder that paths begin at cannot be read. */
  look(signal: AbortSignal): Promise<void> {
    return this.#with('', signal, async (session) => {
      const handle = await session.ask<Buffer>((answer) => session.sftp.opendir(session.root || '/', answer));
      await closed(session, handle);
    });
  }

  async #with<T>(path: string, signal: AbortSignal, work: (session: SftpSession) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.use(signal, work);
    } catch (error) {
      throw failureOf(error, path);
    }
  }

  async *#entriesIn(folder: string, isRoot: boolean, signal: AbortSignal): AsyncGenerator<Entry> {
    const entries = await this.#with(folder, signal, async (session) => {
      const listed: Entry[] = [];
      try {
        for await (const page of pagesOf(session, await placeOf(session, folder)))
          for (const { filename, attrs } of page) {
            if (filename === '.' || filename === '..') continue;
            const entry = await listedEntry(session, listedPath(folder, filename), attrs as Stats);
            if (entry !== undefined && !isUnfinished(entry.path)) listed.push(entry);
          }
      } catch (error) {
        // A folder that went while its parent was read is as if it had not been there.
        if (isRoot || statusOf(error) !== status.missing) throw error;
      }
      return listed;
    });
    yield* entries;
  }

  async *#pieces(entry: Entry, start: number, length: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (length <= 0) return;
    const { path } = entry;
    const lease = await this.#pool.take(signal);
    const { session } = lease;
    try {
      const place = await placeOf(session, path);
      const handle = await opened(session, place, 'r');
      try {
        const now = await session.ask<Stats>((answer) => session.sftp.fstat(handle, answer));
        if (now.size !== entry.size || now.mtime * 1000 !== entry.modified)
          throw new Failure('connector_failed', `"${path}" changed before it was read`);
        yield* readPieces(session, handle, { path, start, length });
      } finally {
        await closed(session, handle);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error, path);
    } finally {
      lease.giveBack();
    }
  }

  #replace(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    return this.#replaceWith(path, signal, (session, place) => writeNew(session, place, source));
  }

  /** Has a file written beside its place, which it takes when the server has every byte. */
  async #replaceWith(
    path: string,
    signal: AbortSignal,
    write: (session: SftpSession, place: string) => Promise<number>,
  ): Promise<number> {
    const { atomic } = this.#settings;
    let begun: string | undefined;
    try {
      return await this.#pool.use(signal, async (session) => {
        await makeFolders(session, folderOf(path));
        const place = await placeOf(session, path);
        if ((await statsAt(session, place))?.isDirectory()) throw new FolderFailure(path);
        const beside = atomic ? unfinishedBeside(place) : place;
        begun = beside;
        const bytes = await write(session, beside);
        if (atomic) await rename(session, beside, place, false);
        begun = undefined;
        return bytes;
      });
    } catch (error) {
      if (begun !== undefined) await this.#forget(begun);
      throw failureOf(error, path);
    }
  }

  /** Removes what was written of a file that did not become one. */
  async #forget(place: string): Promise<void> {
    const anyhow = new AbortController().signal;
    const remove = (session: SftpSession) => done(session, (answer) => session.sftp.unlink(place, answer));
    await this.#pool.use(anyhow, remove).catch(() => undefined);
  }

  /** What is behind the file when the source fails is taken away, unless another one has written behind it. */
  async #append(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    let isUnknown = false;
    try {
      return await this.#pool.use(signal, async (session) => {
        await makeFolders(session, folderOf(path));
        const place = await placeOf(session, path);
        return withFile(session, place, 'a', async (handle) => {
          const { size: before } = await session.ask<Stats>((answer) => session.sftp.fstat(handle, answer));
          isUnknown = true;
          try {
            const bytes = await writePieces(session, handle, before, source);
            isUnknown = false;
            return bytes;
          } catch (error) {
            // What has come is taken away, so that the file is as it was.
            await done(session, (answer) => session.sftp.fsetstat(handle, { size: before } as never, answer));
            isUnknown = false;
            throw error;
          }
        });
      });
    } catch (error) {
      if (signal.aborted || !isUnknown) throw failureOf(error, path);
      const message = `"${path}": the connection was lost while it was written behind; a part may be there`;
      throw new Failure('outcome_unknown', message, { cause: error });
    }
  }
}

/** A request that is answered with success or failure alone. */
function done(session: SftpSession, request: (answer: (error?: Error | null) => void) => void): Promise<void> {
  return session.ask<void>((answer) => request((error) => answer(error, undefined)));
}

function opened(session: SftpSession, place: string, mode: 'r' | 'wx' | 'w' | 'a'): Promise<Buffer> {
  return session.ask<Buffer>((answer) => session.sftp.open(place, mode, answer));
}

/** A session that does not close a file any more is of no use, and frees it when it ends. */
async function closed(session: SftpSession, handle: Buffer): Promise<void> {
  await done(session, (answer) => session.sftp.close(handle, answer)).catch(() => undefined);
}

async function withFile<T>(
  session: SftpSession,
  place: string,
  mode: 'r' | 'wx' | 'w' | 'a',
  work: (handle: Buffer) => Promise<T>,
): Promise<T> {
  const handle = await opened(session, place, mode);
  let result: T;
  try {
    result = await work(handle);
  } catch (error) {
    await closed(session, handle);
    throw error;
  }
  // A server may say only now that the disk is full.
  await done(session, (answer) => session.sftp.close(handle, answer));
  return result;
}

function writeNew(session: SftpSession, place: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  return withFile(session, place, 'w', (handle) => writePieces(session, handle, 0, source));
}

/** A rename of SFTP 3 takes the place of no file; one of OpenSSH does. */
async function rename(session: SftpSession, from: string, to: string, isFolder: boolean): Promise<void> {
  const plain = () => done(session, (answer) => session.sftp.rename(from, to, answer));
  if (isFolder) return plain();
  try {
    return await done(session, (answer) => session.sftp.ext_openssh_rename(from, to, answer));
  } catch (error) {
    // The client throws an error without a status where the server does not know it.
    if (statusOf(error) !== undefined || !session.isOpen) throw error;
  }
  await unlessMissing(done(session, (answer) => session.sftp.unlink(to, answer)));
  await plain();
}

async function removeFolder(session: SftpSession, place: string, path: string, signal: AbortSignal): Promise<void> {
  for await (const page of pagesOf(session, place))
    for (const { filename, attrs } of page) {
      if (filename === '.' || filename === '..') continue;
      signal.throwIfAborted();
      const inner = listedPath(path, filename);
      const at = `${place}/${filename}`;
      if ((attrs as Stats).isDirectory()) await removeFolder(session, at, inner, signal);
      else await done(session, (answer) => session.sftp.unlink(at, answer));
    }
  await done(session, (answer) => session.sftp.rmdir(place, answer));
}

/** What is in a folder, as many names at a time as the server sends. */
async function* pagesOf(session: SftpSession, place: string): AsyncGenerator<readonly FileEntryWithStats[]> {
  const handle = await session.ask<Buffer>((answer) => session.sftp.opendir(place, answer));
  try {
    for (;;) {
      const page = await pageOf(session, handle);
      if (page === undefined) return;
      yield page;
    }
  } finally {
    await closed(session, handle);
  }
}

async function pageOf(session: SftpSession, handle: Buffer): Promise<readonly FileEntryWithStats[] | undefined> {
  try {
    const page = await session.ask<FileEntryWithStats[] | false>((answer) =>
      session.sftp.readdir(handle, answer as never),
    );
    return page === false ? undefined : page;
  } catch (error) {
    if (statusOf(error) === status.eof) return undefined;
    throw error;
  }
}

async function entryAt(session: SftpSession, path: string): Promise<Entry | undefined> {
  const stats = await statsAt(session, await placeOf(session, path));
  return stats && entryOf(path, stats);
}

/** Links that lead out of the root, to a folder or to nothing are left out. */
async function listedEntry(session: SftpSession, path: string, stats: Stats): Promise<Entry | undefined> {
  if (!stats.isSymbolicLink()) return entryOf(path, stats);
  try {
    const followed = await entryAt(session, path);
    return followed?.isFolder ? undefined : followed;
  } catch (error) {
    if (error instanceof Failure && error.code === 'value_refused') return undefined;
    throw error;
  }
}

function lstatsAt(session: SftpSession, place: string): Promise<Stats | undefined> {
  return unlessMissing(session.ask<Stats>((answer) => session.sftp.lstat(place, answer)));
}

function entryOf(path: string, stats: Stats): Entry {
  const isFolder = stats.isDirectory();
  return { path, isFolder, size: isFolder ? 0 : stats.size, modified: stats.mtime * 1000 };
}
