import { Readable } from 'node:stream';
import { CsvError, type Options, Parser } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { Failure } from '../../foundation/errors/failure.ts';
import { type BodyForm, beyondBudget, messageBudget } from './budget.ts';
import { columnNames, Filling, numberedColumns } from './columns.ts';
import { TextDecoding, textOf } from './text.ts';

/** How delimited text is read and written. */
export interface TableDialect {
  /** One character between fields. */
  readonly delimiter: string;
}

/** How delimited text of other programs is read. */
export interface TableReading extends TableDialect {
  /** Lines that begin with it are passed over. */
  readonly comment?: string | undefined;
  /** The first record is a row: columns are `column_1` and so on. */
  readonly noHeader?: boolean | undefined;
  /** Blanks around cells are removed. */
  readonly trimSpace?: boolean | undefined;
  /** Lines before the table. */
  readonly skipRows?: number | undefined;
  /** Names of the columns, in place of those of the header. */
  readonly columns?: readonly string[] | undefined;
  /** Rows that are shorter than the header are filled up with empty texts. */
  readonly isFilled?: boolean | undefined;
}

/** Columns by name, without a prototype. */
export type Row = Record<string, string>;

/**
 * Decodes delimited text (RFC 4180) whose first line is the header: `rows` is a list of maps of text, and a single row
 * gives its columns beside it. Throws as `tableRows` does.
 */
export function decodeTable(bytes: Uint8Array, dialect: TableDialect, form: BodyForm = {}): Record<string, unknown> {
  const text = textOf(bytes, form.charset);
  let rows: Row[];
  try {
    // The rows are made by `on_record`, which the types of the library do not mention.
    rows = parse(text, parserOptions(dialect, form)) as unknown as Row[];
  } catch (error) {
    throw failureOf(error);
  }
  const decoded = Object.create(null) as Record<string, unknown>;
  if (rows.length === 1) Object.assign(decoded, rows[0]);
  decoded['rows'] = rows;
  return decoded;
}

/**
 * The rows of delimited text (RFC 4180) whose first line is the header, each as soon as it is whole, wherever the bytes are
 * divided. What is kept is the record that is not whole. A row has the columns that it writes: one that is shorter than
 * the header is not filled up unless `isFilled`, since a small document could become any size so. Empty lines are passed over; a line of
 * `""` is a row. Quotes inside a field that does not begin with one are text. Throws `body_undecodable`, and
 * `body_too_large` when all rows together are beyond the budget: cells and records count as values.
 */
export async function* tableRows(
  source: AsyncIterable<Uint8Array>,
  dialect: TableReading,
  form: BodyForm = {},
): AsyncGenerator<Row, void, undefined> {
  const parser = new Parser({ ...parserOptions(dialect, form), max_record_size: longestRecord });
  const texts = Readable.from(textsOf(source, form.charset), { objectMode: true });
  texts.once('error', (error) => parser.destroy(error));
  texts.pipe(parser);
  try {
    yield* parser as AsyncIterable<Row>;
  } catch (error) {
    throw failureOf(error);
  } finally {
    texts.destroy();
  }
}

/** Characters of one record of a source whose size is not known. */
const longestRecord = 1024 * 1024;

async function* textsOf(source: AsyncIterable<Uint8Array>, charset: string | undefined): AsyncGenerator<string> {
  const decoding = new TextDecoding(charset);
  for await (const bytes of source) {
    const text = decoding.write(bytes);
    if (text !== '') yield text;
  }
  const rest = decoding.end();
  if (rest !== '') yield rest;
}

/** How the library reads a table: record by record, within the budget, and into rows of our own. */
function parserOptions(reading: TableReading, { budget = messageBudget }: BodyForm): Options {
  const { delimiter, comment, noHeader, trimSpace, skipRows, columns, isFilled } = reading;
  const filling = isFilled ? new Filling() : undefined;
  let values = 0;
  let header = noHeader ? columns : undefined;
  let count = 0;
  const read = (record: readonly string[]): Row | null => {
    const filled = filling === undefined || header === undefined ? 0 : Math.max(0, header.length - record.length);
    values += record.length + filled + 1;
    if (values > budget.values) throw beyondBudget(budget, 'values');
    filling?.add(record.length, filled);
    if (header !== undefined) return rowOf(record, header, ++count, filled);
    if (record.length > budget.keys) throw beyondBudget(budget, 'keys');
    if (noHeader) return rowOf(record, numberedColumns(record.length), ++count, 0);
    header = columns ?? columnNames(record);
    return null;
  };
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    ...(comment !== undefined && { comment, comment_no_infix: true }),
    ...(trimSpace && { trim: true }),
    ...(skipRows && { from_line: skipRows + 1 }),
    // The library's types know rows that are maps only where it makes them itself.
    on_record: read as unknown as NonNullable<Options['on_record']>,
  };
}

function rowOf(record: readonly string[], header: readonly string[], number: number, filled: number): Row {
  if (record.length > header.length)
    throw new Failure(
      'body_undecodable',
      `row ${number} has ${record.length} fields, but the header has ${header.length}`,
    );
  const row = Object.create(null) as Row;
  for (let column = 0; column < record.length; column++) row[header[column] as string] = record[column] as string;
  for (let column = record.length; column < record.length + filled; column++) row[header[column] as string] = '';
  return row;
}

/** The failure of a table that cannot be read. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const at = `record ${Number(error['records'] ?? 0) + 1}`;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new Failure('body_undecodable', `${at} has a quote that is never closed`);
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return new Failure('body_too_large', `${at} is longer than ${longestRecord} characters`);
  return new Failure('body_undecodable', `${at} cannot be read: ${error.message}`, { cause: error });
}
