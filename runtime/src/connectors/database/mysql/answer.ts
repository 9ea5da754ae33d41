import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { StatementKind } from '../statement/kind.ts';
import type { Result } from './link.ts';
import { convertRows, integer } from './values.ts';

/** Rows when the statement has any to give, else how many it changed and the number of the row that it made. */
export function answerOf(result: Result, kind: StatementKind, exact: boolean): CallResult {
  if ('fields' in result) {
    const rows = convertRows(result.fields, result.rows, exact);
    return kind.reads ? { rows } : { rows, affected: rows.length };
  }
  const affected = Number(result.done.affectedRows);
  const id = integer(result.done.insertId, exact);
  return Number(id) === 0 ? { affected } : { affected, id };
}
