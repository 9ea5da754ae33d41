import { expect, test } from 'vitest';
import { Tries } from './tries.ts';

test('tries are counted by message, forgotten on request and after ten minutes without one', () => {
  let now = 0;
  const tries = new Tries(() => now);
  const long = 'x'.repeat(1000);
  expect([tries.next('a'), tries.next('a'), tries.next(long), tries.next(long)]).toEqual([1, 2, 1, 2]);
  now = 600_000;
  expect(tries.next('a')).toBe(3);
  now = 1_200_001;
  expect(tries.next('a')).toBe(1);
  tries.forget(() => 'a');
  expect(tries.next('a')).toBe(1);
});

test('only so many messages are remembered; those that were tried last stay', () => {
  const tries = new Tries(() => 0);
  tries.next('first');
  tries.next('kept');
  for (let at = 0; at < 9_998; at++) tries.next(String(at));
  tries.next('kept');
  tries.next('one more');
  expect([tries.next('kept'), tries.next('first')]).toEqual([3, 1]);
});
