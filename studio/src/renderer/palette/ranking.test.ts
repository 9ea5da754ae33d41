import { describe, expect, test } from 'vitest';
import { rankItems } from './ranking.ts';

const file = (detail: string | undefined, title: string) => ({ id: title, title, detail, run: () => undefined });
const create = file('flows', 'create.hcl');
const types = file(undefined, 'types.hcl');

const rank = (query: string, ...titles: readonly string[]) =>
  rankItems(
    query,
    titles.map((title) => file(undefined, title)),
  );
const order = (query: string, ...titles: readonly string[]) => rank(query, ...titles).map(({ item }) => item.title);
/** Where the letters of the query are in the one title; undefined when it does not match. */
const places = (query: string, title: string) => rank(query, title)[0]?.places;

test('a name is found with its folder behind it, and by its path', () => {
  expect(rankItems('create fl', [types, create])).toEqual([{ item: create, places: [0, 1, 2, 3, 4, 5, 11, 12] }]);
  expect(rankItems('fl/cr', [types, create])).toEqual([{ item: create, places: [11, 12, 16, 0, 1] }]);
  expect(rankItems('/', [types])).toEqual([]);
});

describe('letters', () => {
  test('must be there in order', () => {
    expect(places('abc', 'acb')).toBeUndefined();
    expect(places('abcd', 'abc')).toBeUndefined();
    expect(places('ac', 'abc')).toEqual([0, 2]);
  });

  test('are marked nowhere, and keep the order of the list, while nothing is typed', () => {
    expect(rank('', 'bbb', 'a')).toMatchObject([
      { item: { title: 'bbb' }, places: [] },
      { item: { title: 'a' }, places: [] },
    ]);
  });

  test('at starts of words and in runs are preferred to the first letters that fit', () => {
    expect(places('co', 'flows/cancel-create_order.hcl')).toEqual([6, 20]);
    expect(places('order', 'flows/or-create-order.hcl')).toEqual([16, 17, 18, 19, 20]);
  });

  test('match in either case and whatever blanks are typed, but the same case wins', () => {
    expect(places('go file', 'Go to File')).toEqual([0, 1, 6, 7, 8, 9]);
    expect(order('A', 'a', 'A')).toEqual(['A', 'a']);
  });

  test('are marked where they are drawn, although accents do not count', () => {
    expect(places('uber', 'flows/über.hcl')).toEqual([6, 7, 8, 9]);
    expect(places('le', 'ﬁle e\u0301le')).toEqual([1, 2]);
  });
});

test('the name counts more than the folders, then the shorter text', () => {
  expect(order('flow', 'flows/other.hcl', 'lib/flow.hcl')).toEqual(['lib/flow.hcl', 'flows/other.hcl']);
  expect(order('type', 'types-of-all.hcl', 'types.hcl')).toEqual(['types.hcl', 'types-of-all.hcl']);
});

test('what matches equally well keeps the order of the list', () => {
  const same = Array.from({ length: 100 }, (_, at) => ({ ...file(undefined, 'same.hcl'), id: String(at) }));
  expect(rankItems('sa', same).map(({ item }) => item.id)).toEqual(same.map(({ id }) => id));
});

test('long texts and long queries are matched whole', () => {
  expect(places('z', `${'a'.repeat(300)}z`)).toEqual([300]);
  expect(places('a'.repeat(1_000), 'a'.repeat(1_000))?.length).toBe(1_000);
});
