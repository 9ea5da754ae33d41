import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unlisted } from '../../../intake/roster.ts';
import { Deadlines } from './deadlines.ts';

let late: string[];
let deadlines: Deadlines;
beforeEach(() => {
  vi.useFakeTimers();
  late = [];
  deadlines = new Deadlines(() => performance.now());
});
afterEach(() => {
  vi.useRealTimers();
});

const deadline = (name: string, after: number) => ({
  place: unlisted,
  at: performance.now() + after,
  late: () => void late.push(name),
});

test('each is called when its time is over, whatever was added before or after it', async () => {
  for (const [name, after] of Object.entries({ second: 500, first: 20, third: 900.5, last: 3_000 }))
    deadlines.add(deadline(name, after));
  await vi.advanceTimersByTimeAsync(19);
  expect(late).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(late).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(500);
  expect(late).toEqual(['first', 'second']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(late).toEqual(['first', 'second', 'third', 'last']);
});

test('one that is taken away is not called, and one timer serves any number', async () => {
  const all = Array.from({ length: 1_000 }, (_, at) => deadline(`n${at}`, 1_000));
  for (const each of all) deadlines.add(each);
  expect(vi.getTimerCount()).toBe(1);
  for (const each of all.slice(1)) deadlines.delete(each);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([late, vi.getTimerCount()]).toEqual([['n0'], 0]);
});

test('a deadline that is added while another one is over is kept', async () => {
  deadlines.add({ place: unlisted, at: performance.now() + 10, late: () => deadlines.add(deadline('next', 10)) });
  await vi.advanceTimersByTimeAsync(30);
  expect(late).toEqual(['next']);
});

test('a time beyond what a timer takes is waited for in parts', async () => {
  deadlines.add(deadline('far', 2 ** 32));
  await vi.advanceTimersByTimeAsync(2 ** 31);
  expect(late).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 ** 31);
  expect(late).toEqual(['far']);
});
