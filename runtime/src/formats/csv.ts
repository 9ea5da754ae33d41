import { toJson } from '@svc/protocol/cel';
import { Failure } from '../errors/failure.ts';
import { beyondBudget, type DecodingBudget, messageBudget } from './budget.ts';

/** How delimited text is read and written. */
export interface CsvDialect {
  /** One character between fields. */
  readonly delimiter: string;
}

/**
 * Decodes delimited text (RFC 4180) whose first line is the header: `rows` is a list of maps of text, and a single row
 * gives its columns beside it. A row has the columns that it writes: one that is shorter than the header is not filled
 * up, since a small document could become any size so. Throws `body_undecodable`, and `body_too_large` beyond the budget.
 */
export function decodeCsv(
  text: string,
  dialect: CsvDialect,
  budget: DecodingBudget = messageBudget,
): Record<string, unknown> {
  const [header = [], ...records] = readRecords(text, dialect.delimiter, budget);
  if (header.length > budget.keys) throw beyondBudget(budget, 'keys');
  const rows = records.map((record, index) => {
    if (record.length > header.length)
      throw new Failure(
        'body_undecodable',
        `row ${index + 1} has ${record.length} fields, the header ${header.length}`,
      );
    const row = Object.create(null) as Record<string, unknown>;
    for (const [column, cell] of record.entries()) row[header[column] as string] = cell;
    return row;
  });
  const decoded = Object.create(null) as Record<string, unknown>;
  if (rows.length === 1) Object.assign(decoded, rows[0]);
  decoded['rows'] = rows;
  return decoded;
}

/** The records of delimited text; empty lines are passed over. Cells and records count as values of the budget. */
function readRecords(text: string, delimiter: string, budget: DecodingBudget): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let values = 0;
  let at = 0;
  while (at < text.length) {
    let field: string;
    if (text[at] === '"') {
      [field, at] = readQuoted(text, at, records.length + 1);
      if (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r')
        throw new Failure('body_undecodable', `record ${records.length + 1} has text after a closing quote`);
    } else {
      const start = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
      field = text.slice(start, at);
    }
    if (++values > budget.values) throw beyondBudget(budget, 'values');
    record.push(field);
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) record.push('');
      continue;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (record.length > 1 || record[0] !== '') {
      values++;
      records.push(record);
    }
    record = [];
  }
  if (record.length > 0) records.push(record);
  return records;
}

function readQuoted(text: string, start: number, record: number): [string, number] {
  let field = '';
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Failure('body_undecodable', `record ${record} has a quote that is never closed`);
    field += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [field, quote + 1];
    field += '"';
    at = quote + 2;
  }
}

/** Cells of a table that is written. Rows without a column in common make more of them than the data has values. */
const mostCells = 2_000_000;

/**
 * Writes a list of maps as delimited text with CRLF; the header is the union of their keys in order of first
 * appearance. One map is a list of one; other values stand in a column `value`. With `harmless`, no text begins as a
 * formula does. Throws `output_invalid` for a table that would be out of proportion to its data.
 */
export function encodeCsv(value: unknown, dialect: CsvDialect, harmless = true): string {
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value['rows']) ? value['rows'] : [value];
  const rows = list.map((row): Record<string, unknown> => (isRecord(row) ? row : { value: row }));
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  const header = [...names];
  if (header.length === 0) return '';
  if (header.length * rows.length > mostCells)
    throw new Failure('output_invalid', `a table of ${rows.length} rows and ${header.length} columns is too large`);
  const { delimiter } = dialect;
  const cell = (item: unknown) => quoted(harmless ? withoutFormula(item) : textOf(item), delimiter);
  const lines = [header.map(cell), ...rows.map((row) => header.map((name) => cell(row[name])))];
  return `${lines.map((cells) => cells.join(delimiter)).join('\r\n')}\r\n`;
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

/** The text of a cell, which spreadsheets show as it is: `'` stands before one that they would take for a formula. */
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
