/** Half-open span of one text, `[start, end)`, in UTF-16 code units counted from 0. Every syntax node is one. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The span from the start of `first` to the end of `last`. */
export function cover(first: Range, last: Range): Range {
  return { start: first.start, end: last.end };
}

/** Whether `offset` touches the range, its end included (where a cursor is after the last character). */
export function touches(range: Range, offset: number): boolean {
  return offset >= range.start && offset <= range.end;
}
