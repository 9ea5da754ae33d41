import type { CallDescription, PrepareRows, WriteRows } from '../../contracts/target.ts';
import type { FixedWords } from '../../contracts/words.ts';
import { Failure } from '../../errors/failure.ts';
import type { ownWords } from './block.ts';
import { isUpsert, later, problemOf } from './call.ts';
import { type Engine, isOf } from './engine.ts';
import type { Bound } from './statement/dialect.ts';
import { type InsertForm, type RowRun, runsOf } from './statement/insert-form.ts';
import { RowStatements, UnknownColumns } from './statement/rows.ts';
import type { Table } from './statement/table.ts';
import { conflictKey } from './statement/upsert.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Prepares one place of the configuration that inserts rows, or upserts them, into a table that it names. */
export function prepareRows(
  engine: Engine,
  call: CallDescription<FixedWords<typeof ownWords>>,
): PrepareRows | undefined {
  const { verb, target, query, words } = call;
  if (verb !== 'create' || target === undefined || query !== undefined || problemOf(call) !== undefined)
    return undefined;
  const names = isUpsert(call) ? words?.conflict : undefined;
  let kept: { readonly table: Table; readonly statements: RowStatements } | undefined;
  const statementsFor = (table: Table): RowStatements | undefined => {
    if (kept?.table === table) return kept.statements;
    const conflict = names && conflictKey(table, names);
    if (typeof conflict === 'string') return undefined;
    kept = { table, statements: new RowStatements('create', table, engine.dialect, conflict) };
    return kept.statements;
  };
  return (rows) =>
    later(engine.tables.peek(target) ?? engine.tables.read(target), (table) => {
      const statements = table?.takesMany ? statementsFor(table) : undefined;
      const bounds = statements && boundAll(statements, rows);
      const runs = bounds && runsOf(bounds);
      return runs?.every((run) => engine.takesRun?.(run) ?? true) ? writing(engine, runs) : undefined;
    });
}

/** Undefined: a row is refused, and the call for it alone says why. */
function boundAll(statements: RowStatements, rows: readonly Fields[]) {
  const bounds: (Bound & { readonly form: InsertForm })[] = [];
  try {
    for (const row of rows) {
      const bound = statements.bind(row);
      if (bound instanceof UnknownColumns || bound.values.length === 0 || !hasForm(bound)) return undefined;
      bounds.push(bound);
    }
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  return bounds;
}

function hasForm(bound: Bound): bound is Bound & { readonly form: InsertForm } {
  return bound.form !== undefined;
}

function writing(engine: Engine, runs: readonly RowRun[]): WriteRows {
  return async (within) => {
    if (!isOf(engine, within)) throw new Failure('internal', 'rows were to be written in a transaction of others');
    let written = 0;
    for (const run of runs) written += await within.write(run);
    return written;
  };
}
