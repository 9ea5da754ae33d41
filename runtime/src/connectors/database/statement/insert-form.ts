import type { Column, UniqueKey } from './column.ts';
import type { Dialect } from './dialect.ts';
import type { Table } from './table.ts';

/** Texts for several rows that are kept; a batch needs one for full statements and one for the rest. */
const keptTexts = 8;

/** What is written: `conflict` finds the row that is changed instead. */
interface Written {
  readonly table: Table;
  readonly written: readonly Column[];
  readonly conflict: UniqueKey | undefined;
}

/** A generated INSERT or UPSERT of certain columns, for one row or for several. */
export class InsertForm {
  readonly table: Table;
  /** In the order of their values. */
  readonly columns: readonly Column[];
  readonly conflict: UniqueKey | undefined;
  /** The statement for one row, which answers as the engine answers an INSERT. */
  readonly one: string;
  private readonly dialect: Dialect;
  private readonly head: string;
  private readonly tail: string;
  private readonly texts = new Map<number, string>();

  constructor({ table, written, conflict }: Written, dialect: Dialect) {
    this.table = table;
    this.columns = written;
    this.conflict = conflict;
    this.dialect = dialect;
    this.head = `INSERT INTO ${table.quoted} (${written.map(({ quoted }) => quoted).join(', ')}) VALUES `;
    this.tail = (conflict && dialect.upserts.clause({ table, conflict, written })) ?? '';
    this.one = `${this.several(1)}${dialect.returning ? ' RETURNING *' : ''}`;
  }

  /** The statement for so many rows, which answers their number alone. */
  several(rows: number): string {
    const known = this.texts.get(rows);
    if (known !== undefined) return known;
    let number = 0;
    const values = Array.from(
      { length: rows },
      () => `(${this.columns.map(() => this.dialect.placeholder(++number)).join(', ')})`,
    );
    const text = `${this.head}${values.join(', ')}${this.tail}`;
    if (this.texts.size >= keptTexts) this.texts.delete(this.texts.keys().next().value as number);
    this.texts.set(rows, text);
    return text;
  }
}

/** Rows of one form that follow each other. */
export interface RowRun {
  readonly form: InsertForm;
  /** As the driver takes them, row after row, each in the order of the columns. */
  readonly values: readonly unknown[];
  readonly rows: number;
}

/** How large one statement may be. */
export interface StatementLimits {
  /** Rows. */
  readonly most: number;
  /** Bytes of values, about. */
  readonly bytes: number;
}

/** A statement for several rows; `bytes` are at least those of its text and its values. */
export interface SeveralRows {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rows: number;
  readonly bytes: number;
}

/** Statements for several rows each. */
export function* severalRows({ form, values, rows }: RowRun, limits: StatementLimits): Iterable<SeveralRows> {
  const width = form.columns.length;
  let from = 0;
  while (from < rows) {
    let size = 0;
    let to = from;
    for (; to < rows && to - from < limits.most; to++) {
      let own = 0;
      for (let at = to * width; at < (to + 1) * width; at++) own += sizeOf(values[at]);
      if (to > from && size + own > limits.bytes) break;
      size += own;
    }
    const text = form.several(to - from);
    const some = to - from === rows ? values : values.slice(from * width, to * width);
    yield { text, values: some, rows: to - from, bytes: size + text.length * 3 };
    from = to;
  }
}

/** Bytes that a value takes on its way, at most. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length * 3 + around;
  return (value instanceof Uint8Array ? value.byteLength : 0) + around;
}

/** Bytes beside a value: its type and its length. */
const around = 20;
