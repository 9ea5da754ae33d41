import type { CallDescription, PrepareRows, WriteRows } from '../../foundation/contracts/target.ts';
import type { FixedWords } from '../../foundation/contracts/words.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { ownWords } from './block.ts';
import { isUpsert, later, problemOf } from './call.ts';
import { type Engine, isOf } from './engine.ts';
import type { RowRun } from './statement/insert-form.ts';
import { RowStatements } from './statement/rows.ts';
import type { Table } from './statement/table.ts';
import { conflictKey } from './statement/upsert.ts';

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
      const runs = statements?.runs(rows);
      return runs?.every((run) => engine.takesRun?.(run) ?? true) ? writing(engine, runs) : undefined;
    });
}

function writing(engine: Engine, runs: readonly RowRun[]): WriteRows {
  return async (within) => {
    if (!isOf(engine, within)) throw new Failure('internal', 'rows were to be written in a transaction of others');
    let written = 0;
    for (const run of runs) written += await within.write(run);
    return written;
  };
}
