import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Lease, SessionPool } from '../../../../platform/net/session-pool.ts';
import { folderOf, joined } from '../../path.ts';
import { FolderFailure } from '../../reads.ts';
import type { Entry, Exchange, FileStore, OpenFile, Writing, Written } from '../../store.ts';
import { notFound } from '../../tree.ts';
import { Turns } from '../../turns.ts';
import { listedPath } from '../listed-name.ts';
import { RemoteFile } from '../transfer.ts';
import { isUnfinished, unfinishedBeside } from '../unfinished.ts';
import { untilEnded } from '../until-ended.ts';
import { failureOf, isUnknownCommand, replyOf } from './failure.ts';
import { factsOf, type Listed, timeFrom } from './listing.ts';
import type { FtpSession } from './session.ts';

/** Bytes that are collected before a file is appended to, so that a source that fails early changes nothing. */
const collectedBytes = 4 * 1024 * 1024;

export interface FtpSettings {
  /** Files are written under another name, and renamed. */
  readonly atomic: boolean;
  /** Connections that exist at most. */
  readonly connections: number;
}

/** Files in a folder of an FTP server. Where links lead is decided by the server: FTP does not say it. */
export class FtpStore implements FileStore {
  readonly #pool: SessionPool<FtpSession>;
  readonly #settings: FtpSettings;
  readonly #copies = new Turns();

  constructor(pool: SessionPool<FtpSession>, settings: FtpSettings) {
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
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const at = folder;
      const entries = await this.#with(at, signal, (session) => entriesOf(session, at, at === path));
      for (const entry of entries) {
        if (isUnfinished(entry.path)) continue;
        yield entry;
        if (recursive && entry.isFolder) waiting.push(entry.path);
      }
    }
  }

  async open(path: string, exchange: Exchange): Promise<OpenFile> {
    const entry = await this.stat(path, exchange);
    if (entry === undefined) throw notFound(path);
    if (entry.isFolder) throw new FolderFailure(path);
    return new RemoteFile(entry, exchange, ({ start, end }, signal) => this.#pieces(entry, start, end - start, signal));
  }

  async write(
    path: string,
    source: AsyncIterable<Uint8Array>,
    { append }: Writing,
    { signal }: Exchange,
  ): Promise<Written> {
    if (append) return { path, bytes: await this.#append(path, source, signal) };
    const lease = await this.#pool.take(signal);
    return { path, bytes: await this.#replace(lease, path, source, signal) };
  }

  remove(entry: Entry, { signal }: Exchange): Promise<void> {
    return this.#with(entry.path, signal, async (session) => {
      if (!entry.isFolder) return void (await session.ask((client) => client.send(`DELE ${session.at(entry.path)}`)));
      await removeFolder(session, entry.path, signal);
    });
  }

  /** FTP copies nothing: the bytes come here and go back, over two connections. */
  async copy(source: Entry, destination: string, { signal }: Exchange): Promise<number> {
    if (this.#settings.connections < 2)
      throw new Failure('connector_failed', 'a copy needs two connections: raise max_connections', {
        retriable: false,
      });
    // Two copies that have one connection each would wait for each other.
    return this.#copies.take('', signal, async () => {
      const pieces = this.#pieces(source, 0, source.size, signal);
      const lease = await this.#pool.take(signal);
      return this.#replace(lease, destination, pieces, signal);
    });
  }

  move({ path, isFolder }: Entry, destination: string, { signal }: Exchange): Promise<void> {
    return this.#with(destination, signal, async (session) => {
      await makeFolders(session, folderOf(destination));
      await rename(session, session.at(path), session.at(destination), isFolder);
    });
  }

  makeFolder(path: string, { signal }: Exchange): Promise<void> {
    return this.#with(path, signal, (session) => makeFolders(session, path));
  }

  /** Rejects when the folder that paths begin at cannot be entered. */
  look(signal: AbortSignal): Promise<void> {
    return this.#with('', signal, async (session) => {
      await session.ask((client) => client.send(`CWD ${session.at('')}`));
    });
  }

  async #with<T>(path: string, signal: AbortSignal, work: (session: FtpSession) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.use(signal, work);
    } catch (error) {
      throw failureOf(error, path);
    }
  }

  async *#pieces(entry: Entry, start: number, length: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (length <= 0) return;
    const { path } = entry;
    const lease = await this.#pool.take(signal);
    try {
      const now = await entryAt(lease.session, path);
      if (now?.size !== entry.size || now.modified !== entry.modified)
        throw new Failure('connector_failed', `"${path}" changed before it was read`);
      yield* lease.session.retrieve(path, start, length);
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error, path);
    } finally {
      lease.giveBack();
    }
  }

  /** Writes beside the file, and takes its place when the server has every byte. */
  async #replace(
    { session, giveBack }: Lease<FtpSession>,
    path: string,
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<number> {
    const beside = this.#settings.atomic ? unfinishedBeside(path) : path;
    let isBegun = false;
    try {
      const at = session.at(path);
      await makeFolders(session, folderOf(path));
      if ((await kindAt(session, path)) === 'folder') throw new FolderFailure(path);
      isBegun = true;
      const bytes = await session.store(beside, source, false);
      if (this.#settings.atomic) await rename(session, session.at(beside), at, false);
      return bytes;
    } catch (error) {
      giveBack();
      if (isBegun) await this.#forget(beside);
      throw signal.aborted ? signal.reason : failureOf(error, path);
    } finally {
      giveBack();
    }
  }

  /** Removes what was written of a file that did not become one, over another connection. */
  async #forget(path: string): Promise<void> {
    const anyhow = new AbortController().signal;
    const remove = (session: FtpSession) => session.ask((client) => client.send(`DELE ${session.at(path)}`));
    await this.#pool.use(anyhow, remove).catch(() => undefined);
  }

  async #append(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const { first, rest } = await collected(source, signal);
    const lease = await this.#pool.take(signal);
    const { session } = lease;
    let isBegun = false;
    try {
      session.at(path);
      await makeFolders(session, folderOf(path));
      isBegun = true;
      return await session.store(path, joinedPieces(first, rest), true);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isBegun || (replyOf(error) ?? 0) >= 500) throw failureOf(error, path);
      const message = `"${path}": the connection was lost while it was written behind; a part may be there`;
      throw new Failure('outcome_unknown', message, { cause: error });
    } finally {
      lease.giveBack();
    }
  }
}

/** What is at a path; undefined where nothing is. */
async function entryAt(session: FtpSession, path: string): Promise<Entry | undefined> {
  if (path === '') return { path, isFolder: true, size: 0, modified: undefined };
  const at = session.at(path);
  if (session.features.lists) {
    const answer = await unlessMissing(session.ask((client) => client.send(`MLST ${at}`)));
    if (answer === undefined) return undefined;
    const line = answer.message.split('\n').find((each) => /^ ?[^\s=;]+=/.test(each));
    const listed = line === undefined ? undefined : listedAt(line.trim());
    if (listed !== undefined) return { ...entryOf(path, listed), path };
  }
  if (!session.features.size) return listedIn(session, path);
  const size = await unlessMissing(session.ask((client) => client.size(at)));
  if (size === undefined)
    return (await isFolder(session, at)) ? { path, isFolder: true, size: 0, modified: undefined } : undefined;
  const asked = session.features.times
    ? await unlessMissing(session.ask((client) => client.send(`MDTM ${at}`)))
    : undefined;
  return { path, isFolder: false, size, modified: asked && timeFrom(asked.message.slice(4)) };
}

/** A line of MLST, whose name is the whole path; it is not read, since it is known. */
function listedAt(line: string): Listed | undefined {
  const [facts = ''] = line.split(' ', 1);
  return factsOf(`${facts.replace(/type=[cp]dir;/i, 'type=dir;')} x`);
}

/** Asks for nothing but what it is. */
async function kindAt(session: FtpSession, path: string): Promise<'folder' | 'other'> {
  return (await isFolder(session, session.at(path))) ? 'folder' : 'other';
}

async function isFolder(session: FtpSession, at: string): Promise<boolean> {
  return (await unlessMissing(session.ask((client) => client.send(`CWD ${at}`)))) !== undefined;
}

/** For a server that tells the size of a file in lists alone. */
async function listedIn(session: FtpSession, path: string): Promise<Entry | undefined> {
  const listed = await unlessMissing(session.list(folderOf(path)));
  const found = listed?.find(({ name }) => joined(folderOf(path), name) === path);
  return found && entryOf(path, found);
}

/** Links are what they lead to, where that is a file; a folder behind one is not walked, so that no loop is. */
async function entriesOf(session: FtpSession, folder: string, isRoot: boolean): Promise<readonly Entry[]> {
  // A folder that went while its parent was read is as if it had not been there.
  const listed = await (isRoot ? listOf(session, folder) : unlessMissing(session.list(folder)));
  const entries: Entry[] = [];
  for (const each of listed ?? []) {
    const path = listedPath(folder, each.name);
    if (each.kind === 'file' || each.kind === 'folder') entries.push(entryOf(path, each));
    else if (each.kind === 'link') {
      const followed = await entryAt(session, path);
      if (followed !== undefined && !followed.isFolder) entries.push(followed);
    }
  }
  return entries;
}

async function listOf(session: FtpSession, folder: string): Promise<readonly Listed[]> {
  try {
    return await session.list(folder);
  } catch (error) {
    if (replyOf(error) === 550) throw new Failure('not_found', `there is no folder "${folder}"`, { cause: error });
    throw error;
  }
}

function entryOf(path: string, { kind, size, modified }: Listed): Entry {
  const isFolder = kind === 'folder';
  return { path, isFolder, size: isFolder ? 0 : size, modified };
}

/** Makes a folder and those around it, unless they exist. */
async function makeFolders(session: FtpSession, path: string): Promise<void> {
  if (path === '' || (await isFolder(session, session.at(path)))) return;
  await makeFolders(session, folderOf(path));
  try {
    await session.ask((client) => client.send(`MKD ${session.at(path)}`));
  } catch (error) {
    // Another one may have made it meanwhile.
    if (replyOf(error) === undefined || !(await isFolder(session, session.at(path)))) throw error;
  }
}

/** A server that renames over no file loses it for the moment between two commands. */
async function rename(session: FtpSession, from: string, to: string, isFolderMoved: boolean): Promise<void> {
  const rename = () => session.ask((client) => client.rename(from, to));
  try {
    await rename();
  } catch (error) {
    if (isFolderMoved || replyOf(error) === undefined || isUnknownCommand(error)) throw error;
    if ((await unlessMissing(session.ask((client) => client.send(`DELE ${to}`)))) === undefined) throw error;
    await rename();
  }
}

async function removeFolder(session: FtpSession, path: string, signal: AbortSignal): Promise<void> {
  for (const { name, kind } of await session.list(path)) {
    signal.throwIfAborted();
    const inner = listedPath(path, name);
    if (kind === 'folder') await removeFolder(session, inner, signal);
    else await session.ask((client) => client.send(`DELE ${session.at(inner)}`));
  }
  // Some servers do not remove the folder that they are in.
  await session.ask((client) => client.send(`CWD ${session.at(folderOf(path))}`));
  await session.ask((client) => client.send(`RMD ${session.at(path)}`));
}

/** Undefined where the server says that there is no such thing, or none that this user sees. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ([550, 553].includes(replyOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/** The first bytes of a source, copied, and what comes behind them. */
async function collected(source: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const rest = untilEnded(source, signal);
  const first: Buffer[] = [];
  for (let size = 0; size < collectedBytes; ) {
    const { value, done } = await rest.next();
    if (done) return { first, rest: undefined };
    first.push(Buffer.from(value));
    size += value.byteLength;
  }
  return { first, rest };
}

async function* joinedPieces(first: readonly Buffer[], rest: AsyncIterable<Uint8Array> | undefined) {
  yield* first;
  if (rest !== undefined) yield* rest;
}
