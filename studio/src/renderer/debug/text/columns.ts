/** Characters that a fixed-width font draws twice as wide (Unicode Standard Annex 11, wide and fullwidth). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** Columns that so many units of a line take; a tab reaches to the next even one (`tabSize` of the editor). */
export function columnsOf(line: string, units: number): number {
  let column = 0;
  for (const unit of line.slice(0, units))
    column += unit === '\t' ? 2 - (column % 2) : unit.length > 1 || wide.test(unit) ? 2 : 1;
  return column;
}
