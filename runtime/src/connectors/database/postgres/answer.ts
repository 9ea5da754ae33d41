import pg from 'pg';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { StatementKind } from '../statement/kind.ts';

/** The plan of a prepared statement no longer fits its table, or a proxy has lost it. Nothing was executed. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === '26000' || (error.code === '0A000' && error.message.startsWith('cached plan'));
}

/** Rows when the statement has any to give, else how many it changed. */
export function answerOf(result: pg.QueryResult, kind: StatementKind): CallResult {
  if (result.fields.length === 0 && result.command !== 'SELECT') return { affected: result.rowCount ?? 0 };
  return kind.reads || result.command === 'SELECT'
    ? { rows: result.rows }
    : { rows: result.rows, affected: result.rowCount ?? 0 };
}
