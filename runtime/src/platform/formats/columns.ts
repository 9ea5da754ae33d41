import { Failure } from '../../foundation/errors/failure.ts';

/**
 * The names of columns by the cells of a header: an empty one is named by its number, `column_3`, and one that was there before
 * has a number behind it, `name_2`, so that no column takes the place of another.
 */
export function columnNames(cells: readonly string[]): readonly string[] {
  // Names that are written are not taken by those that are made.
  const taken = new Set(cells);
  const seen = new Map<string, number>();
  return cells.map((cell, at) => {
    const base = cell === '' ? `column_${at + 1}` : cell;
    let count = seen.get(base) ?? 0;
    let name = base;
    if (count > 0 || (cell === '' && taken.has(name)))
      do name = `${base}_${(count = Math.max(count, 1) + 1)}`;
      while (taken.has(name));
    seen.set(base, Math.max(count, 1));
    taken.add(name);
    return name;
  });
}

/** Names of columns without a header. */
export function numberedColumns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `column_${at + 1}`);
}

/** Cells that may be added to short rows, and how many to each that was written. */
const most = { cells: 1_000_000, each: 32 } as const;

/** Counts the cells that rows are filled up with, so that a small table cannot become a large one. */
export class Filling {
  #written = 0;
  #filled = 0;

  /** Throws `body_undecodable` when the rows are out of proportion to the header. */
  add(written: number, filled: number): void {
    this.#written += written;
    this.#filled += filled;
    if (this.#filled > most.cells && this.#filled > most.each * this.#written)
      throw new Failure('body_undecodable', 'the rows of the table are far shorter than its header');
  }
}
