import { beyondBudget, type DecodingBudget } from './budget.ts';
import type { Row } from './files/file-format.ts';

/** A value of a list as a row: what is not a map is the column `value`. */
export function rowOf(value: unknown): Row {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  return isMap ? (value as Row) : { value };
}

/** The items of a value that is written as rows: those of a list, those in `rows`, else the value alone. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const rows = typeof value === 'object' && value !== null ? (value as Row)['rows'] : undefined;
  return Array.isArray(rows) && Object.keys(value as Row).length === 1 ? rows : [value];
}

/** Counts what all rows of a file come to. Absent budget: they pass one after another, and are not counted. */
export class Spending {
  readonly #budget: DecodingBudget | undefined;
  #values = 0;

  constructor(budget: DecodingBudget | undefined) {
    this.#budget = budget;
  }

  /** Throws `body_too_large` beyond the budget. */
  add(row: unknown): void {
    if (this.#budget === undefined) return;
    this.#values += sizeOf(row);
    if (this.#values > this.#budget.values) throw beyondBudget(this.#budget, 'values');
  }
}

/** Values in a decoded value, which is not nested deeper than its own budget allowed. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 1;
  let size = 1;
  for (const item of Array.isArray(value) ? value : Object.values(value)) size += sizeOf(item);
  return size;
}
