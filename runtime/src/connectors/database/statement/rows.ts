import { Failure, type FieldProblem } from '../../../foundation/errors/failure.ts';
import { spellingOf } from '../values/spelling.ts';
import type { Bound } from './bound.ts';
import type { Column, UniqueKey } from './column.ts';
import { type Dialect, ValueRefused } from './dialect.ts';
import { InsertForm, type RowRun } from './insert-form.ts';
import {
  type Comparison,
  comparisonOf,
  type Fields,
  type FilterSlot,
  matches,
  present,
  type Shape,
  type Slot,
} from './shape.ts';
import type { Table } from './table.ts';

export type RowVerb = 'read' | 'create' | 'update' | 'delete';

/** Names that do not exist in the table: the caller reads the table again once before refusing them. */
export class UnknownColumns {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    this.names = names;
  }
}

const none: Fields = Object.freeze({});
/** Statement texts that are kept for one place of the configuration; names beyond it are built again. */
const keptShapes = 64;

/**
 * Writes SELECT, INSERT, UPSERT, UPDATE and DELETE for one table. Texts are made once for each set of names, so that a request
 * with the same names as the one before only collects its values.
 */
export class RowStatements {
  private readonly verb: RowVerb;
  private readonly table: Table;
  private readonly dialect: Dialect;
  private readonly conflict: UniqueKey | undefined;
  private readonly shapes = new Map<string, Shape>();
  private last: Shape | undefined;

  /** `conflict`: what a row that exists is found by; `create` then changes it. */
  constructor(verb: RowVerb, table: Table, dialect: Dialect, conflict?: UniqueKey) {
    this.verb = verb;
    this.table = table;
    this.dialect = dialect;
    this.conflict = conflict;
  }

  /**
   * The statement for these names and values, or the names that the table does not have. A SELECT gives the columns of
   * those that are asked; every column when it has not one of them. Throws value_refused.
   */
  bind(payload: Fields = none, filters: Fields = none, asked?: readonly string[]): Bound | UnknownColumns {
    const last = this.last;
    if (last !== undefined && matches(last, payload, filters, asked)) return this.collect(last, payload, filters);
    const shape = this.shape(payload, filters, asked);
    if (shape instanceof UnknownColumns) return shape;
    this.last = shape;
    return this.collect(shape, payload, filters);
  }

  /**
   * The rows as runs whose statements differ in nothing but their values. Undefined: a row has no value at all, names that
   * the table does not have, or values that it refuses; the statement for it alone says why.
   */
  runs(rows: readonly Fields[]): readonly RowRun[] | undefined {
    const runs: { readonly form: InsertForm; readonly values: unknown[]; rows: number }[] = [];
    let run: (typeof runs)[number] | undefined;
    let shape: Shape | undefined;
    try {
      for (const row of rows) {
        if (shape === undefined || !matches(shape, row, none)) {
          const other = this.shape(row, none);
          if (other instanceof UnknownColumns || other.form === undefined || other.sets.length === 0) return undefined;
          shape = other;
          run = { form: other.form, values: [], rows: 0 };
          runs.push(run);
        }
        if (run === undefined || !this.add(shape, row, run.values)) return undefined;
        run.rows++;
      }
    } catch (error) {
      if (error instanceof Failure || error instanceof ValueRefused) return undefined;
      throw error;
    }
    return runs;
  }

  /** Appends the values of a row; false when one that finds it is missing. Throws ValueRefused. */
  private add({ sets }: Shape, row: Fields, values: unknown[]): boolean {
    for (let at = 0; at < sets.length; at++) {
      const slot = sets[at] as Slot;
      const value = row[slot.name];
      if (value !== null) values.push(slot.encode(value));
      else if (this.conflict?.columns.includes(slot.column)) return false;
      else values.push(null);
    }
    return true;
  }

  private shape(payload: Fields, filters: Fields, asked?: readonly string[]): Shape | UnknownColumns {
    const payloadNames = present(payload);
    const filterNames = present(filters);
    const comparisons = filterNames.map((name) => comparisonOf(filters[name]));
    const key = `${payloadNames.join()} ${filterNames.join()} ${comparisons.join()} ${asked?.join() ?? '*'}`;
    const kept = this.shapes.get(key);
    if (kept !== undefined && matches(kept, payload, filters, asked)) return kept;
    const made = this.make(payloadNames, filterNames, comparisons, asked);
    if (made instanceof UnknownColumns) return made;
    if (this.shapes.size >= keptShapes) this.shapes.delete(this.shapes.keys().next().value as string);
    this.shapes.set(key, made);
    return made;
  }

  private make(
    payload: readonly string[],
    filters: readonly string[],
    comparisons: readonly Comparison[],
    asked: readonly string[] | undefined,
  ): Shape | UnknownColumns {
    const unknown = [...payload, ...filters].filter((name) => this.table.column(name) === undefined);
    if (unknown.length > 0) return new UnknownColumns([...new Set(unknown)]);
    const { dialect } = this;
    const sets = payload
      .map((name) => this.slot(name, (column) => dialect.encodeStored?.(column) ?? dialect.encodeFor?.(column)))
      .sort(byName);
    const wheres = filters
      .map((name, index) => ({
        ...this.slot(name, (column) => dialect.encodeFor?.(column)),
        comparison: comparisons[index] as Comparison,
      }))
      .sort(byName);
    this.refuseTwins(sets);
    this.refuseTwins(wheres);
    this.refuseLacking(sets);
    const columns: Column[] = sets.map((slot) => slot.column);
    for (const { column, comparison } of wheres) {
      const count = comparison === '=' ? 1 : comparison === 'null' ? 0 : comparison;
      for (let index = 0; index < count; index++) columns.push(column);
    }
    if (columns.length > this.dialect.maxParameters) {
      throw new Failure(
        'value_refused',
        `a list has more elements than a statement can carry (${this.dialect.maxParameters})`,
      );
    }
    const stable = comparisons.every((comparison) => typeof comparison === 'string');
    const form = this.verb === 'create' ? this.form(sets) : undefined;
    const text = form?.one ?? this.text(sets, wheres, asked);
    return { payload, filters, asked, comparisons, text, sets, wheres, columns, stable, form };
  }

  private slot(name: string, encodeFor: NonNullable<Dialect['encodeFor']>): Slot {
    const column = this.table.column(name) as Column;
    const encode = encodeFor(column) ?? this.dialect.encode;
    const spell = spellingOf(column, this.dialect);
    return { name, column, encode: spell === undefined ? encode : (value) => encode(spell(value)) };
  }

  /** Two names that fold to one column would make one of them silently lost. */
  private refuseTwins(slots: readonly Slot[]): void {
    for (let index = 1; index < slots.length; index++) {
      const [before, slot] = [slots[index - 1] as Slot, slots[index] as Slot];
      if (before.column === slot.column) {
        throw refused([
          {
            field: slot.name,
            code: 'duplicate',
            message: `"${before.name}" and "${slot.name}" name the same column of ${this.table.name}`,
          },
        ]);
      }
    }
  }

  /** Without a value in its key, a row is never found again: a repetition would insert it again. */
  private refuseLacking(sets: readonly Slot[]): void {
    const lacking = this.conflict?.columns.filter((column) => !sets.some((slot) => slot.column === column)) ?? [];
    if (lacking.length > 0) throw refused(lacking.map(({ name }) => keyValueMissing(name)));
  }

  private form(sets: readonly Slot[]): InsertForm {
    const { conflict, table, dialect } = this;
    const written = sets.map((slot) => slot.column);
    return new InsertForm({ table, written, conflict }, dialect);
  }

  private text(sets: readonly Slot[], wheres: readonly FilterSlot[], asked: readonly string[] | undefined): string {
    let number = 0;
    const next = () => this.dialect.placeholder(++number);
    const { quoted } = this.table;
    const names = sets.map((slot) => slot.column.quoted);
    switch (this.verb) {
      case 'update': {
        const assignments = names.map((name) => `${name} = ${next()}`).join(', ');
        return `UPDATE ${quoted} SET ${assignments}${where(wheres, next)}`;
      }
      case 'delete':
        return `DELETE FROM ${quoted}${where(wheres, next)}`;
      default:
        return `SELECT ${this.selected(asked)} FROM ${quoted}${where(wheres, next)}`;
    }
  }

  /** The columns among the names that are asked. */
  private selected(asked: readonly string[] | undefined): string {
    const found = asked?.flatMap((name) => this.table.column(name) ?? []) ?? [];
    return found.length === 0 ? '*' : [...new Set(found)].map(({ quoted }) => quoted).join(', ');
  }

  private collect(shape: Shape, payload: Fields, filters: Fields): Bound {
    const values: unknown[] = [];
    for (const slot of shape.sets) {
      const value = payload[slot.name];
      if (value === null && this.conflict?.columns.includes(slot.column)) throw refused([keyValueMissing(slot.name)]);
      values.push(encode(slot, value));
    }
    for (const slot of shape.wheres) {
      const value = filters[slot.name];
      if (slot.comparison === '=') values.push(encode(slot, value));
      else if (slot.comparison !== 'null') for (const each of value as unknown[]) values.push(encode(slot, each));
    }
    const { text, stable, columns, form } = shape;
    return { text, values, stable, columns, conflict: this.conflict, form };
  }
}

/** The refusal of names that the table does not have, also after reading it again. */
export function refuseUnknown(table: Table, unknown: UnknownColumns): Failure {
  return refused(
    unknown.names.map((name) => ({
      field: name,
      code: 'unknown_column',
      message: `${table.name} has no column "${printable(name)}"`,
    })),
  );
}

export function refused(fields: readonly FieldProblem[], cause?: unknown): Failure {
  return new Failure('value_refused', fields.map((field) => field.message).join('; '), { fields, cause });
}

function keyValueMissing(field: string): FieldProblem {
  return { field, code: 'required', message: `"${field}" finds the row that is written, and has no value` };
}

/** A hostile name must not fill the log or the answer. */
function printable(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

/** Does what may throw ValueRefused, whose message then begins with the name of the field. */
export function refusing<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ValueRefused)) throw error;
    throw refused([{ field, code: 'type_mismatch', message: `"${field}" ${error.message}` }]);
  }
}

function encode(slot: Slot, value: unknown): unknown {
  return value === null ? null : refusing(slot.name, () => slot.encode(value));
}

function where(slots: readonly FilterSlot[], next: () => string): string {
  if (slots.length === 0) return '';
  const conditions = slots.map(({ column, comparison }) => {
    if (comparison === '=') return `${column.quoted} = ${next()}`;
    if (comparison === 'null') return `${column.quoted} IS NULL`;
    // An empty list selects nothing; `IN ()` would be a syntax error.
    return comparison === 0 ? '1 = 0' : `${column.quoted} IN (${Array.from({ length: comparison }, next).join(', ')})`;
  });
  return ` WHERE ${conditions.join(' AND ')}`;
}

function byName(a: Slot, b: Slot): number {
  return a.column.name < b.column.name ? -1 : a.column.name > b.column.name ? 1 : 0;
}
