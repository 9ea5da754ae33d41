import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import { rowOf } from '../records.ts';
import { Turns } from '../turns.ts';
import { sheetSize } from './limits.ts';
import { ZipWriter } from './zip.ts';

/** How a workbook is written. */
export interface SheetWriting {
  /** Default: `Sheet1`. */
  readonly sheet?: string | undefined;
  /** Names of the columns in their order; otherwise those of all rows, in the order of their first appearance. */
  readonly columns?: readonly string[] | undefined;
  readonly noHeader?: boolean | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** Excel shows no more of a text. */
const longestText = 32_767;

/**
 * Writes rows as a workbook (.xlsx, ECMA-376) of one sheet, at once. Texts are cells of text whatever they begin with, so that
 * none can become a formula; numbers and booleans are themselves, structures are JSON, null has no cell. Throws `output_invalid`
 * for what a sheet cannot hold.
 */
export function encodeExcel(rows: readonly Row[], writing: SheetWriting = {}): Buffer {
  const columns = columnsOf(rows, writing);
  const zip = new ZipWriter();
  const parts = frame(writing).map(([name, text]) => zip.whole(name, text));
  const sheet = zip.whole(sheetPart, [...sheetTexts(rows, columns, writing)].join(''));
  return Buffer.concat([...parts, sheet, zip.end()]);
}

/**
 * The same of many rows, piece by piece, with turns for the event loop from the beginning. What a sheet cannot hold is thrown in
 * place of the first piece.
 */
export async function* checkedExcel(items: readonly unknown[]): AsyncGenerator<Uint8Array, void, undefined> {
  const turns = new Turns();
  const rows: Row[] = [];
  const names = new Set<string>();
  for (const item of items) {
    const row = rowOf(item);
    rows.push(row);
    let values = 0;
    for (const name of Object.keys(row)) {
      names.add(name);
      checkLength(row[name]);
      values++;
    }
    checkSize(rows.length + 1, names.size);
    const turn = turns.after(values);
    if (turn !== undefined) await turn;
  }
  yield* piecesOf(rows, [...names], {});
}

/** The same, piece by piece. */
export function excelPieces(rows: readonly Row[], writing: SheetWriting): AsyncGenerator<Uint8Array, void, undefined> {
  return piecesOf(rows, columnsOf(rows, writing), writing);
}

async function* piecesOf(
  rows: readonly Row[],
  columns: readonly string[],
  writing: SheetWriting,
): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipWriter();
  for (const [name, text] of frame(writing)) yield zip.whole(name, text);
  yield* zip.streamed(sheetPart, sheetTexts(rows, columns, writing));
  yield zip.end();
}

function columnsOf(rows: readonly Row[], { columns, noHeader }: SheetWriting): readonly string[] {
  const names = columns ?? namesIn(rows);
  checkSize(rows.length + (noHeader ? 0 : 1), names.length);
  return names;
}

function namesIn(rows: readonly Row[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

function checkSize(height: number, width: number): void {
  if (width <= sheetSize.columns && height <= sheetSize.rows) return;
  const message = `a spreadsheet of ${height} rows and ${width} columns is too large: a sheet has at most ${sheetSize.rows} and ${sheetSize.columns}`;
  throw new Failure('output_invalid', message);
}

/** Throws for a value whose text is too long for a cell. */
function checkLength(value: unknown): void {
  const text = typeof value === 'object' && value !== null ? textOf(value) : value;
  if (typeof text === 'string' && text.length > longestText) throw textTooLong(text);
}

const sheetPart = 'xl/worksheets/sheet1.xml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts around the sheet. */
function frame({ sheet = 'Sheet1' }: SheetWriting): readonly (readonly [name: string, text: string])[] {
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  const documents: readonly (readonly [string, string])[] = [
    [
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/${sheetPart}" ContentType="${types}.worksheet+xml"/></Types>`,
    ],
    ['_rels/.rels', relation('officeDocument', 'xl/workbook.xml')],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${escaped(sheetName(sheet))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', relation('worksheet', 'worksheets/sheet1.xml')],
  ];
  return documents.map(([name, text]) => [name, declaration + text]);
}

/** What Excel takes for the name of a sheet. */
function sheetName(name: string): string {
  if (name.length <= 31 && !/[\\/?*[\]:\x00-\x1f]|^'|'$/.test(name) && name.trim() !== '') return name;
  const says = "has 1 to 31 characters without \\ / ? * [ ] : and does not begin or end with '";
  throw new Failure('value_refused', `"${name.slice(0, 100)}" is not the name of a sheet, which ${says}`);
}

/** Cells that are made to text at once. */
const together = 2_000;

function* sheetTexts(rows: readonly Row[], columns: readonly string[], { noHeader }: SheetWriting): Generator<string> {
  const places = new Map(columns.map((name, at) => [name, at]));
  const letters = columns.map((_, at) => lettersOf(at));
  let number = 0;
  const rowText = (values: readonly (readonly [column: number, value: unknown])[]) => {
    let text = `<row r="${++number}">`;
    for (const [column, value] of values) text += cellText(value, `${letters[column]}${number}`);
    return `${text}</row>`;
  };
  yield `${declaration}<worksheet xmlns="${main}"><sheetData>`;
  if (!noHeader) yield rowText(columns.map((name, at) => [at, name]));
  const step = Math.max(1, Math.floor(together / columns.length));
  for (let from = 0; from < rows.length; from += step)
    yield rows
      .slice(from, from + step)
      .map((row) => rowText(cellsOf(row, places)))
      .join('');
  yield '</sheetData></worksheet>';
}

/** The values of a row in the order of their columns. What it lacks costs nothing. */
function cellsOf(row: Row, places: ReadonlyMap<string, number>): [column: number, value: unknown][] {
  const cells: [number, unknown][] = [];
  let isSorted = true;
  for (const name of Object.keys(row)) {
    const column = places.get(name);
    if (column === undefined) continue;
    isSorted &&= column > (cells.at(-1)?.[0] ?? -1);
    cells.push([column, row[name]]);
  }
  return isSorted ? cells : cells.sort(([a], [b]) => a - b);
}

function cellText(value: unknown, place: string): string {
  const plain = textOf(value);
  switch (typeof plain) {
    case 'number':
      return `<c r="${place}"><v>${plain}</v></c>`;
    case 'boolean':
      return `<c r="${place}" t="b"><v>${plain ? 1 : 0}</v></c>`;
    case 'undefined':
      return '';
  }
  if (plain.length > longestText) throw textTooLong(plain);
  const keepsBlanks = /^\s|\s$/.test(plain) ? ' xml:space="preserve"' : '';
  return `<c r="${place}" t="inlineStr"><is><t${keepsBlanks}>${escaped(plain)}</t></is></c>`;
}

/** What a cell has of a value: itself, or its text; undefined where there is no cell. */
function textOf(value: unknown): string | number | boolean | undefined {
  const plain = typeof value === 'string' ? value : toJson(value);
  if (plain === null || plain === undefined) return undefined;
  return typeof plain === 'object' ? JSON.stringify(plain) : (plain as string | number | boolean);
}

function textTooLong({ length }: string): Failure {
  const message = `a text of ${length} characters is too long for a cell of a spreadsheet, which has at most ${longestText}`;
  return new Failure('output_invalid', message);
}

/** The letters of a column that is counted from 0. */
function lettersOf(column: number): string {
  const last = String.fromCharCode(0x41 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const special = /[&<>"_\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;

/** What XML cannot hold, and what would be read as such, is written by its code (ECMA-376, part 1, 22.9.2.19). */
function escaped(text: string): string {
  const code = (character: string) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  if (!special.test(text)) return text;
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/g, code)
    .replace(/[&<>"]/g, (character) => references[character] as string)
    .toWellFormed();
}
