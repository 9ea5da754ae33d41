import { expect, test } from 'vitest';
import { changedLines } from './changed-lines.ts';

test('lines that came, changed and went, whatever the line ends are', () => {
  const before = 'a\nb\nc\nd\ne\n';
  expect(changedLines(before, before.replaceAll('\n', '\r\n'))).toEqual([]);
  expect(changedLines(before, 'a\nx\ny\nb\nc\nd\ne\n')).toEqual([{ kind: 'added', from: 2, to: 3 }]);
  expect(changedLines(before, 'a\nB\nc\nd\ne\n')).toEqual([{ kind: 'changed', from: 2, to: 2 }]);
  expect(changedLines(before, 'a\nd\ne\n')).toEqual([{ kind: 'removed', from: 1, to: 1 }]);
  expect(changedLines(before, 'b\nc\nd\ne\n')).toEqual([{ kind: 'removed', from: 1, to: 1 }]);
});
