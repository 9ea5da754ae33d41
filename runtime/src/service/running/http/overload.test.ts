import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { EventLoopLag } from './overload.ts';

/** The result of measurements at these intervals, in milliseconds. */
async function measured(waits: readonly number[]): Promise<readonly (readonly [lag: number, tooLong: boolean])[]> {
  const clock = new ManualClock();
  const lag = new EventLoopLag(clock);
  lag.start();
  try {
    const all: [number, boolean][] = [];
    for (const wait of waits) {
      await clock.pass(wait);
      lag.sample();
      all.push([lag.milliseconds, lag.tooLong]);
    }
    return all;
  } finally {
    lag.stop();
  }
}

test('P-18: lag of more than 250 ms is too long when three measurements in turn find it, until one is in time', async () => {
  expect(await measured([100, 351, 351, 351, 900, 350, 351])).toEqual([
    [0, false],
    [251, false],
    [251, false],
    [251, true],
    [800, true],
    [250, false],
    [251, false],
  ]);
});

test('P-18: a single pause, however long, and pauses with time between them refuse no request', async () => {
  expect((await measured([100, 10_000, 100, 100])).some(([, tooLong]) => tooLong)).toBe(false);
  expect((await measured([400, 400, 100, 400, 400, 100, 400])).some(([, tooLong]) => tooLong)).toBe(false);
});
