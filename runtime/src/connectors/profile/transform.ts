import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Verb } from '../../foundation/contracts/target.ts';

/** One field of a profile's `transform`, compiled. */
export interface RowField {
  readonly name: string;
  readonly evaluate: (activation: { readonly input: Readonly<Record<string, unknown>> }) => unknown;
}

type Row = Readonly<Record<string, unknown>>;

/** Maps the rows of a read and the object of a call; the result has the mapped fields only. Writes stay as they are. */
export function mapResult(verb: Verb, fields: readonly RowField[] | undefined, result: CallResult): CallResult {
  if (fields === undefined) return result;
  if (verb === 'read' && result.rows !== undefined)
    return { ...result, rows: result.rows.map((row) => mapRow(fields, row)) };
  if (verb === 'call' && isRow(result.value)) return { ...result, value: mapRow(fields, result.value) };
  return result;
}

function mapRow(fields: readonly RowField[], row: Row): Row {
  const mapped: Record<string, unknown> = Object.create(null);
  for (const { name, evaluate } of fields) mapped[name] = evaluate({ input: row });
  return mapped;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
