/** A table as a statement names it, with the case that its engine looks for. */
export interface NamedTable {
  readonly schema: string | undefined;
  readonly table: string;
}

/** What an INSERT says about the rows that it makes. */
export interface Insert {
  readonly table: NamedTable;
  /** The statement without a semicolon. */
  readonly text: string;
  /** Its words outside brackets, from INSERT on, in lower case. */
  readonly words: readonly string[];
  /** It says itself what it answers. */
  readonly returns: boolean;
  /** What follows the name of the table. */
  readonly rest: string;
}

/** What is known of the key of a table. */
export type TableKey =
  /** Column, as SQL reads it; undefined: the engine does not know the key of a new row. */
  { readonly column: string | undefined } | 'no such table';

/** How names are written. */
export interface Quoting {
  /** A name as SQL reads it literally. */
  quote(name: string): string;
}

/** A table as SQL reads it. */
export function quoteTable({ schema, table }: NamedTable, { quote }: Quoting): string {
  return [schema, table].flatMap((part) => (part === undefined ? [] : [quote(part)])).join('.');
}
