import { expect, test } from 'vitest';
import { TestClock } from './clock.ts';

test('time does not advance until everything waits, then jumps to the first wake-up', async () => {
  const clock = new TestClock(1_000);
  const woken: [string, number][] = [];
  const sleep = async (name: string, milliseconds: number) => {
    await clock.sleep(milliseconds);
    woken.push([name, clock.now()]);
  };
  await Promise.resolve();
  expect([clock.now(), clock.elapsed()]).toEqual([1_000, 0]);
  const late = sleep('late', 5_000).then(() => sleep('later', 1));
  await Promise.all([late, sleep('soon', 10), sleep('now', 0)]);
  expect(woken).toEqual([
    ['now', 1_000],
    ['soon', 1_010],
    ['late', 6_000],
    ['later', 6_001],
  ]);
});

test('a sleep can be cancelled, and none ends after the end', async () => {
  const clock = new TestClock(0);
  const stop = new AbortController();
  const sleeping = clock.sleep(1_000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
  let woke = false;
  void clock.sleep(1).then(() => {
    woke = true;
  });
  clock.end();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([woke, clock.elapsed()]).toEqual([false, 0]);
});

test('the time does not advance while it is held, by however many', async () => {
  const clock = new TestClock(0);
  const [one, other] = [clock.hold(), clock.hold()];
  let woke = false;
  const sleeping = clock.sleep(10).then(() => {
    woke = true;
  });
  const turns = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  one();
  one();
  await turns();
  expect([woke, clock.elapsed()]).toEqual([false, 0]);
  other();
  await sleeping;
  expect([woke, clock.elapsed()]).toEqual([true, 10]);
});
