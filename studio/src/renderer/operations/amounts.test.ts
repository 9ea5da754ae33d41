import { expect, test } from 'vitest';
import { shownSize, shownTime } from './amounts.ts';

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [750, '750 ms'],
  [42_400, '42 s'],
  [80_000, '1 min 20 s'],
  [300_000, '5 min'],
  [2_999_000, '49 min'],
  [5_400_000, '1 h 30 min'],
  [86_400_000, '24 h'],
  [200_000_000, '2 days'],
])('%i milliseconds are %s', (time, text) => {
  expect(shownTime(time)).toBe(text);
});

test('sizes are short', () => {
  expect([812, 4_300, 20_480, 1_363_149].map(shownSize)).toEqual(['812 B', '4.2 KB', '20 KB', '1.3 MB']);
});
