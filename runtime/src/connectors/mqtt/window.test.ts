import { expect, test } from 'vitest';
import { Window } from './window.ts';

test('at most as many messages are handed over as the window holds, the others in their order as those before them end', () => {
  const taken: number[] = [];
  const window = new Window<number>(2, (message) => void taken.push(message));
  for (const message of [1, 2, 3, 4]) window.add(message);
  expect([taken, window.waiting]).toEqual([[1, 2], 2]);
  window.ended();
  expect(taken).toEqual([1, 2, 3]);
  window.ended();
  window.ended();
  window.add(5);
  expect([taken, window.waiting]).toEqual([[1, 2, 3, 4, 5], 0]);
});

test('messages that end while they are handed over do not overtake, however many there are', () => {
  const taken: number[] = [];
  const window = new Window<number>(1, (message) => {
    taken.push(message);
    if (message === 0) for (let next = 1; next <= 10_000; next++) window.add(next);
    window.ended();
  });
  window.add(0);
  expect(taken).toEqual(Array.from({ length: 10_001 }, (_, at) => at));
});

test('what waits is forgotten with its connection', () => {
  const taken: string[] = [];
  const window = new Window<string>(1, (message) => void taken.push(message));
  for (const message of ['a', 'b']) window.add(message);
  window.clear();
  window.ended();
  expect([taken, window.waiting]).toEqual([['a'], 0]);
});
