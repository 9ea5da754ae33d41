import { expect, test } from 'vitest';
import { fromNow, localTime, span } from './moments.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

test('a moment is said from now on, and a time by how long it takes', () => {
  const from = (by: number) => fromNow(10 * day + by, 10 * day);
  expect([0, -999, -3 * second, -5 * minute, -30 * hour, -5 * day].map(from)).toEqual([
    ...['now', 'now', '3 s ago', '5 min ago', '30 h ago', '5 days ago'],
  ]);
  expect([3 * second, 36 * hour, 14 * day].map(from)).toEqual(['in 3 s', 'in 36 h', 'in 14 days']);
  expect([second, 90 * minute, 7 * day].map(span)).toEqual(['1 s', '1 h', '7 days']);
});

test('the clock of a moment has its date when that is not today', () => {
  const now = new Date(2026, 4, 6, 12).getTime();
  expect([
    localTime(new Date(2026, 4, 6, 23, 59, 1).getTime(), now),
    localTime(new Date(2026, 4, 7, 2, 30).getTime(), now),
    localTime(new Date(2027, 0, 1).getTime(), now),
  ]).toEqual(['23:59:01', '7 May, 02:30:00', '1 Jan 2027, 00:00:00']);
});
