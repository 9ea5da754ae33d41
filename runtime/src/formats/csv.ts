import { toJson } from '@svc/protocol/cel';
import { Failure } from '../errors/failure.ts';

/** How delimited text is read and written. */
export interface CsvDialect {
  /** One character between fields. */
  readonly delimiter: string;
}

/**
 * Decodes delimited text (RFC 4180) whose first line is the header: `rows` is a list of maps of text, and a single row
 * gives its columns beside it (supplement 3.22). Throws `body_undecodable`.
 */
export function decodeCsv(text: string, dialect: CsvDialect): Record<string, unknown> {
  const [header = [], ...records] = readRecords(text, dialect.delimiter);
  const rows = records.map((record, index) => {
    if (record.length > header.length)
      throw new Failure(
        'body_undecodable',
        `row ${index + 1} has ${record.length} fields, the header ${header.length}`,
      );
    const row = Object.create(null) as Record<string, unknown>;
    for (const [column, name] of header.entries()) row[name] = record[column] ?? '';
    return row;
  });
  const decoded = Object.create(null) as Record<string, unknown>;
  if (rows.length === 1) Object.assign(decoded, rows[0]);
  decoded['rows'] = rows;
  return decoded;
}

/** The records of delimited text; empty lines are passed over. */
export function readRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
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
    record.push(field);
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) record.push('');
      continue;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (record.length > 1 || record[0] !== '') records.push(record);
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

/**
 * Writes a list of maps as delimited text with CRLF; the header is the union of their keys in order of first
 * appearance. One map is a list of one; other values stand in a column `value`.
 */
export function encodeCsv(value: unknown, dialect: CsvDialect): string {
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value['rows']) ? value['rows'] : [value];
  const rows = list.map((row): Record<string, unknown> => (isRecord(row) ? row : { value: row }));
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [header, ...rows.map((row) => header.map((name) => cellOf(row[name])))];
  if (header.length === 0) return '';
  return `${lines.map((cells) => cells.map((cell) => quoted(cell, dialect.delimiter)).join(dialect.delimiter)).join('\r\n')}\r\n`;
}

function cellOf(value: unknown): string {
  const plain = toJson(value);
  if (plain === null || plain === undefined) return '';
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain);
}

function quoted(cell: string, delimiter: string): string {
  const plain = !cell.includes(delimiter) && !/["\r\n]/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
