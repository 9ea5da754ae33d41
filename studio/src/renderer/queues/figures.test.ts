import { expect, test } from 'vitest';
import { figuresAfter, lagsOf, shownRate, sumOf } from './figures.ts';

const place = (arrived: number, done: number, source = 'a') => ({ source, ready: 2, arrived, done });

test('two looks make rates, of all places together', () => {
  const first = figuresAfter(undefined, [place(10, 4), place(5, 5, 'b')], 1_000);
  expect([first.arriving, first.done]).toEqual([undefined, undefined]);
  const second = figuresAfter(first, [place(14, 4), place(5, 6, 'b')], 3_000);
  expect([second.arriving, second.done]).toEqual([2, 0.5]);
  expect(figuresAfter(second, [place(99, 99)], 3_100)).toBe(second);
  expect(figuresAfter(second, [place(1, 1)], 5_000)).toMatchObject({ arriving: undefined, done: undefined });
});

test('what a broker does not say is not known, not 0', () => {
  const places = [
    { source: 'a', ready: 3, consumers: 1 },
    { source: 'b', ready: 0 },
  ];
  expect([sumOf(places, 'ready'), sumOf(places, 'consumers'), sumOf(null, 'ready'), sumOf([], 'ready')]).toEqual([
    3,
    undefined,
    undefined,
    undefined,
  ]);
  expect(figuresAfter(figuresAfter(undefined, places, 0), places, 1_000)).toMatchObject({ arriving: undefined });
});

test('partitions are listed where there are several', () => {
  const partition = (number: number, lag: number) => ({ partition: number, end: 9, committed: 9 - lag, lag });
  expect(lagsOf([{ source: 'a', partitions: [partition(0, 1)] }])).toEqual([]);
  expect(lagsOf([{ source: 'a', partitions: [partition(0, 1), partition(1, 0)] }])).toEqual([
    { name: 'a/0', lag: 1 },
    { name: 'a/1', lag: 0 },
  ]);
});

test.each([
  [0, '0/s'],
  [0.05, '3.0/min'],
  [2.345, '2.3/s'],
  [1234.6, '1235/s'],
])('%d messages a second are shown as %s', (rate, shown) => expect(shownRate(rate)).toBe(shown));
