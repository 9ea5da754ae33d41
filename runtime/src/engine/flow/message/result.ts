import type { CallResult } from '../../../foundation/contracts/call-result.ts';

/** Rows as one value: none is undefined, one is itself, several are a list. */
export function flattened(rows: readonly unknown[]): unknown {
  return rows.length === 1 ? rows[0] : rows.length === 0 ? undefined : rows;
}

/** The answer of a write without rows: `{id, affected}`, the id only when it is known. */
export function written(
  { affected = 0, id, key: given }: CallResult,
  ownId: unknown,
  exact: boolean,
): Record<string, unknown> {
  const count = exact ? BigInt(affected) : affected;
  const key = given ?? ownId ?? id;
  return key === undefined || key === null ? { affected: count } : { id: key, affected: count };
}

/** The result of a step or an enrichment; undefined when nothing was found, but for a list. */
export function resultOf(result: CallResult, exact: boolean): unknown {
  if (result.isList === true) return result.rows;
  if (result.rows !== undefined && (result.rows.length > 0 || result.affected === undefined)) {
    return flattened(result.rows);
  }
  if (result.value !== undefined) return result.value;
  return result.affected === undefined ? undefined : written(result, undefined, exact);
}
