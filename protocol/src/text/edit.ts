import type { Range } from './range.ts';

/** Replaces the text of `range` by `text`. Offsets are of the text before any edit of the same set. */
export interface TextEdit {
  readonly range: Range;
  readonly text: string;
}

/** Applies edits that do not overlap, in any order. Throws a RangeError when two of them overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of inOrder(edits)) {
    if (edit.range.start < at) throw new RangeError(`edits overlap at offset ${edit.range.start}`);
    result += text.slice(at, edit.range.start) + edit.text;
    at = edit.range.end;
  }
  return result + text.slice(at);
}

/**
 * Where an offset of the old text is after the edits; inside a replaced range it moves to the end of the replacement.
 */
export function mapOffset(offset: number, edits: readonly TextEdit[]): number {
  let shift = 0;
  for (const { range, text } of inOrder(edits)) {
    if (range.end <= offset) shift += text.length - (range.end - range.start);
    else if (range.start < offset) return range.start + shift + text.length;
    else break;
  }
  return offset + shift;
}

function inOrder(edits: readonly TextEdit[]): TextEdit[] {
  return [...edits].sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end);
}
