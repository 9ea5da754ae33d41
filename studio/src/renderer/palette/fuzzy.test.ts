import { describe, expect, test } from 'vitest';
import { fuzzyMatch, fuzzyRank } from './fuzzy.ts';

const order = (query: string, ...texts: readonly string[]) =>
  fuzzyRank(query, texts, (text) => text).map(({ item }) => item);

describe('fuzzy match', () => {
  test('letters must be there in order', () => {
    expect(fuzzyMatch('abc', 'acb')).toBeUndefined();
    expect(fuzzyMatch('abcd', 'abc')).toBeUndefined();
    expect(fuzzyMatch('ac', 'abc')?.places).toEqual([0, 2]);
  });

  test('an empty query matches everything and marks nothing', () => {
    expect(fuzzyMatch(' ', 'abc')).toEqual({ score: 0, places: [] });
    expect(order('', 'bbb', 'a')).toEqual(['bbb', 'a']);
  });

  test('starts of words and runs are preferred to the first letters that fit', () => {
    expect(fuzzyMatch('co', 'flows/cancel-create_order.hcl')?.places).toEqual([6, 20]);
    expect(fuzzyMatch('order', 'flows/or-create-order.hcl')?.places).toEqual([16, 17, 18, 19, 20]);
  });

  test('case and blanks do not matter, but the same case wins', () => {
    expect(fuzzyMatch('go file', 'Go to File')?.places).toEqual([0, 1, 6, 7, 8, 9]);
    expect(order('A', 'a', 'A')).toEqual(['A', 'a']);
  });

  test('the name counts more than the folders, then the shorter text', () => {
    expect(order('flow', 'flows/other.hcl', 'lib/flow.hcl')).toEqual(['lib/flow.hcl', 'flows/other.hcl']);
    expect(order('type', 'types-of-all.hcl', 'types.hcl')).toEqual(['types.hcl', 'types-of-all.hcl']);
  });

  test('a long text costs a bounded table', () => {
    expect(fuzzyMatch('z', `${'a'.repeat(300)}z`)).toBeUndefined();
    expect(fuzzyMatch('a'.repeat(1_000), 'a'.repeat(1_000))?.places.length).toBe(256);
  });
});
