import { DistinctValues } from '../values/distinct.ts';
import { listOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** The public set extension: lists compared without regard to order and repetition. */
export const sets: readonly FunctionDefinition[] = [
  {
    name: 'sets.contains',
    group: 'sets',
    signatures: ['sets.contains(list: list(A), part: list(B)) -> bool'],
    doc: 'Whether every element of the second list is in the first.',
    example: 'sets.contains([1, 2, 3], [3, 1])',
    call: (list, part) => containsAll(listOf(list), listOf(part)),
  },
  {
    name: 'sets.equivalent',
    group: 'sets',
    signatures: ['sets.equivalent(left: list(A), right: list(B)) -> bool'],
    doc: 'Whether both lists hold the same elements.',
    example: 'sets.equivalent([1, 2, 2], [2, 1])',
    call: (left, right) => {
      const [one, two] = [listOf(left), listOf(right)];
      return containsAll(one, two) && containsAll(two, one);
    },
  },
  {
    name: 'sets.intersects',
    group: 'sets',
    signatures: ['sets.intersects(left: list(A), right: list(B)) -> bool'],
    doc: 'Whether an element is in both lists.',
    example: 'sets.intersects([1, 2], [2, 3])',
    call: (left, right) => {
      const known = setOf(listOf(left));
      return listOf(right).some((value) => known.has(value));
    },
  },
];

function setOf(list: readonly unknown[]): DistinctValues {
  const values = new DistinctValues();
  for (const value of list) values.add(value);
  return values;
}

function containsAll(list: readonly unknown[], part: readonly unknown[]): boolean {
  const known = setOf(list);
  return part.every((value) => known.has(value));
}
