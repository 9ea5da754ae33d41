import { expect, test } from 'vitest';
import type { TestOutcome } from '../../shared/tests.ts';
import { NumberedNames, type WrittenTest } from './catalog.ts';
import { sharedEnds } from './comparison.tsx';
import { best, reachedOf } from './coverage.ts';
import { testOf, tookText, totalsOf, untested } from './results.ts';
import { testRows } from './rows.ts';
import { affectedFiles } from './watching.ts';

const written = (file: string, name: string, start = 0): WrittenTest => ({
  ...{ id: `${file}\n${name}\n1`, file, name, start, end: start + 1 },
});
const [a, b, c] = [written('tests/x.hcl', 'a'), written('tests/x.hcl', 'b', 50), written('tests/y.hcl', 'c')];
const ended = (passed: boolean) => ({ ...untested, outcome: { passed, milliseconds: 2 } as TestOutcome });
const states = new Map([
  [a.id, ended(true)],
  [b.id, ended(false)],
]);

test('a file is as its tests are: one that failed, one that runs, all that passed', () => {
  const verdicts = (rows: ReturnType<typeof testRows>) => rows.map(({ title, verdict }) => `${title} ${verdict}`);
  expect(verdicts(testRows([a, b, c], states, new Set(), false))).toEqual([
    'x.hcl failed',
    'a passed',
    'b failed',
    'y.hcl none',
    'c none',
  ]);
  expect(verdicts(testRows([a, b, c], states, new Set(['tests/x.hcl']), false))).toEqual([
    'x.hcl failed',
    'y.hcl none',
    'c none',
  ]);
  expect(verdicts(testRows([a, b, c], states, new Set(), true))).toEqual(['x.hcl failed', 'b failed']);
  expect(verdicts(testRows([a], states, new Set(), false))).toEqual(['x.hcl passed', 'a passed']);
  const running = new Map([...states, [a.id, { ...ended(true), isRunning: true }]]);
  expect(verdicts(testRows([a, b], running, new Set(), false))).toEqual(['x.hcl running', 'a running', 'b failed']);
});

test('totals count what ended', () => {
  expect(totalsOf([a, b, c], states)).toEqual({ total: 3, passed: 1, failed: 1, milliseconds: 4 });
  expect([0.44, 12.4, 1250].map(tookText)).toEqual(['0.4 ms', '12 ms', '1.3 s']);
});

test('tests of one name in one file differ by their number, and results by their line', () => {
  const names = new NumberedNames();
  const ids = [names.idOf('x', 'a'), names.idOf('x', 'a'), names.idOf('y', 'a')];
  expect(ids).toEqual(['x\na\n1', 'x\na\n2', 'y\na\n1']);
  const twins = [written('x', 'a', 1), { ...written('x', 'a', 9), id: 'x\na\n2' }];
  const lineOf = ({ start }: WrittenTest) => start;
  expect(testOf({ name: 'a', at: { file: 'x', line: 8 } }, twins, lineOf)?.id).toBe('x\na\n2');
  expect(testOf({ name: 'b', at: { file: 'x', line: 8 } }, twins, lineOf)).toBeUndefined();
});

test('a change of tests concerns its files, any other change all', () => {
  const files = new Set(['tests/a.hcl', 'tests/b.hcl']);
  expect(affectedFiles(['tests/a.hcl'], files)).toEqual(['tests/a.hcl']);
  expect(affectedFiles(['tests/gone.hcl'], files)).toEqual([]);
  expect(affectedFiles(['tests/a.hcl', 'flow.hcl'], files)).toBeUndefined();
  expect(affectedFiles(['tests/input.json'], files)).toBeUndefined();
});

test('what differs of two values is between what they share', () => {
  expect(sharedEnds('"abc"', '"axc"')).toEqual({ before: 2, after: 2 });
  expect(sharedEnds('aa', 'a')).toEqual({ before: 1, after: 0 });
  expect(sharedEnds('8', '7.5')).toEqual({ before: 0, after: 0 });
});

test('a rule is reached as far as any flow that shares its text reaches it', () => {
  const place = { flow: 'f', stage: 'accept', name: '' };
  const reached = reachedOf([
    { ...place, ran: true, missing: [] },
    { ...place, ruleIndex: 0, ran: true, missing: ['n > 1 was never false'] },
    { ...place, ruleIndex: 1, ran: false, missing: [] },
  ]);
  const [all, part, none] = [...reached.values()];
  expect([all?.reach, part, none?.reach]).toEqual([
    'covered',
    { reach: 'partly', detail: 'n > 1 was never false' },
    'uncovered',
  ]);
  if (!all || !part || !none) throw new Error('three places are known');
  expect([best(undefined, none), best(part, none), best(part, all)]).toEqual([none, part, all]);
});
