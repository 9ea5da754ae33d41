import type { TextEdit } from '@svc/protocol/text';
import type { TestOutcome, TestProblem } from '../../shared/tests.ts';

type Accept = NonNullable<TestProblem['accept']>;

/** Why a problem cannot be accepted in a text; undefined when it can. */
export function whyNotAccepted({ edits, was }: Accept, tested: string | undefined, text: string): string | undefined {
  const first = edits[0]?.range.start ?? 0;
  const last = edits.at(-1)?.range.end ?? 0;
  if (tested === text && text.slice(first, last) === was) return undefined;
  return 'the text is not the one that was tested: save and run the test again';
}

/** An outcome whose offsets are those of the text after edits; what was accepted is not offered again. */
export function afterEdits(
  outcome: TestOutcome,
  accepted: readonly TestProblem[],
  edits: readonly TextEdit[],
): TestOutcome {
  return {
    ...outcome,
    problems: outcome.problems.map((problem) => {
      if (problem.accept === undefined) return problem;
      const { accept, ...rest } = problem;
      if (accepted.includes(problem)) return rest;
      const moved = accept.edits.map(({ range, text }) => ({
        text,
        range: { start: movedBy(edits, range.start), end: movedBy(edits, range.end) },
      }));
      return { ...rest, accept: { ...accept, edits: moved } };
    }),
  };
}

function movedBy(edits: readonly TextEdit[], offset: number): number {
  const before = edits.filter(({ range }) => range.end <= offset);
  return before.reduce((at, { range, text }) => at + text.length - (range.end - range.start), offset);
}

/** Edits that do not touch one another, in the order of the text: of two that do, the first counts. */
export function apartFrom(edits: readonly TextEdit[]): readonly TextEdit[] {
  const kept: TextEdit[] = [];
  for (const edit of edits.toSorted((a, b) => a.range.start - b.range.start || a.range.end - b.range.end)) {
    const last = kept.at(-1);
    if (last === undefined || edit.range.start >= last.range.end) kept.push(edit);
  }
  return kept;
}
