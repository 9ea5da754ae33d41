import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a deadline fires once, after the time in which it was not held', () => {
  let fired = 0;
  const deadline = new Deadline(100, () => fired++);
  vi.advanceTimersByTime(60);
  const [one, other] = [deadline.hold(), deadline.hold()];
  vi.advanceTimersByTime(10_000);
  one();
  one();
  vi.advanceTimersByTime(10_000);
  expect(fired).toBe(0);
  other();
  vi.advanceTimersByTime(39);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(10_000);
  expect(fired).toBe(1);
});

test('a deadline that has ended does not fire, also when it is held then', () => {
  let fired = 0;
  const deadline = new Deadline(100, () => fired++);
  const held = deadline.hold();
  deadline.end();
  held();
  deadline.hold()();
  vi.advanceTimersByTime(10_000);
  expect(fired).toBe(0);
});
