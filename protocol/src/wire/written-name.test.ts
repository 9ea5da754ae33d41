import { expect, test } from 'vitest';
import { writtenName } from './written-name.ts';

test('chunks of a batch are written once', () => {
  const names = [
    ['transform', 'chunk 12'],
    ['transform', ''],
    ['step', 'chunk 1'],
    ['transform', 'chunk x'],
  ] as const;
  expect(names.map(([stage, name]) => writtenName(stage, name))).toEqual(['chunk', '', 'chunk 1', 'chunk x']);
});
