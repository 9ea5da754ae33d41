import { Failure } from '../../../foundation/errors/failure.ts';
import { columnNames } from '../columns.ts';
import { itemsOf, rowOf } from '../records.ts';
import { type TableReading, tableRows } from '../table-decoder.ts';
import { encodeTable, TableEncoder } from '../table-encoder.ts';
import type { FileFormat, ReadingStyle, Row, WritingStyle } from './file-format.ts';

/** Delimited text (RFC 4180). */
export const csv = table('csv', 'text/csv; charset=utf-8');
/** The same with tabs. */
export const tsv = table('tsv', 'text/tab-separated-values; charset=utf-8');

function table(name: 'csv' | 'tsv', contentType: string): FileFormat {
  // The delimiter of a connector is that of its CSV files.
  const delimiterOf = ({ delimiter = ',' }: { readonly delimiter?: string | undefined }) =>
    name === 'tsv' ? '\t' : delimiter;
  const readingOf = (style: ReadingStyle): TableReading => ({
    ...style,
    delimiter: delimiterOf(style),
    isFilled: true,
  });
  return {
    name,
    contentType,
    continues: true,
    rows: (source, style) => tableRows(source, readingOf(style), { budget: style.budget ?? unbounded }),
    async columns(source, style) {
      if (style.noHeader) return style.columns;
      const reading = { ...readingOf(style), noHeader: true, columns: undefined };
      for await (const row of tableRows(source, reading, { budget: unbounded })) return columnNames(Object.values(row));
      return undefined;
    },
    pieces: (value, style) => linesOf(value, delimiterOf(style), style),
  };
}

/** Rows that pass one after another are bounded each by itself. */
const unbounded = {
  depth: 1,
  keys: 16_384,
  values: Number.POSITIVE_INFINITY,
  digits: Number.POSITIVE_INFINITY,
};

function* linesOf(value: unknown, delimiter: string, style: WritingStyle): Generator<string> {
  const { columns, continuing, escapeFormulas, noHeader } = style;
  const items = itemsOf(value);
  if (columns === undefined && continuing !== true && noHeader !== true) {
    yield encodeTable(items, { delimiter }, escapeFormulas);
    return;
  }
  const rows = items.map(rowOf);
  const names = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const encoder = new TableEncoder(names, { delimiter }, escapeFormulas);
  if (continuing !== true && noHeader !== true) yield encoder.header();
  for (const row of rows) {
    if (continuing) refuseOthers(row, names);
    yield encoder.line(row);
  }
}

/** A value that has no column in the file would be lost. */
function refuseOthers(row: Row, columns: readonly string[]): void {
  for (const name in row)
    if (!columns.includes(name))
      throw new Failure('value_refused', `the file has no column "${name}": it has ${columns.join(', ')}`);
}
