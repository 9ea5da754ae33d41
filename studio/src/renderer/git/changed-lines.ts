import { linesDiffComputers } from 'monaco-editor/editor/common/diff/linesDiffComputers.js';

/** Milliseconds that one comparison may take; after that, larger parts count as changed. */
const longest = 100;

/** Lines of one kind, from 1, both included. Removed ones were below the line. */
export interface ChangedLines {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly from: number;
  readonly to: number;
}

/** The lines of a text that differ from those of an earlier one. */
export function changedLines(before: string, now: string): readonly ChangedLines[] {
  const linesOf = (text: string) => text.split(/\r\n|\r|\n/);
  const options = { ignoreTrimWhitespace: false, maxComputationTimeMs: longest, computeMoves: false };
  return linesDiffComputers
    .getDefault()
    .computeDiff(linesOf(before), linesOf(now), options)
    .changes.map(({ original, modified }) => {
      const from = modified.startLineNumber;
      if (modified.isEmpty) return { kind: 'removed', from: Math.max(1, from - 1), to: Math.max(1, from - 1) };
      return { kind: original.isEmpty ? 'added' : 'changed', from, to: modified.endLineNumberExclusive - 1 };
    });
}
