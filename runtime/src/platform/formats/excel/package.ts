import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type XmlEvents, XmlReader } from '../xml/reader.ts';
import { textsOf } from '../xml/texts.ts';
import { localName } from '../xml/tree.ts';
import { limits } from './limits.ts';

/** A part that another one names. */
export interface Relationship {
  readonly id: string;
  /** The end of its type: `worksheet`, `sharedStrings`. */
  readonly type: string;
  /** Name of the part. */
  readonly target: string;
}

/** The parts of a workbook: documents in a ZIP (ECMA-376, part 2). Nothing is inflated before it is asked for. */
export class ExcelPackage {
  readonly #zip: ZipFile;
  readonly #parts: ReadonlyMap<string, Entry>;
  readonly #most: number;
  #inflated = 0;

  private constructor(zip: ZipFile, parts: ReadonlyMap<string, Entry>, most: number) {
    this.#zip = zip;
    this.#parts = parts;
    this.#most = most;
  }

  /**
   * Reads the directory of a package whose entries may be `most` bytes together. Throws `body_undecodable` for another
   * file, and `body_too_large` for one that says that it is larger.
   */
  static async open(bytes: Uint8Array, most: number): Promise<ExcelPackage> {
    refuseOthers(bytes);
    const parts = new Map<string, Entry>();
    let size = 0;
    try {
      const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (zip.entryCount > limits.entries) throw tooLarge(`has more than ${limits.entries} entries`);
      for await (const entry of zip.eachEntry()) {
        const name = entry.fileName.toLowerCase();
        size += entry.uncompressedSize;
        if (size > most) throw tooLarge(`is larger than ${most} bytes when it is inflated`);
        if (parts.has(name)) throw notExcel(`it has two parts of the name "${shown(entry.fileName)}"`);
        parts.set(name, entry);
      }
      return new ExcelPackage(zip, parts, most);
    } catch (error) {
      throw failureOf(error);
    }
  }

  has(part: string): boolean {
    return this.#parts.has(part.toLowerCase());
  }

  /** Reads a part as it is inflated. Throws as `XmlReader` does, and `body_too_large`. */
  async read(part: string, events: XmlEvents): Promise<void> {
    const entry = this.#parts.get(part.toLowerCase());
    if (entry === undefined) throw notExcel(`it has no part "${shown(part)}"`);
    if (entry.isEncrypted() || !entry.canDecodeFileData())
      throw notExcel('it is encrypted, or compressed in another way');
    const reader = new XmlReader(events, { depth: limits.depth, keys: limits.attributes });
    try {
      const stream = await this.#zip.openReadStreamPromise(entry);
      for await (const text of textsOf(this.#counted(stream))) reader.write(text);
      reader.end();
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** What a part names (ECMA-376, part 2, 9.3). */
  async relationshipsOf(part: string): Promise<readonly Relationship[]> {
    const { dir, base } = posix.parse(part);
    const list = posix.join(dir, '_rels', `${base}.rels`);
    if (!this.has(list)) return [];
    const found: Relationship[] = [];
    await this.read(list, {
      open: (name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
        if (localName(name) !== 'Relationship' || mode === 'External') return;
        found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: partName(dir, target) });
      },
    });
    return found;
  }

  async *#counted(stream: Readable): AsyncGenerator<Uint8Array> {
    for await (const bytes of stream as AsyncIterable<Uint8Array>) {
      this.#inflated += bytes.length;
      if (this.#inflated > this.#most) throw tooLarge(`is larger than ${this.#most} bytes when it is inflated`);
      yield bytes;
    }
  }
}

/** The name of a part that is named from a folder. It is only looked up, so that it cannot lead anywhere else. */
function partName(folder: string, target: string): string {
  return posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1);
}

/** What spreadsheets are taken for, by their first bytes. */
function refuseOthers(bytes: Uint8Array): void {
  const [a, b, c, d] = bytes;
  if (a === 0x50 && b === 0x4b) return;
  if (a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0)
    throw notExcel('it has the format of Excel before 2007 (.xls), or a password: save it as .xlsx without one');
  throw notExcel(bytes.length === 0 ? 'it is empty' : 'it is not a workbook (.xlsx)');
}

export function notExcel(reason: string, cause?: unknown): Failure {
  return new Failure('body_undecodable', `the spreadsheet cannot be read: ${reason}`, { cause });
}

export function tooLarge(what: string): Failure {
  return new Failure('body_too_large', `the spreadsheet ${what}`);
}

/** Names of parts may be long. */
function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure)
    return error.reworded(error.message.replace(/^the body is not valid XML/, 'the spreadsheet cannot be read'));
  return notExcel(shown(error instanceof Error ? error.message : String(error)), error);
}
