import type { TestOutcome } from '../../shared/tests.ts';
import type { WrittenTest } from './catalog.ts';

/** What is known of a test. */
export interface TestState {
  readonly isRunning: boolean;
  /** How it ended last; undefined: it did not run. */
  readonly outcome: TestOutcome | undefined;
  /** The text of its file that was tested; undefined where that is not known. */
  readonly tested: string | undefined;
}

export type Verdict = 'none' | 'running' | 'passed' | 'failed';

export const untested: TestState = { isRunning: false, outcome: undefined, tested: undefined };

export function verdictOf({ isRunning, outcome }: TestState): Verdict {
  if (isRunning) return 'running';
  if (outcome === undefined) return 'none';
  return outcome.passed ? 'passed' : 'failed';
}

/** Which of these tests an outcome is of: the one of its name whose line is next to what is said. */
export function testOf(
  { name, at }: Pick<TestOutcome, 'name' | 'at'>,
  tests: readonly WrittenTest[],
  lineOf: (test: WrittenTest) => number,
): WrittenTest | undefined {
  const own = tests.filter((each) => each.file === at.file && each.name === name);
  const far = (test: WrittenTest) => Math.abs(lineOf(test) - (at.line ?? 1));
  return own.toSorted((a, b) => far(a) - far(b))[0];
}

export interface Totals {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly milliseconds: number;
}

export function totalsOf(tests: readonly WrittenTest[], states: ReadonlyMap<string, TestState>): Totals {
  const outcomes = tests.flatMap(({ id }) => states.get(id)?.outcome ?? []);
  const passed = outcomes.filter((each) => each.passed).length;
  const milliseconds = outcomes.reduce((sum, each) => sum + each.milliseconds, 0);
  return { total: tests.length, passed, failed: outcomes.length - passed, milliseconds };
}

/** `0.4 ms`, `12 ms`, `1.2 s`. */
export function tookText(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return milliseconds >= 10 ? `${Math.round(milliseconds)} ms` : `${milliseconds.toFixed(1)} ms`;
}
