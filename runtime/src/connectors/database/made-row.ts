import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import { type Engine, type Execution, runOn } from './engine.ts';
import type { Bound } from './statement/bound.ts';
import { primaryKey, rowKey } from './statement/row-keys.ts';
import { RowStatements } from './statement/rows.ts';
import type { Table } from './statement/table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an INSERT or UPSERT wrote. */
interface Made {
  readonly table: Table;
  readonly payload: Fields;
  /** Fields by which an UPSERT found its row. */
  readonly conflict: readonly string[] | undefined;
}

/** Completes the answer of an INSERT: with the key of its row, or the whole row where that is asked for. */
export type AnswerMade = (made: Made, result: CallResult, request: CallRequest) => CallResult | Promise<CallResult>;

/** Prepares it for an engine whose INSERT answers no row. */
export function answerMade(engine: Engine, execution: Execution): AnswerMade {
  const reading = { ...execution, kind: { ...execution.kind, inserts: false } };
  return (made, result, request) => {
    const { affected = 0 } = result;
    if (affected === 0) return result;
    const known = withKey(made, result);
    const select = request.record === true ? selectOf(made, result, engine) : undefined;
    if (select === undefined) return known;
    const answer = ({ rows = [] }: CallResult) => (rows.length === 1 ? { ...known, rows } : known);
    // The row is written, whether it can be read or not: a failure now would have it written again.
    try {
      const read = runOn(engine, select, reading, request);
      return read instanceof Promise ? read.then(answer, () => known) : answer(read);
    } catch {
      return known;
    }
  };
}

/**
 * The number that the engine gave a column, else the value of a key of one column as it was sent. The number of the row itself is
 * its key where it has no other.
 */
function withKey({ table, payload }: Made, result: CallResult): CallResult {
  if (result.id !== undefined && table.columns.some(({ isNumbered }) => isNumbered === true)) return result;
  const [column, second] = rowKey(table);
  if (column === undefined) return result;
  const { id: _, ...rest } = result;
  if (second !== undefined) return rest;
  const name = Object.keys(payload).find((each) => table.column(each) === column);
  const sent = name === undefined ? undefined : payload[name];
  return sent === undefined || sent === null ? rest : { ...rest, id: sent };
}

/** The statement that reads the row; undefined when nothing is known that finds it. */
function selectOf({ table, payload, conflict }: Made, { id }: CallResult, { dialect }: Engine): Bound | undefined {
  if (conflict === undefined && dialect.rowNumber !== undefined && id !== undefined) {
    const text = `SELECT * FROM ${table.quoted} WHERE ${dialect.rowNumber} = ${dialect.placeholder(1)}`;
    return { text, values: [id], stable: true };
  }
  const filters: Record<string, unknown> = {};
  for (const column of conflict?.map((name) => table.column(name)) ?? primaryKey(table)) {
    if (column === undefined) return undefined;
    const name = Object.keys(payload).find((each) => table.column(each) === column);
    const value = name === undefined ? undefined : payload[name];
    filters[column.name] = value ?? (column.isNumbered === true ? id : undefined);
    if (filters[column.name] === undefined) return undefined;
  }
  if (Object.keys(filters).length === 0) return undefined;
  const bound = new RowStatements('read', table, dialect).bind({}, filters);
  return 'text' in bound ? bound : undefined;
}
