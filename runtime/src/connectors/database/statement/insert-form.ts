import type { Bound, Dialect } from './dialect.ts';
import type { Column, Table, UniqueKey } from './table.ts';

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
  readonly rows: readonly Bound[];
}

/** Generated statements for one row each, joined where they differ in nothing but their values. */
export function runsOf(bounds: readonly (Bound & { readonly form: InsertForm })[]): readonly RowRun[] {
  const runs: { readonly form: InsertForm; readonly rows: Bound[] }[] = [];
  for (const bound of bounds) {
    const last = runs.at(-1);
    if (last?.form === bound.form) last.rows.push(bound);
    else runs.push({ form: bound.form, rows: [bound] });
  }
  return runs;
}

/** Statements for several rows each, of at most so many rows and about so many bytes. */
export function* severalRows(
  { form, rows }: RowRun,
  { most, bytes }: { readonly most: number; readonly bytes: number },
) {
  let from = 0;
  while (from < rows.length) {
    const values: unknown[] = [];
    let size = 0;
    let to = from;
    for (; to < rows.length && to - from < most; to++) {
      const row = (rows[to] as Bound).values;
      const own = sizeOf(row);
      if (to > from && size + own > bytes) break;
      size += own;
      for (const value of row) values.push(value);
    }
    yield { text: form.several(to - from), values, rows: to - from };
    from = to;
  }
}

/** Bytes that values take on their way, at most. */
function sizeOf(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) {
    if (typeof value === 'string') size += value.length * 3;
    else if (value instanceof Uint8Array) size += value.byteLength;
    size += 20;
  }
  return size;
}
