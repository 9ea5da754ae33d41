import { afterEach, expect, test, vi } from 'vitest';
import { longestTimer, systemClock } from './clock.ts';

afterEach(() => void vi.useRealTimers());

test('what is computed with is whole milliseconds, what is measured has fractions', () => {
  const began = systemClock.reading();
  const times = Array.from({ length: 1000 }, () => [systemClock.now(), systemClock.elapsed()]).flat();
  expect(times.filter((time) => !Number.isSafeInteger(time))).toEqual([]);
  expect(Number.isInteger(systemClock.since(began))).toBe(false);
});

test('a sleep may be longer than a timer can be, and ends with its signal', async () => {
  vi.useFakeTimers();
  let isOver = false;
  const long = systemClock.sleep(2 * longestTimer + 5).then(() => {
    isOver = true;
  });
  const stop = new AbortController();
  const endless = systemClock.sleep(Number.POSITIVE_INFINITY, stop.signal);
  await vi.advanceTimersByTimeAsync(2 * longestTimer + 4);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await long;
  stop.abort('enough');
  await expect(endless).rejects.toBe('enough');
  expect(vi.getTimerCount()).toBe(0);
});

test('a sleep of no number is refused, and one of less than nothing is over', async () => {
  await expect(systemClock.sleep(Number.NaN)).rejects.toThrow('a number of milliseconds');
  await systemClock.sleep(-5);
});
