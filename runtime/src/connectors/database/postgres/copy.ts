import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { RowRun } from '../statement/insert-form.ts';

/** What pg makes of a value that is sent as text. Its declared types do not have it. */
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): unknown } }).utils;
/** Characters that are sent at a time. */
const pieceSize = 64 * 1024;

/** Rows that are sent as the lines of a COPY. */
export interface Copy {
  readonly text: string;
  readonly lines: () => Iterable<string>;
}

/**
 * Whether COPY makes of the rows what INSERT would: it writes columns whose values are the server's alone, and takes
 * bytes as text where they are not those of a column of bytes.
 */
export function isCopied({ form: { columns }, values }: RowRun): boolean {
  if (columns.some(({ isOwn }) => isOwn === true)) return false;
  return !values.some((value, at) => value instanceof Uint8Array && columns[at % columns.length]?.type !== 'bytea');
}

/** A COPY of these rows, whose values are those that an INSERT would send. */
export function copyOf(run: RowRun): Copy {
  const { form } = run;
  const columns = form.columns.map(({ quoted }) => quoted).join(', ');
  return { text: `COPY ${form.table.quoted} (${columns}) FROM STDIN`, lines: () => linesOf(run) };
}

/** Sends a COPY. When it is not done within its time, the server is asked to stop, as any statement is. */
export async function sendCopy(client: pg.ClientBase, { text, lines }: Copy): Promise<pg.QueryResult> {
  const stream = client.query(copyFrom(text));
  const done = finished(stream);
  void fill(stream, lines());
  await done;
  return { command: 'COPY', rowCount: stream.rowCount, rows: [], fields: [], oid: 0 };
}

/** Writes pieces as fast as the server takes them. A failure is one of the stream. */
async function fill(stream: CopyStreamQuery, pieces: Iterable<string>): Promise<void> {
  try {
    for (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
    stream.end();
  } catch (error) {
    stream.destroy(error as Error);
  }
}

function* linesOf({ form, values, rows }: RowRun): Iterable<string> {
  const width = form.columns.length;
  let piece = '';
  for (let row = 0; row < rows; row++) {
    let line = cell(values[row * width]);
    for (let at = 1; at < width; at++) line += `\t${cell(values[row * width + at])}`;
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A value in the text format of COPY (PostgreSQL, COPY, "Text Format"). */
function cell(value: unknown): string {
  if (typeof value === 'number') return `${value}`;
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  const text = typeof value === 'string' ? value : String(prepareValue(value));
  return special.test(text) ? text.replace(specials, (char) => escapes[char] as string) : text;
}

const special = /[\\\n\r\t]/;
const specials = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
