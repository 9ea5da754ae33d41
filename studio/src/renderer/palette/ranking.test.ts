import { expect, test } from 'vitest';
import { rankItems } from './ranking.ts';

const file = (detail: string | undefined, title: string) => ({ id: title, title, detail, run: () => undefined });
const create = file('flows', 'create.hcl');
const types = file(undefined, 'types.hcl');

test('a name is found with its folder behind it, and by its path', () => {
  expect(rankItems('create fl', [types, create])).toMatchObject([{ item: create, places: [0, 1, 2, 3, 4, 5, 11, 12] }]);
  expect(rankItems('fl/cr', [types, create])).toMatchObject([{ item: create, places: [11, 12, 16, 0, 1] }]);
  expect(rankItems('/', [types])).toEqual([]);
});
