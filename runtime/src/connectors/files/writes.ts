import { addAbortSignal } from 'node:stream';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import { Content } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { bytesOf } from '../../platform/content/bytes-body.ts';
import { free } from '../../platform/content/free.ts';
import type { FileFormat, Row, WritingStyle } from '../../platform/formats/files/file-format.ts';
import { fileFormatOf } from '../../platform/formats/files/registry.ts';
import { type Call, fileOf, formatOf } from './call.ts';
import { appendingSays } from './parameters.ts';
import { nameOf } from './path.ts';
import { pieced } from './pieces.ts';
import type { Entry, Exchange } from './store.ts';
import { flagParameter, refusedParameter, textParameter } from './style.ts';
import { Turns } from './turns.ts';

/** Replaces a file, or writes behind what it has. */
export async function write(call: Call): Promise<CallResult> {
  if (!flagParameter(call.params, 'append')) return replace(call);
  if (!call.engine.spec.actions.includes('append')) throw refusedParameter('append', appendingSays);
  return append(call);
}

async function replace(call: Call): Promise<CallResult> {
  const path = fileOf(call);
  const format = await fileFormatOf(formatOf(call));
  const { source, size, contentType } = contentOf(call, format, styleOf(call));
  return send(call, path, source, { append: false, size, contentType });
}

/** Those who write behind one file take turns: what the second one writes depends on what the first one has written. */
const turns = new Turns();

/** Writes behind what a file has; one that does not exist is made. */
export async function append(call: Call): Promise<CallResult> {
  const path = fileOf(call);
  const format = await fileFormatOf(formatOf(call));
  if (!isRaw(givenContent(call)) && !format.continues) throw unappendable(format);
  return behind(call, path, format, async (begun) => {
    const { source, size, contentType } = contentOf(call, format, continuing(call, begun));
    if (begun?.needsBreak !== true) return send(call, path, source, { append: true, size, contentType });
    const whole = size === undefined ? undefined : size + lineBreak.length;
    return send(call, path, after(lineBreak, source), { append: true, size: whole, contentType });
  });
}

/** Writes many rows behind what a file has, all of them or none; what became of each, those that do not fit it aside. */
export async function appendEach(call: Call, rows: readonly Row[]): Promise<readonly unknown[]> {
  const path = fileOf(call);
  const format = await fileFormatOf(formatOf(call));
  if (!format.continues) throw unappendable(format);
  return behind(call, path, format, async (begun) => {
    const outcomes: unknown[] = [];
    const documents: (Uint8Array | string)[] = begun?.needsBreak === true ? [lineBreak] : [];
    let style = continuing(call, begun);
    for (const row of rows)
      try {
        const document: (Uint8Array | string)[] = [];
        for await (const piece of format.pieces(row, style)) document.push(piece);
        documents.push(...document);
        outcomes.push(undefined);
        // The first row of a new table gives its header; the others have the columns of that.
        style = { ...style, columns: style.columns ?? Object.keys(row), continuing: true };
      } catch (error) {
        outcomes.push(error);
      }
    const how = { append: true, size: undefined, contentType: format.contentType };
    if (documents.length > 0) await send(call, path, pieced(documents), how);
    return outcomes;
  });
}

const lineBreak = Buffer.from('\n');

interface Begun {
  readonly columns: readonly string[] | undefined;
  /** Its last line has no end. */
  readonly needsBreak: boolean;
}

/** Does the work when it is its turn, with what the file has; undefined of one that is empty or does not exist. */
function behind<T>(call: Call, path: string, format: FileFormat, work: (begun: Begun | undefined) => Promise<T>) {
  const { store, exchange, engine } = call;
  return turns.take(`${engine.connector}\0${path}`, exchange.signal, async () => {
    const entry = await store.stat(path, exchange);
    if (entry?.isFolder) throw new Failure('value_refused', `"${path}" is a folder`);
    return work(entry === undefined || entry.size === 0 ? undefined : await begunWith(call, entry, format));
  });
}

async function begunWith(call: Call, entry: Entry, format: FileFormat): Promise<Begun> {
  const { store, exchange, style } = call;
  const file = await store.open(entry.path, exchange);
  try {
    const { size } = file.entry;
    const [last] = await file.stream({ start: size - 1, end: size }).toArray();
    const columns = await format.columns?.(file.stream(), style);
    const byLines = format.name !== 'binary' && format.name !== 'text';
    return { columns, needsBreak: byLines && (last as Uint8Array | undefined)?.[0] !== lineBreak[0] };
  } finally {
    file.close();
  }
}

function continuing(call: Call, begun: Begun | undefined): WritingStyle {
  return { ...styleOf(call, begun?.columns), continuing: begun !== undefined };
}

async function send(
  call: Call,
  path: string,
  source: AsyncIterable<Uint8Array>,
  how: { readonly append: boolean; readonly size: number | undefined; readonly contentType: string },
): Promise<CallResult> {
  const { store, exchange, params, engine, exact } = call;
  const contentType = textParameter(params, 'content_type') ?? how.contentType;
  const written = await store.write(path, source, { ...how, contentType, params }, exchange);
  return { value: engine.answers.written(written, exact), affected: 1 };
}

/** What is written: the parameter `content`, else the payload. */
function givenContent({ params, request, binary, engine: { contentField } }: Call): unknown {
  if (Object.hasOwn(params, 'content')) return params['content'];
  const { payload } = request;
  if (contentField !== undefined && payload !== undefined && Object.hasOwn(payload, contentField))
    return payload[contentField];
  if (binary && payload !== undefined) return bytesOf(payload).body;
  return payload;
}

/** Whether it is written as it is, whatever the format. */
function isRaw(value: unknown): value is string | Uint8Array | Content {
  return isBytes(value) || value instanceof Content;
}

function isBytes(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function contentOf(call: Call, format: FileFormat, style: WritingStyle) {
  const value = givenContent(call);
  if (value === undefined || value === null || isEmpty(value))
    throw new Failure(
      'nothing_to_write',
      `${call.where}: ${call.action} has nothing to write: write params = { content = … }`,
    );
  if (value instanceof Content) {
    const { bytes } = value;
    const contentType = value.content_type === '' ? format.contentType : value.content_type;
    return { source: freed(value, call.exchange), size: bytes.size, contentType };
  }
  if (!isBytes(value))
    return { source: pieced(format.pieces(value, style)), size: undefined, contentType: format.contentType };
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return { source: once(bytes), size: bytes.byteLength, contentType: format.contentType };
}

function styleOf({ style, engine, path }: Call, begun?: readonly string[] | undefined): WritingStyle {
  const { format: _, ...table } = style;
  const columns = begun ?? table.columns;
  const { escapeFormulas } = engine;
  return { ...table, escapeFormulas, name: nameOf(path.place), ...(columns && { columns }) };
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || isRaw(value) || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* after(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** The bytes of a content, whose memory is given back when the next ones are asked for. */
async function* freed({ bytes }: Content, { signal }: Exchange): AsyncGenerator<Uint8Array> {
  // A sender that is silent would hold the call beyond its end.
  const stream = addAbortSignal(signal, bytes.stream());
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    yield piece;
    if (bytes.isFreeable) free(piece);
  }
}

function unappendable({ name }: FileFormat): Failure {
  const message = `a file of the format ${name} cannot be continued: write ndjson, csv, tsv, lines or text`;
  return new Failure('value_refused', message);
}
