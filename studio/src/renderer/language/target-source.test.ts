import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TargetSource } from './target-source.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('is asked again when its names are older than five seconds, once for all who wait; without one nothing is asked', async () => {
  const source = new TargetSource();
  await source.recent();
  let said = 0;
  source.use(async () => said++);
  await source.recent();
  expect(said).toBe(0);
  vi.advanceTimersByTime(5_000);
  await Promise.all([source.recent(), source.recent()]);
  expect(said).toBe(1);
  await source.recent();
  expect(said).toBe(1);
  vi.advanceTimersByTime(5_000);
  await source.recent();
  expect(said).toBe(2);
  source.use(undefined);
  vi.advanceTimersByTime(5_000);
  await source.recent();
  expect(said).toBe(2);
});

test('A-04: one that is silent, or refuses, holds up nothing, and is not asked twice meanwhile', async () => {
  const source = new TargetSource();
  let asked = 0;
  source.use(() => {
    asked++;
    return new Promise(() => undefined);
  });
  vi.advanceTimersByTime(5_000);
  for (let times = 0; times < 2; times++) {
    const waits = source.recent();
    await vi.advanceTimersByTimeAsync(250);
    await waits;
  }
  expect(asked).toBe(1);
  const refusing = new TargetSource();
  refusing.use(() => Promise.reject(new Error('no service is attached')));
  vi.advanceTimersByTime(5_000);
  await refusing.recent();
});
