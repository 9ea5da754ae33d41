import type { DecodingBudget } from '../budget.ts';
import type { FileFormatName } from './names.ts';

/** One record of a file. */
export type Row = Readonly<Record<string, unknown>>;

/** How tables are written, each of it absent where nothing says it. */
export interface TableStyle {
  /** One character. */
  readonly delimiter?: string | undefined;
  /** Lines that begin with it are passed over. */
  readonly comment?: string | undefined;
  readonly noHeader?: boolean | undefined;
  readonly trimSpace?: boolean | undefined;
  /** Lines before the table. */
  readonly skipRows?: number | undefined;
  /** Names of the columns in their order. */
  readonly columns?: readonly string[] | undefined;
  /** Of a spreadsheet. */
  readonly sheet?: string | undefined;
}

export interface ReadingStyle extends TableStyle {
  /** What all rows together may be. Absent: each by itself, since they pass one after another. */
  readonly budget?: DecodingBudget | undefined;
  /** Name of the file. */
  readonly name?: string | undefined;
  /** Ends what a worker does for it, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface WritingStyle extends TableStyle {
  /** Texts that spreadsheets would run as formulas are changed so that they do not. */
  readonly escapeFormulas: boolean;
  /** Name of the file. */
  readonly name?: string | undefined;
  /** It is written behind what the file has: without a header. */
  readonly continuing?: boolean | undefined;
}

/** How a file becomes rows, and a value a file. */
export interface FileFormat {
  readonly name: FileFormatName;
  readonly contentType: string;
  /** A document can be continued by writing behind it. */
  readonly continues: boolean;
  /**
   * The rows of a file, each as soon as it is whole, in memory that does not grow with the file; XML and spreadsheets are
   * bounded, and held whole. Throws a Failure `body_undecodable` or `body_too_large`.
   */
  rows(source: AsyncIterable<Uint8Array>, style: ReadingStyle): AsyncGenerator<Row, void, undefined>;
  /** The header of a table; undefined of an empty one. Absent: the format has no columns. */
  columns?(source: AsyncIterable<Uint8Array>, style: ReadingStyle): Promise<readonly string[] | undefined>;
  /** The document of a value, piece by piece; what `rows` reads again. */
  pieces(value: unknown, style: WritingStyle): Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;
}
