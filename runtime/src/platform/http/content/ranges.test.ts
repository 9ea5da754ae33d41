import { expect, test } from 'vitest';
import { slicesOf } from './ranges.ts';

const size = 100;

test.each([
  ['bytes=0-9', [[0, 10]]],
  ['bytes=90-', [[90, 100]]],
  ['bytes=-10', [[90, 100]]],
  ['bytes=-1000', [[0, 100]]],
  ['bytes=0-1000', [[0, 100]]],
  ['BYTES=5-5', [[5, 6]]],
  [
    'bytes= 0-0 , ,99- ',
    [
      [0, 1],
      [99, 100],
    ],
  ],
  [
    'bytes=50-59,0-9',
    [
      [50, 60],
      [0, 10],
    ],
  ],
  ['bytes=0-0,200-300', [[0, 1]]],
  ['bytes=100-', []],
  ['bytes=-0', []],
  [`bytes=${'9'.repeat(400)}-`, []],
  [`bytes=0-${'9'.repeat(400)}`, [[0, 100]]],
] as const)('%s is these slices', (header, slices) => {
  expect(slicesOf(header, size)).toEqual(slices.map(([start, end]) => ({ start, end })));
});

test.each([
  'items=0-1',
  'bytes=',
  'bytes',
  'bytes=-',
  'bytes=a-b',
  'bytes=1',
  'bytes=9-0',
  'bytes=0x1-2',
  'bytes=1-2-3',
  'bytes=0-9;10-19',
  'bytes=+1-2',
])('%s is as if it were absent', (header) => {
  expect(slicesOf(header, size)).toBeUndefined();
});

test('A-06: ranges that overlap, and very many of them, are answered with everything', () => {
  expect(slicesOf('bytes=0-,0-', size)).toBeUndefined();
  expect(slicesOf('bytes=0-50,40-60', size)).toBeUndefined();
  const list = (count: number) => `bytes=${Array.from({ length: count }, (_, at) => `${at * 2}-${at * 2}`).join()}`;
  expect(slicesOf(list(32), size)).toHaveLength(32);
  expect(slicesOf(list(33), size)).toBeUndefined();
});

test('nothing of an empty content is there', () => {
  expect(slicesOf('bytes=0-', 0)).toEqual([]);
  expect(slicesOf('bytes=-5', 0)).toEqual([]);
});
