/** A real column of a table. */
export interface Column {
  readonly name: string;
  readonly quoted: string;
  /** The declared type in lower case, in the words of the engine. */
  readonly type: string;
  /** Whether it belongs to the primary key, as far as the engine was asked: values of it name rows. */
  readonly isKey?: boolean | undefined;
  /** Whether the engine gives it the next number of the table where an INSERT gives it no value. */
  readonly isNumbered?: boolean | undefined;
  /** Whether an INSERT that names no columns passes over it. */
  readonly isPassedOver?: boolean | undefined;
  /** Whether the engine refuses values of statements for it, since it makes them itself. */
  readonly isOwn?: boolean | undefined;
  /** Most characters of a text, when the type limits them. */
  readonly maxLength?: number | undefined;
}

/** Columns whose values together name at most one row, as the engine says. */
export interface NamedKey {
  /** Undefined where the engine gives it no name. */
  readonly name?: string | undefined;
  readonly names: readonly string[];
  readonly isPrimary: boolean;
}

/** The same with the columns of its table. */
export interface UniqueKey {
  readonly name: string | undefined;
  readonly columns: readonly Column[];
  readonly isPrimary: boolean;
}
