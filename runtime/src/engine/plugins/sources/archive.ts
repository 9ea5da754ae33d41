import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { shownSource } from '../declared/source.ts';
import { bounds } from '../install/digest.ts';
import { PluginProblem } from '../install/problem.ts';
import { download } from './download.ts';
import { shownPath } from './file-writer.ts';
import type { FileWriter, OriginContext, PluginOrigin, Release } from './origin.ts';

/** Bytes of an archive once it is decompressed: those of a plugin, and what each of its files has before and behind it. */
const mostUnpacked = bounds.bytes + 2 * 1024 * bounds.files;

/** Bytes of the longest header of an entry, such as that of a long name. */
const longestHeader = 64 * 1024;

const aFile = /^(File|OldFile|ContiguousFile)$/;
const aFolder = /^(Directory|GNUDumpDir)$/;

/** An archive (`.tgz`), of the web or of this machine. It has one version. */
export class ArchiveOrigin implements PluginOrigin {
  readonly #address: string;
  readonly #shown: string;
  readonly #context: OriginContext;

  constructor(address: string, context: OriginContext) {
    this.#address = address;
    this.#shown = shownSource(address);
    this.#context = context;
  }

  async find(): Promise<Release> {
    return { version: undefined, commit: undefined };
  }

  async fetch(_release: Release, into: FileWriter): Promise<void> {
    try {
      await unpack(await this.#compressed(), into);
    } catch (error) {
      if (error instanceof PluginProblem) throw new PluginProblem(`${this.#shown}: ${error.message}`, { cause: error });
      const { code, tarCode } = error as { readonly code?: string; readonly tarCode?: string };
      if (tarCode === undefined && code?.startsWith('Z_') !== true && code !== 'ERR_INVALID_ARG_TYPE') throw error;
      throw new PluginProblem(`${this.#shown} is not a whole archive: ${(error as Error).message}.`, { cause: error });
    }
  }

  async #compressed(): Promise<Readable> {
    const { directory, signal } = this.#context;
    if (/^https?:/.test(this.#address)) return Readable.from([await download(this.#address, signal)]);
    const path = this.#address.startsWith('file:') ? fileURLToPath(this.#address) : resolve(directory, this.#address);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) throw new PluginProblem('there is no such file.');
    return createReadStream(path);
  }
}

/** Writes the files of an archive. Throws PluginProblem for any entry that is neither a file nor a folder. */
async function unpack(compressed: Readable, into: FileWriter): Promise<void> {
  const entries = new Entries(into);
  const unpacked = compressed.pipe(createGunzip());
  compressed.on('error', (error) => unpacked.destroy(error));
  let length = 0;
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      // The parser would decompress it a second time, without a limit.
      if (length === 0 && piece[0] === 0x1f) throw new PluginProblem('it is compressed twice.');
      length += piece.length;
      if (length > mostUnpacked) throw new PluginProblem(`it unpacks to more than ${mostUnpacked} bytes.`);
      await entries.take(piece);
    }
    await entries.end();
  } finally {
    compressed.destroy();
    await entries.close();
  }
}

/** The entries of an archive, written one after another as its bytes come. */
class Entries {
  readonly #into: FileWriter;
  readonly #parser = new Parser({ strict: true, brotli: false, zstd: false, maxMetaEntrySize: longestHeader });
  #current: PassThrough | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(into: FileWriter) {
    this.#into = into;
    this.#parser.on('error', (error) => this.#fail(error));
    this.#parser.on('entry', (entry: ReadEntry) => this.#begin(entry));
  }

  async take(piece: Buffer): Promise<void> {
    if (!this.#parser.write(piece) && this.#failure === undefined) await once(this.#parser, 'drain');
    if (this.#failure !== undefined) throw this.#failure;
  }

  async end(): Promise<void> {
    const ended = once(this.#parser, 'end').catch((error: unknown) => this.#fail(error));
    this.#parser.end();
    if (this.#failure === undefined) await ended;
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Releases a file that is half written. */
  async close(): Promise<void> {
    this.#fail(new PluginProblem('it ends too early.'));
    this.#current?.destroy(new PluginProblem('it ends too early.'));
    await this.#writing;
  }

  #begin(entry: ReadEntry): void {
    const path = entry.path.replace(/^(\.\/)+/, '');
    const isFile = aFile.test(entry.type);
    if (!isFile && !aFolder.test(entry.type))
      this.#fail(new PluginProblem(`${shownPath(path)} is neither a file nor a folder: a plugin has no links.`));
    if (!isFile || this.#failure !== undefined) return void entry.resume();
    const content = new PassThrough();
    // What writes it fails by it.
    content.on('error', () => undefined);
    entry.pipe(content);
    this.#current = content;
    this.#writing = this.#into.write(path, content as AsyncIterable<Buffer>).catch((error: unknown) => {
      this.#fail(error);
      entry.unpipe(content);
      entry.resume();
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
  }
}
