import type { Cursor } from './cursor.ts';
import { continuesInside, indentationAt } from './recovery.ts';

/** Line breaks mean nothing from here on. Gives what `leaveBrackets` must be given. */
export function enterBrackets(cursor: Cursor): boolean {
  const outer = cursor.lineBreaksEnd;
  cursor.lineBreaksEnd = false;
  cursor.open++;
  return outer;
}

/** Line breaks mean again what they meant outside. Gives the end of what was opened. */
export function leaveBrackets(cursor: Cursor, outer: boolean): number {
  cursor.lineBreaksEnd = outer;
  if (!cursor.lost) cursor.open--;
  return cursor.lost ? cursor.lastEnd : cursor.at;
}

/** The bracket at `start` has no partner. */
export function failUnclosed(cursor: Cursor, start: number, closing: string): void {
  const range = { start, end: start + 1 };
  const opening = cursor.text.charAt(start);
  cursor.fail('syntax-unclosed-bracket', range, `This "${opening}" is never closed`, `Write ${closing} where it ends.`);
}

/** After a bad element: goes to the end of its line when the lines below still belong to what opened at `start`. */
export function resumeInside(cursor: Cursor, start: number): boolean {
  if (cursor.givenUp) return false;
  const end = continuesInside(cursor.text, start, cursor.lastEnd);
  if (end === undefined) return false;
  cursor.at = end;
  cursor.lost = false;
  return true;
}

/** While reading by indentation: whether the line that starts here is left of what opened at `start`. */
export function isOutdented(cursor: Cursor, start: number, closing: boolean): boolean {
  if (!cursor.byIndentation) return false;
  const line = indentationAt(cursor.text, cursor.at);
  if (line.first !== cursor.at || line.start <= start) return false;
  const opening = indentationAt(cursor.text, start).width;
  return closing ? line.width < opening : line.width <= opening;
}
