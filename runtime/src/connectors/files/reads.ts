import type { Readable } from 'node:stream';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import { Content } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { answerBudget } from '../../platform/formats/budget.ts';
import type { Row } from '../../platform/formats/files/file-format.ts';
import { mediaTypeOfFile } from '../../platform/formats/files/media-types.ts';
import type { FileFormatName } from '../../platform/formats/files/names.ts';
import { fileFormatOf, formatOfFile } from '../../platform/formats/files/registry.ts';
import { asRows, type Call, fileOf, readFormatOf } from './call.ts';
import { nameOf } from './path.ts';
import type { Entry, OpenFile } from './store.ts';
import { textParameter } from './style.ts';
import { list } from './tree.ts';

/** The rows of a file, or of the folder that the path is. */
export async function read(call: Call): Promise<CallResult> {
  const { path, exchange, engine } = call;
  const file = path.isFolder ? undefined : await openedUnlessFolder(call);
  if (file === undefined) return list(call);
  try {
    const { size } = file.entry;
    if (size > engine.maxRead) throw tooLarge(path.place, engine.maxRead);
    const format = await fileFormatOf(readFormatOf(call));
    const rowOf = rowsAs(call, format.name, file.entry);
    const rows: Row[] = [];
    const source = bounded(file.stream(), path.place, engine.maxRead);
    const { signal } = exchange;
    const reading = { ...call.style, budget: answerBudget, name: nameOf(path.place), signal };
    for await (const row of format.rows(source, reading)) rows.push(rowOf(row));
    signal.throwIfAborted();
    return asRows(call, rows);
  } finally {
    file.close();
  }
}

/** How the connector shows the one row of a text, or of bytes; other rows are as their format gives them. */
function rowsAs({ engine, exact }: Call, format: FileFormatName, entry: Entry): (row: Row) => Row {
  const { whole } = engine.answers;
  const field = format === 'text' ? 'content' : format === 'binary' ? 'data' : undefined;
  return whole === undefined || field === undefined ? (row) => row : (row) => whole(entry, row[field], exact);
}

async function openedUnlessFolder({ store, path, exchange }: Call): Promise<OpenFile | undefined> {
  try {
    return await store.open(path.place, exchange);
  } catch (error) {
    if (error instanceof FolderFailure) return undefined;
    throw error;
  }
}

/** What a store throws when it is asked to open a folder. */
export class FolderFailure extends Failure {
  constructor(path: string) {
    super('value_refused', `"${path}" is a folder`);
  }
}

/** The rows of a file of any size, one after another. */
export async function* scan(call: Call): AsyncGenerator<Row, void, undefined> {
  const { store, exchange, style } = call;
  const path = fileOf(call);
  const file = await store.open(path, exchange);
  try {
    const format = await fileFormatOf(readFormatOf(call));
    yield* format.rows(file.stream(), { ...style, name: nameOf(path), signal: exchange.signal });
  } finally {
    file.close();
  }
}

/** The file itself, whose bytes are read when they are asked for. */
export async function download(call: Call): Promise<CallResult> {
  const { engine, store, request, params } = call;
  const path = fileOf(call);
  const transfer = engine.exchanges.begin(request.signal);
  let file: OpenFile;
  try {
    file = await store.open(path, transfer.exchange);
  } catch (error) {
    transfer.end();
    throw error;
  }
  const close = () => {
    file.close();
    transfer.end();
  };
  if (request.contents === undefined) {
    close();
    throw new Failure('connector_failed', `${call.where}: nothing here can take a file`, { retriable: false });
  }
  request.contents.own({ close });
  const type = textParameter(params, 'content_type') ?? (await typeOf(call, path));
  const label = { filename: textParameter(params, 'filename') ?? nameOf(path), contentType: type };
  const value = new Content(new FileBytes(file), label, new Uint8Array());
  return { value };
}

/** The media type of a file: that of the format that is asked for, else what its name says. */
async function typeOf({ style }: Call, path: string): Promise<string> {
  const format = style.format ?? formatOfFile(path);
  if (format !== undefined) return (await fileFormatOf(format)).contentType;
  return mediaTypeOfFile(path) ?? 'application/octet-stream';
}

/** The bytes of an open file, read as often as they are asked for. */
class FileBytes {
  readonly once = false;
  readonly inMemory = undefined;
  readonly #file: OpenFile;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  get isFreeable(): boolean {
    return this.#file.isFreeable === true;
  }

  get size(): number {
    return this.#file.entry.size;
  }

  get version() {
    const { etag, modified } = this.#file.entry;
    return { etag, modified };
  }

  stream(): Readable {
    return this.#file.stream();
  }

  part(start: number, end: number): Readable {
    return this.#file.stream({ start, end });
  }

  read(): Buffer {
    const message = 'the bytes of a file that is passed on cannot be read by an expression: use the operation read';
    throw new Failure('connector_failed', message, { retriable: false });
  }
}

/** What comes, refused beyond a number of bytes: a file may have grown since it was opened. */
async function* bounded(source: Readable, path: string, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of source as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > most) throw tooLarge(path, most);
    yield piece;
  }
}

function tooLarge(path: string, most: number): Failure {
  const message = `the file "${path}" is larger than ${most} bytes (max_read): read it with a batch, or pass it on with download`;
  return new Failure('body_too_large', message);
}
