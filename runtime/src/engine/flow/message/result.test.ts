import { expect, test } from 'vitest';
import { resultOf } from './result.ts';

test('rows of a step are one value, and those of a search a list', () => {
  const [one, other] = [{ n: 1 }, { n: 2 }];
  const lists = [[], [one], [one, other]];
  expect(lists.map((rows) => resultOf({ rows }, false))).toEqual([undefined, one, [one, other]]);
  expect(lists.map((rows) => resultOf({ rows, isList: true }, false))).toEqual(lists);
});
