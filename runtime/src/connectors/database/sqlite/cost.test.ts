import { afterEach, describe, expect, test, vi } from 'vitest';
import { Cost } from './cost.ts';

afterEach(() => void vi.useRealTimers());

/** Whether a statement is long after executions of so many milliseconds. */
function longAfter(...times: readonly number[]): boolean {
  const cost = new Cost(false);
  for (const time of times) cost.measure(time);
  return cost.isLong;
}

const quick = (count: number) => Array<number>(count).fill(0.1);

describe('a statement is long', () => {
  test.each([
    ['when it was very slow once', [101], true],
    ['when it was slow twice within a hundred executions', [11, ...quick(99), 11], true],
    ['not when that happens seldom', [...quick(5), 11, ...quick(100), 11, ...quick(100), 11], false],
    ['not when it was slow once', [100], false],
    ['not while it is quick', quick(1000), false],
  ])('%s', (_, times, expected) => {
    expect(longAfter(...times)).toBe(expected);
  });

  test('for ten minutes when it was slow, for good when it was very slow or its plan says so', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const [slow, verySlow, planned] = [new Cost(false), new Cost(false), new Cost(true)];
    for (const cost of [slow, slow, verySlow]) cost.measure(cost === slow ? 50 : 500);
    const found = () => [slow, verySlow, planned].map(({ isLong }) => isLong);
    vi.advanceTimersByTime(10 * 60_000 - 1);
    expect(found()).toEqual([true, true, true]);
    vi.advanceTimersByTime(1);
    expect(found()).toEqual([false, true, true]);
  });
});
