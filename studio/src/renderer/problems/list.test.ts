import { expect, test } from 'vitest';
import type { PlacedDiagnostic } from '../../worker/language-requests.ts';
import { ago, countsOf, groupsOf, inWords, neighbour, rowsOf } from './list.ts';

function problem(
  file: string,
  start: number,
  message: string,
  severity: PlacedDiagnostic['severity'] = 'error',
): PlacedDiagnostic {
  const range = { start, end: start + 1 };
  return { code: 'unknown-name', severity, family: 'config', message, file, range, line: 1, column: start + 1 };
}

const first = problem('a.hcl', 10, 'No connector named brokr');
const second = problem('a.hcl', 20, 'No field fre', 'warning');
const third = problem('b.hcl', 5, 'No type order', 'warning');
const all = [first, second, third];

test('problems are below their files', () => {
  expect(groupsOf(all, '')).toEqual([
    { file: 'a.hcl', problems: [first, second] },
    { file: 'b.hcl', problems: [third] },
  ]);
  expect(rowsOf(groupsOf(all, ''), new Set(['a.hcl'])).map(({ id, level, isOpen }) => [id, level, isOpen])).toEqual([
    ['a.hcl', 1, false],
    ['b.hcl', 1, true],
    ['b.hcl#0', 2, undefined],
  ]);
});

test('the filter looks at message, code, file and severity', () => {
  expect(groupsOf(all, ' BROKR')).toEqual([{ file: 'a.hcl', problems: [first] }]);
  expect(groupsOf(all, 'b.hcl')).toEqual([{ file: 'b.hcl', problems: [third] }]);
  expect(groupsOf(all, 'warning').map(({ problems }) => problems)).toEqual([[second], [third]]);
  expect(groupsOf(all, 'unknown-name')).toHaveLength(2);
  expect(groupsOf(all, 'nothing like it')).toEqual([]);
});

test('counts are said in words', () => {
  expect(inWords(countsOf(all))).toBe('1 error, 2 warnings');
  expect(inWords(countsOf([]))).toBe('no problems');
});

test('next and previous go round all files', () => {
  expect(neighbour(all, { path: 'a.hcl', offset: 10 }, 1)).toBe(second);
  expect(neighbour(all, { path: 'a.hcl', offset: 20 }, 1)).toBe(third);
  expect(neighbour(all, { path: 'c.hcl', offset: 0 }, 1)).toBe(first);
  expect(neighbour(all, { path: 'a.hcl', offset: 10 }, -1)).toBe(third);
  expect(neighbour(all, { path: 'aa.hcl', offset: 0 }, -1)).toBe(second);
  expect(neighbour(all, undefined, -1)).toBe(third);
  expect(neighbour([], undefined, 1)).toBe(undefined);
});

test('time is said in its own measure', () => {
  expect([0, 80, 3400, 300_000, 7_300_000].map(ago)).toEqual([
    '1 ms ago',
    '80 ms ago',
    '3 s ago',
    '5 min ago',
    '2 h ago',
  ]);
});
