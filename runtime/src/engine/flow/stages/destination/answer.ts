import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import { flattened, written } from '../../message/result.ts';
import type { FlowVerb } from '../../verb.ts';
import type { Fields } from './payload.ts';

/** The answer of a write: rows, else the answer of the connector, else the number of affected rows. */
export function writeAnswer(result: CallResult, verb: FlowVerb, payload: Fields | undefined, exact: boolean): unknown {
  const { rows, value, isList } = result;
  if (isList === true) return rows;
  if (rows !== undefined && (rows.length > 0 || result.affected === undefined)) return flattened(rows) ?? rows;
  if (value !== undefined) return value;
  return verb === 'create'
    ? written(result, payload?.['id'], exact)
    : written({ affected: result.affected }, undefined, exact);
}

/** The answer of a read: always the list of rows, or the answer of a call. */
export function readAnswer(result: CallResult, exact: boolean): unknown {
  if (result.rows !== undefined) return result.rows;
  if (result.value !== undefined) return result.value;
  return result.affected === undefined ? [] : written({ affected: result.affected }, undefined, exact);
}

/** The answer of a destination whose `when` is false. */
export const skipped: Readonly<Fields> = Object.freeze({ skipped: true, reason: 'condition not met' });

/** The answer of a destination whose facet of `dedupe` has not changed since it was written last. */
export const unchanged: Readonly<Fields> = Object.freeze({ skipped: true, reason: 'not changed' });
