import type { TreeRow } from '../outline/tree-keys.ts';
import type { WrittenTest } from './catalog.ts';
import { type TestState, untested, type Verdict, verdictOf } from './results.ts';

/** A file of tests, or one test, in the tree. */
export interface TestRow extends TreeRow {
  readonly title: string;
  readonly verdict: Verdict;
  /** Undefined for a file. */
  readonly test: WrittenTest | undefined;
  readonly tests: readonly WrittenTest[];
  readonly state: TestState;
}

/** The rows that are seen: files with their tests, of which only those that failed where that is asked for. */
export function testRows(
  tests: readonly WrittenTest[],
  states: ReadonlyMap<string, TestState>,
  closed: ReadonlySet<string>,
  onlyFailed: boolean,
): readonly TestRow[] {
  const stateOf = ({ id }: WrittenTest) => states.get(id) ?? untested;
  const shown = onlyFailed ? tests.filter((each) => stateOf(each).outcome?.passed === false) : tests;
  return [...Map.groupBy(shown, ({ file }) => file)].flatMap(([file, own]) => {
    const isOpen = !closed.has(file);
    const verdict = together(own.map((each) => verdictOf(stateOf(each))));
    const title = file.replace(/^tests\//, '');
    const head: TestRow = { id: file, level: 1, isOpen, title, verdict, test: undefined, tests: own, state: untested };
    if (!isOpen) return [head];
    const below = own.map(
      (test): TestRow => ({
        ...{ id: test.id, level: 2, isOpen: undefined, title: test.name },
        ...{ test, tests: [test], state: stateOf(test), verdict: verdictOf(stateOf(test)) },
      }),
    );
    return [head, ...below];
  });
}

function together(all: readonly Verdict[]): Verdict {
  if (all.includes('running')) return 'running';
  if (all.includes('failed')) return 'failed';
  return all.every((each) => each === 'passed') ? 'passed' : 'none';
}
