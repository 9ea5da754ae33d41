import { expect, test } from 'vitest';
import { clockBy, ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { Alarm } from './alarm.ts';

/** Sleeps until the time that is set, and records when that is over. */
function resting(alarm: Alarm): () => boolean {
  let over = false;
  void alarm.rest().then(() => {
    over = true;
  });
  return () => over;
}

test('an earlier time ends the sleep earlier', async () => {
  const clock = new ManualClock();
  const alarm = new Alarm(clock);
  alarm.set(clock.now() + 5000);
  const isOver = resting(alarm);
  alarm.set(clock.now() + 1000);
  await clock.pass(999);
  expect(isOver()).toBe(false);
  await clock.pass(1);
  expect(isOver()).toBe(true);
});

test('a clock that is set back does not make the sleep longer', async () => {
  const clock = new ManualClock();
  let setBack = 0;
  const now = () => clock.now() - setBack;
  const alarm = new Alarm(clockBy(() => clock.elapsed(), { now, sleep: (...given) => clock.sleep(...given) }));
  alarm.set(now() + 5000);
  const isOver = resting(alarm);
  setBack = 3_600_000;
  await clock.pass(5000);
  expect(isOver()).toBe(true);
});
