import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Bound } from '../statement/dialect.ts';
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
export function isCopied({ form, rows }: RowRun): boolean {
  if (form.columns.some(({ isOwn }) => isOwn === true)) return false;
  const others = form.columns.flatMap(({ type }, index) => (type === 'bytea' ? [] : [index]));
  return !rows.some(({ values }) => others.some((index) => values[index] instanceof Uint8Array));
}

/** A COPY of these rows, whose values are those that an INSERT would send. */
export function copyOf({ form, rows }: RowRun): Copy {
  const columns = form.columns.map(({ quoted }) => quoted).join(', ');
  return { text: `COPY ${form.table.quoted} (${columns}) FROM STDIN`, lines: () => linesOf(rows) };
}

/** Sends a COPY. When it is not done within its time, the server is asked to stop, as any statement is. */
export async function sendCopy(client: pg.ClientBase, { text, lines }: Copy): Promise<pg.QueryResult> {
  const stream = client.query(copyFrom(text));
  await pipeline(Readable.from(lines()), stream);
  return { command: 'COPY', rowCount: stream.rowCount, rows: [], fields: [], oid: 0 };
}

function* linesOf(rows: readonly Bound[]): Iterable<string> {
  let piece = '';
  for (const { values } of rows) {
    let line = '';
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      line += at === 0 ? cell(value) : `\t${cell(value)}`;
    }
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A value in the text format of COPY (PostgreSQL, COPY, "Text Format"). */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  const text = typeof value === 'string' ? value : String(prepareValue(value));
  return special.test(text) ? text.replace(specials, (char) => escapes[char] as string) : text;
}

const special = /[\\\n\r\t]/;
const specials = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
