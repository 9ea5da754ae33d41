import type { Position } from './position.ts';

/** Turns offsets of one text into positions and back. Lines end at `\n`; a `\r` before it belongs to the line. */
export class LineIndex {
  readonly text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  /** Offsets outside the text are clamped into it. */
  position(offset: number): Position {
    const at = Math.min(Math.max(offset, 0), this.text.length);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#starts[low] as number) + 1, offset: at };
  }

  /** Lines and columns count from 1; a column beyond its line gives the end of the line. */
  offset(line: number, column: number): number {
    const row = Math.min(Math.max(line, 1), this.lineCount) - 1;
    const start = this.#starts[row] as number;
    return Math.min(start + Math.max(column, 1) - 1, this.#endOf(row));
  }

  /** The text of a line (from 1), without its line break. */
  line(line: number): string {
    return this.text.slice(this.#starts[line - 1] ?? this.text.length, this.#endOf(line - 1)).replace(/\r$/, '');
  }

  #endOf(row: number): number {
    const next = this.#starts[row + 1];
    return next === undefined ? this.text.length : next - 1;
  }
}
