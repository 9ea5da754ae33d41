import type { CallResult } from './call-result.ts';

/** Statements over one connection, all or none. */
export interface Transactions {
  /**
   * Not every server of the kind has them: they are used where the configuration writes one, and nowhere else. Absent: also
   * where several writes belong together.
   */
  readonly writtenOnly?: true | undefined;
  /** Why the server that is connected has no transactions; undefined when it has them. Absent: every server of the kind has. */
  readonly refusal?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** Runs `work`; commits when it resolves, rolls back when it rejects. A lost answer to COMMIT is `outcome_unknown`. */
  run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

/** `known`: the key of what an INSERT makes, where it is known. */
export type WantedKey = 'known' | 'required' | undefined;

export interface StatementRunner {
  /**
   * One statement with `:name` parameters. Integers come as bigint. An INSERT of which the key is wanted answers `id`: the
   * key of the last row that it made, or null when it made none. One of which it is `required` fails where the key of
   * the table cannot be known.
   */
  execute(query: string, params: Readonly<Record<string, unknown>>, key?: WantedKey): CallResult | Promise<CallResult>;
  /** Stops the timers of those that wait for this transaction to end; the returned function resumes them. */
  readonly hold?: (() => () => void) | undefined;
}

/** From where a database can be used: any machine, that of its file, or the process that opened it. */
export type Reach = 'network' | 'machine' | 'process';

/** How the tables of the runtime are made and filled. */
export interface RuntimeTables {
  /** Column type for names and identifiers, which are keys, indexed and compared with case. */
  readonly name: string;
  /** Column type for texts of any length. */
  readonly text: string;
  /** Column type for moments with milliseconds. */
  readonly time: string;
  /** Column type for true and false. */
  readonly flag: string;
  /** Column type for JSON whose text must stay as it is written. */
  readonly json: string;
  /** Statement for the time of the engine's clock at this moment, `now` in milliseconds since 1970. */
  readonly now: string;
  /** A change of tables is undone with its transaction, instead of ending it. */
  readonly undoesSchema: boolean;
  /** A name as SQL reads it literally. */
  quote(name: string): string;
  /** A moment of RFC 3339 in UTC as it is given to a column of any type of times. */
  moment(text: string): string;
  /** A JSON column as the text that was written. */
  asText(column: string): string;
  /** Statements that make a table unless it is there, and its indexes: columns by name. */
  make(table: string, definitions: readonly string[], indexes?: Readonly<Record<string, string>>): readonly string[];
  /**
   * Statements that add a column to a table that is there, whose keys change with it; together they are one step where the
   * engine can.
   */
  widen(table: WidenedTable): readonly string[];
  /** A column of any type as the text that a client reads. */
  asKey(column: string): string;
  /** Inserts a row of the parameters with these names; one that is there already stays, and is not counted. */
  insertOnce(table: string, columns: readonly string[]): string;
}

/** A table that gets a column and other keys. */
export interface WidenedTable {
  readonly table: string;
  /** Columns and keys of the table as it is afterwards. */
  readonly definitions: readonly string[];
  /** The columns that it has. */
  readonly columns: readonly string[];
  /** The column that it gets, with its type. */
  readonly added: string;
  /** Keys that end; a key that is not primary has the name that the engine gave it. */
  readonly ended: readonly { readonly name: string | undefined; readonly isPrimary: boolean }[];
  /** Keys that are made, as CREATE TABLE has them. */
  readonly made: readonly string[];
}

/** A column as its database describes it. */
export interface KnownColumn {
  readonly name: string;
  readonly quoted: string;
  /** The declared type in lower case, in the words of the engine. */
  readonly type: string;
  /** Most characters of a text, when the type limits them. */
  readonly maxLength?: number | undefined;
}

/** A table as its database describes it. */
export interface KnownTable {
  readonly quoted: string;
  /** Schema and name as the database has them. */
  readonly place: { readonly schema: string | undefined; readonly table: string };
  /** The column that an unquoted `name` means. */
  column(name: string): KnownColumn | undefined;
  /** Columns whose values together name at most one row. */
  readonly uniqueKeys: readonly {
    readonly name: string | undefined;
    readonly columns: readonly KnownColumn[];
    readonly isPrimary: boolean;
  }[];
}

/** What a database says of its tables; it must be open. */
export interface Schema {
  /** A table by its name, with a schema in front or without; undefined when it does not exist. */
  describe(table: string): Promise<KnownTable | undefined>;
}

/** An INSERT of the parameters that are named as the columns. */
export function insertText(table: string, columns: readonly string[], verb = 'INSERT'): string {
  return `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`;
}
