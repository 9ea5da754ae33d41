import { expect, test } from 'vitest';
import { EventLoopLag } from './overload.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('P-18: more than 250 ms of lag is too long, until a measurement comes in time again', async () => {
  const clock = new ManualClock();
  const lag = new EventLoopLag(clock);
  lag.start();
  const after = async (milliseconds: number) => {
    await clock.pass(milliseconds);
    lag.sample();
    return [lag.milliseconds, lag.tooLong];
  };
  try {
    expect(await after(100)).toEqual([0, false]);
    expect(await after(350)).toEqual([250, false]);
    expect(await after(351)).toEqual([251, true]);
    expect(await after(100)).toEqual([0, false]);
  } finally {
    lag.stop();
  }
});
