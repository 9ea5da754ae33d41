import { CelError } from '../engine.ts';
import { DistinctValues } from '../values/distinct.ts';
import { isMap, kindOf, numeric, withArticle } from '../values/kind.ts';
import { lookup } from '../values/map.ts';
import { spend } from '../values/meter.ts';
import { CelOptional } from '../values/optional.ts';
import { mustOrder, order } from '../values/ordering.ts';
import { listOf, outOfRange, someList, textOf, wholeNumberOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** The public list extension and the product's functions over lists. */
export const lists: readonly FunctionDefinition[] = [
  {
    name: 'first',
    group: 'lists',
    signatures: ['list(A).first() -> optional(A)', 'first(list: list(A)) -> dyn'],
    doc: 'The first element. The function gives null for an empty list, the method an optional.',
    example: 'first([1, 2]) == 1 && first([]) == null',
    call: (list) => someList(list)[0] ?? null,
    method: (list) => (someList(list).length > 0 ? CelOptional.of(someList(list)[0]) : CelOptional.none),
  },
  {
    name: 'last',
    group: 'lists',
    signatures: ['list(A).last() -> optional(A)', 'last(list: list(A)) -> dyn'],
    doc: 'The last element. The function gives null for an empty list, the method an optional.',
    example: 'last([1, 2]) == 2 && last([]) == null',
    call: (list) => someList(list).at(-1) ?? null,
    method: (list) => (someList(list).length > 0 ? CelOptional.of(someList(list).at(-1)) : CelOptional.none),
  },
  {
    name: 'slice',
    group: 'lists',
    signatures: ['list(A).slice(start: int, end: int) -> list(A)'],
    doc: 'The elements from `start` up to, not including, `end`.',
    example: '[1, 2, 3].slice(1, 3) == [2, 3]',
    method: (value, start, end) => {
      const list = someList(value);
      const [from, to] = [wholeNumberOf(start), wholeNumberOf(end)];
      if (from < 0 || to > list.length || from > to) outOfRange(`${from} to ${to} is outside a list of ${list.length}`);
      spend(to - from);
      return list.slice(from, to);
    },
  },
  {
    name: 'flatten',
    group: 'lists',
    signatures: ['list(A).flatten(depth?: int) -> list(dyn)', 'flatten(list: list(A)) -> list(dyn)'],
    doc: 'The elements of the lists inside a list, one level deep or `depth` levels. What is not a list stays.',
    example: 'flatten([[1], [2, 3], 4]) == [1, 2, 3, 4]',
    call: (list) => flatten(listOf(list), 1, []),
    method: (list, depth) => {
      const levels = depth === undefined ? 1 : wholeNumberOf(depth);
      if (levels < 0) throw new CelError('invalid-argument', 'flatten() needs a depth that is not negative');
      return flatten(listOf(list), levels, []);
    },
  },
  {
    name: 'lists.range',
    group: 'lists',
    signatures: ['lists.range(count: int) -> list(int)'],
    doc: 'The ints from 0 up to, not including, `count`.',
    example: 'lists.range(3) == [0, 1, 2]',
    bind:
      ({ costLimit }) =>
      (count) => {
        const length = Math.max(wholeNumberOf(count), 0);
        if (length > costLimit)
          throw new CelError('cost-limit', `lists.range(${length}) is longer than the limit of ${costLimit}`);
        spend(length);
        return Array.from({ length }, (_, at) => BigInt(at));
      },
  },
  {
    name: 'distinct',
    group: 'lists',
    signatures: ['list(A).distinct() -> list(A)'],
    doc: 'The elements without repetitions, the first of equal ones kept.',
    example: '[1, 2, 1].distinct() == [1, 2]',
    method: distinct,
  },
  {
    name: 'unique',
    group: 'lists',
    dialect: 'product',
    signatures: ['unique(list: list(A)) -> list(A)'],
    doc: 'The elements without repetitions, the first of equal ones kept.',
    example: "unique(['a', 'b', 'a']) == ['a', 'b']",
    call: distinct,
  },
  {
    name: 'sort',
    group: 'lists',
    signatures: ['list(A).sort() -> list(A)'],
    doc: 'The elements in ascending order. They must be comparable with each other.',
    example: '[3, 1, 2].sort() == [1, 2, 3]',
    method: (value) => {
      const list = listOf(value);
      return sortByKeys(list, list);
    },
  },
  {
    name: 'as_list',
    group: 'lists',
    dialect: 'product',
    signatures: ['as_list(value: dyn) -> list(dyn)'],
    doc: 'A list stays, null becomes an empty list, anything else a list of one.',
    example: "as_list('a') == ['a'] && as_list(null) == []",
    call: (value) => (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]),
  },
  {
    name: 'pluck',
    group: 'lists',
    dialect: 'product',
    signatures: ['pluck(list: list(dyn), key: string) -> list(dyn)'],
    doc: 'The value of a key of each map of the list, null where it is missing. What is not a map is left out.',
    example: "pluck([{'id': 1}, {'id': 2}], 'id') == [1, 2]",
    call: (list, key) => {
      const name = textOf(key);
      return listOf(list)
        .filter(isMap)
        .map((map) => lookup(map, name) ?? null);
    },
  },
  {
    name: 'sum',
    group: 'lists',
    dialect: 'product',
    signatures: ['sum(list: list(dyn)) -> dyn'],
    doc: 'The sum of the numbers: an int when all are ints, else a double. 0 for an empty list.',
    example: 'sum([1, 2, 3]) == 6',
    call: (list) => sum(listOf(list)),
  },
  {
    name: 'avg',
    group: 'lists',
    dialect: 'product',
    signatures: ['avg(list: list(dyn)) -> double'],
    doc: 'The sum of the numbers divided by the length of the list; 0.0 for an empty list.',
    example: 'avg([1, 2]) == 1.5',
    call: (value) => {
      const list = listOf(value);
      const numbers = list.map((element) => Number(numeric(element) ?? 0));
      return list.length === 0 ? 0 : numbers.reduce((total, number) => total + number, 0) / list.length;
    },
  },
  {
    name: 'min_val',
    group: 'lists',
    dialect: 'product',
    signatures: ['min_val(list: list(A)) -> dyn'],
    doc: 'The smallest element; null for an empty list. What cannot be compared is passed over.',
    example: 'min_val([3, 1, 2]) == 1',
    call: (list) => extreme(listOf(list), -1),
  },
  {
    name: 'max_val',
    group: 'lists',
    dialect: 'product',
    signatures: ['max_val(list: list(A)) -> dyn'],
    doc: 'The largest element; null for an empty list. What cannot be compared is passed over.',
    example: "max_val(['a', 'c', 'b']) == 'c'",
    call: (list) => extreme(listOf(list), 1),
  },
  {
    name: 'sort_by',
    group: 'lists',
    dialect: 'product',
    signatures: ['sort_by(list: list(dyn), key: string) -> list(dyn)'],
    doc: 'The maps of the list in ascending order of a key. Equal ones, and those that cannot be compared, keep their order.',
    example: "sort_by([{'n': 2}, {'n': 1}], 'n') == [{'n': 1}, {'n': 2}]",
    call: (list, key) => {
      const name = textOf(key);
      const keyOf = (element: unknown): unknown => (isMap(element) ? lookup(element, name) : undefined);
      const keyed = listOf(list).map((element) => ({ element, key: keyOf(element) }));
      spend(comparisons(keyed.length));
      return keyed.sort((one, two) => order(one.key, two.key) || 0).map(({ element }) => element);
    },
  },
];

/**
 * `list` in the order of `keys`, which are at the same places. Throws CelError `no-such-overload` when keys do not
 * compare.
 */
export function sortByKeys(list: readonly unknown[], keys: readonly unknown[]): unknown[] {
  const [first] = keys;
  for (const key of keys) {
    mustOrder(first, key, '<');
    if (kindOf(key) !== kindOf(first))
      throw new CelError(
        'no-such-overload',
        `${withArticle(kindOf(first))} and ${withArticle(kindOf(key))} cannot be sorted together`,
      );
  }
  spend(comparisons(list.length));
  const places = list.map((_, at) => at).sort((one, two) => mustOrder(keys[one], keys[two], '<'));
  return places.map((at) => list[at]);
}

/** Appends the elements, those of lists inside down to `levels`, to `found`. */
function flatten(list: readonly unknown[], levels: number, found: unknown[]): unknown[] {
  for (const element of list) {
    if (levels > 0 && Array.isArray(element)) flatten(listOf(element), levels - 1, found);
    else found.push(element);
  }
  return found;
}

/** How many comparisons it takes to sort so many elements. */
function comparisons(length: number): number {
  return length < 2 ? 0 : Math.ceil(length * Math.log2(length));
}

function distinct(list: unknown): unknown[] {
  const seen = new DistinctValues();
  return listOf(list).filter((value) => seen.add(value));
}

function sum(list: readonly unknown[]): number | bigint {
  let ints = 0n;
  let doubles = 0;
  let onlyInts = true;
  for (const value of list) {
    const number = numeric(value);
    if (number === undefined)
      throw new CelError('no-such-overload', `sum() needs numbers, the list holds ${withArticle(kindOf(value))}`);
    if (typeof number === 'bigint') ints += number;
    else {
      doubles += number;
      onlyInts = false;
    }
  }
  if (!onlyInts) return doubles + Number(ints);
  if (ints !== BigInt.asIntN(64, ints)) throw new CelError('overflow', 'the sum does not fit into an int');
  return ints;
}

function extreme(list: readonly unknown[], sign: 1 | -1): unknown {
  let best: unknown = list[0] ?? null;
  for (const value of list) if ((order(value, best) ?? 0) * sign > 0) best = value;
  return best;
}
