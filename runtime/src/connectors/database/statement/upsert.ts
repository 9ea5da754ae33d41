import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Column, UniqueKey } from './column.ts';
import type { Table } from './table.ts';

/** An INSERT that changes the row which is there already. */
export interface Upsert {
  readonly table: Table;
  /** The key by which that row is found. */
  readonly conflict: UniqueKey;
  /** The columns that the statement gives a value, those of the key included. */
  readonly written: readonly Column[];
}

/** How one engine is asked for an upsert of one row. */
export interface UpsertRules {
  /** What follows the values of the INSERT. */
  clause(upsert: Upsert): string;
  /** The answer as that of an INSERT: one row, or its key where the engine says it. */
  answer(result: CallResult): CallResult;
}

/** The columns that change in a row that is there. A key alone is written again, so that the row is answered. */
export function changedBy({ conflict, written }: Upsert): readonly Column[] {
  const changed = written.filter((column) => !conflict.columns.includes(column));
  return changed.length > 0 ? changed : conflict.columns.slice(0, 1);
}

/** `ON CONFLICT` of engines that know it. */
export function onConflict(upsert: Upsert): string {
  const key = upsert.conflict.columns.map(({ quoted }) => quoted).join(', ');
  const sets = changedBy(upsert).map(({ quoted }) => `${quoted} = excluded.${quoted}`);
  return ` ON CONFLICT (${key}) DO UPDATE SET ${sets.join(', ')}`;
}

/** The key that the configuration means by `names`, or why the table does not have it. */
export function conflictKey(table: Table, names: readonly string[]): UniqueKey | string {
  const unknown = names.filter((name) => table.column(name) === undefined);
  if (unknown.length > 0) return `${table.name} has no column ${quotedList(unknown)}`;
  const columns = new Set(names.map((name) => table.column(name)));
  const key = table.uniqueKeys.find(
    (each) => each.columns.length === columns.size && each.columns.every((column) => columns.has(column)),
  );
  return key ?? `${quotedList(names)} is neither the primary key nor a unique key of ${table.name}`;
}

/** Why the table, when it exists, has no such key. */
export function conflictProblem(table: Table | undefined, names: readonly string[]): string | undefined {
  const key = table && conflictKey(table, names);
  return typeof key === 'string' ? key : undefined;
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
