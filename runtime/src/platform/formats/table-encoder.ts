import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../foundation/errors/failure.ts';
import { rowOf } from './records.ts';
import type { TableDialect } from './table-decoder.ts';
import { fewValues, Turns } from './turns.ts';

/** Cells of a table that is written. Rows without a column in common make more of them than the data has values. */
const mostCells = 2_000_000;

/**
 * Writes a list of maps as delimited text with CRLF; the header is the union of their keys in order of first
 * appearance. One map is a list of one; other values are in a column `value`. With `harmless`, no text begins as a
 * formula does. Throws `output_invalid` for a table that would be disproportionately larger than its data.
 */
export function encodeTable(value: unknown, dialect: TableDialect, harmless = true): string {
  const rows = rowsOf(value).map(rowOf);
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  if (names.size === 0) return '';
  checkSize(rows.length, names.size);
  const encoder = new TableEncoder([...names], dialect, harmless);
  return encoder.header() + rows.map((row) => encoder.line(row)).join('');
}

/**
 * The same piece by piece, with turns for the event loop; undefined where the table is small. A table that is too large is
 * thrown in place of the first piece.
 */
export function tablePieces(
  value: unknown,
  dialect: TableDialect,
  harmless = true,
): AsyncGenerator<Uint8Array> | undefined {
  const items = rowsOf(value);
  return isLargeTable(items) ? writtenInTurns(items, dialect, harmless) : undefined;
}

/** Whether there are more cells than are written at once, those included that rows lack. */
function isLargeTable(items: readonly unknown[]): boolean {
  const names = new Set<string>();
  for (const item of items) {
    for (const name of Object.keys(rowOf(item))) names.add(name);
    if (names.size * items.length > fewValues) return true;
  }
  return false;
}

async function* writtenInTurns(
  items: readonly unknown[],
  dialect: TableDialect,
  harmless: boolean,
): AsyncGenerator<Uint8Array> {
  const turns = new Turns();
  const names = new Set<string>();
  for (const item of items) {
    const keys = Object.keys(rowOf(item));
    for (const name of keys) names.add(name);
    const turn = turns.after(keys.length);
    if (turn !== undefined) await turn;
  }
  checkSize(items.length, names.size);
  const encoder = new TableEncoder([...names], dialect, harmless);
  let text = encoder.header();
  for (const item of items) {
    text += encoder.line(rowOf(item));
    const turn = turns.after(names.size);
    if (turn === undefined) continue;
    yield Buffer.from(text);
    text = '';
    await turn;
  }
  yield Buffer.from(text);
}

function rowsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isRecord(value) && Array.isArray(value['rows']) ? value['rows'] : [value];
}

function checkSize(height: number, width: number): void {
  if (width * height > mostCells)
    throw new Failure('output_invalid', `a table of ${height} rows and ${width} columns is too large`);
}

/** Writes delimited text line by line, for rows that come one after another. Nothing of a row is kept. */
export class TableEncoder {
  readonly #columns: readonly string[];
  readonly #delimiter: string;
  readonly #harmless: boolean;

  /** With `harmless`, no text begins as a formula does. */
  constructor(columns: readonly string[], { delimiter }: TableDialect, harmless = true) {
    this.#columns = columns;
    this.#delimiter = delimiter;
    this.#harmless = harmless;
  }

  /** The first line, with its line end. */
  header(): string {
    return this.#joined(this.#columns);
  }

  /** The line of a row, with its line end. A column that the row lacks is empty; what is not a column is left out. */
  line(row: Readonly<Record<string, unknown>>): string {
    return this.#joined(this.#columns.map((name) => row[name]));
  }

  #joined(cells: readonly unknown[]): string {
    const delimiter = this.#delimiter;
    const text = this.#harmless ? withoutFormula : textOf;
    const line = cells.map((cell) => quoted(text(cell), delimiter)).join(delimiter);
    // An empty line is not a row.
    return line === '' ? '""\r\n' : `${line}\r\n`;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const plain = toJson(value);
  if (plain === null || plain === undefined) return '';
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain);
}

/** What spreadsheets run instead of showing it, in the forms of half and full width (CWE-1236). */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** A negative number: databases give decimals as texts. */
const negative = /^-\d+(?:\.\d+)?$/;

/** The text of a cell, which spreadsheets show as it is: `'` is put before one that they would take for a formula. */
function withoutFormula(value: unknown): string {
  const text = textOf(value);
  const harmful = typeof value !== 'number' && typeof value !== 'bigint' && formula.test(text) && !negative.test(text);
  return harmful ? `'${text}` : text;
}

function quoted(cell: string, delimiter: string): string {
  const plain = !cell.includes(delimiter) && !/["\r\n]/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
