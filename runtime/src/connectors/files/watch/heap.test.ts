import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

const drained = (heap: Heap<number>) => Array.from({ length: heap.size }, () => heap.pop());
const heapOf = (numbers: readonly number[]) => {
  const heap = new Heap<number>((a, b) => a < b);
  for (const number of numbers) heap.push(number);
  return heap;
};

test('gives the items in their order, whatever the order was in which they came', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = heapOf(numbers);
      expect(heap.first).toBe(numbers.length === 0 ? undefined : Math.min(...numbers));
      expect(drained(heap)).toEqual(numbers.toSorted((a, b) => a - b));
      expect([heap.size, heap.pop()]).toEqual([0, undefined]);
    }),
  );
});

test('forgets what is not kept', () => {
  const heap = heapOf([5, 2, 8, 1, 4]);
  heap.keep((number) => number % 2 === 0);
  expect(drained(heap)).toEqual([2, 4, 8]);
});
