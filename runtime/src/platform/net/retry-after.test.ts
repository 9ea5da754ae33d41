import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1);
const year = 366 * 86_400_000;

test.each([
  ['0', 0],
  [' 120 ', 120_000],
  ['1.5', 1_500],
  ['0.0001', 1],
  ['9'.repeat(400), year],
  ['1e9', undefined],
  ['-5', undefined],
  ['12,5', undefined],
  ['2026-01-02', undefined],
  ['Infinity', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', year],
])('Retry-After: %s asks for %s ms', (value, milliseconds) => {
  expect(parseRetryAfter(value, now)).toBe(milliseconds);
});
