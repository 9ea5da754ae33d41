import { expect, test } from 'vitest';
import type { TestOutcome, TestProblem } from '../../shared/tests.ts';
import { afterEdits, apartFrom, whyNotAccepted } from './acceptance.ts';

const problem = (start: number, end: number, text: string, was: string): TestProblem => ({
  ...{ subject: 'output', expected: was, actual: text, at: { file: 'tests/a.hcl' }, notes: [] },
  accept: { edits: [{ range: { start, end }, text }], was },
});
const outcome = (problems: readonly TestProblem[]): TestOutcome => ({
  ...{ name: 'a', flow: 'f', at: { file: 'tests/a.hcl' }, passed: false, milliseconds: 1, calls: [], log: [] },
  problems,
});

test('what came is accepted in the text that was tested alone', () => {
  const { accept } = problem(4, 5, '4', '5');
  const why = 'the text is not the one that was tested: save and run the test again';
  expect(whyNotAccepted(accept as NonNullable<typeof accept>, 'a = 5', 'a = 5')).toBeUndefined();
  expect(whyNotAccepted(accept as NonNullable<typeof accept>, 'a = 5', 'b\na = 5')).toBe(why);
  expect(whyNotAccepted(accept as NonNullable<typeof accept>, 'a = 6', 'a = 6')).toBe(why);
  expect(whyNotAccepted(accept as NonNullable<typeof accept>, undefined, 'a = 5')).toBe(why);
});

test('what is left to accept is where the text has it afterwards', () => {
  const [first, second] = [problem(4, 5, '100', '5'), problem(10, 11, '7', '6')];
  const after = afterEdits(outcome([first, second]), [first], first.accept?.edits ?? []);
  expect(after.problems.map(({ accept }) => accept?.edits)).toEqual([
    undefined,
    [{ range: { start: 12, end: 13 }, text: '7' }],
  ]);
});

test('of edits that touch one another the first is made', () => {
  const edit = (start: number, end: number, text: string) => ({ range: { start, end }, text });
  expect(apartFrom([edit(5, 9, 'b'), edit(1, 3, 'a'), edit(2, 4, 'c'), edit(9, 9, 'd')])).toEqual([
    edit(1, 3, 'a'),
    edit(5, 9, 'b'),
    edit(9, 9, 'd'),
  ]);
});
