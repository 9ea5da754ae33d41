import type { LineIndex, TextEdit } from '../text/index.ts';
import { fromRange, type LspRange } from './convert.ts';

/** One change of a document as the editor tells it: the whole new text, or a range of the text before it. */
export interface ContentChange {
  readonly range?: LspRange;
  readonly text: string;
}

/** The changes in order; each is of the text that the one before it left, whose lines it is given. */
export function changesOf(
  changes: readonly ContentChange[],
): readonly ((lines: LineIndex) => string | readonly TextEdit[])[] {
  return changes.map(
    ({ range, text }) =>
      (lines) =>
        range === undefined ? text : [{ range: fromRange(lines, range), text }],
  );
}
