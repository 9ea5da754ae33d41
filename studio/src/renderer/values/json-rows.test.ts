import { expect, test } from 'vitest';
import { jsonRows } from './json-rows.ts';

const shown = (rows: ReturnType<typeof jsonRows>) =>
  rows.map(({ depth, key, text, isOpen, more }) => [depth, key, text, isOpen, more]);

test('members of what is open are drawn, of what is closed it is said how many there are', () => {
  const value = { a: 1, b: { c: [true, null] }, d: {}, e: 'x' };
  expect(shown(jsonRows(value, (_, depth) => depth === 0))).toEqual([
    [0, 'a', '1', undefined, undefined],
    [0, 'b', '{1}', true, undefined],
    [1, 'c', '[true, null]', false, undefined],
    [0, 'd', '{}', undefined, undefined],
    [0, 'e', '"x"', undefined, undefined],
  ]);
});

test('long lists are drawn piece by piece', () => {
  const value = Array.from({ length: 250 }, (_, at) => at);
  const rows = jsonRows(value, () => false);
  expect([rows.length, rows.at(-1)]).toEqual([
    101,
    {
      id: '[] more',
      key: '',
      depth: 0,
      value: '[]',
      isOpen: undefined,
      text: '',
      more: 150,
      token: undefined,
      isMasked: false,
      moment: undefined,
      note: undefined,
    },
  ]);
  expect(jsonRows(value, () => false, new Map([['[]', 300]])).length).toBe(250);
});

test('a value without members is one line', () => {
  expect(shown(jsonRows(null, () => true))).toEqual([[0, '', 'null', undefined, undefined]]);
  expect(jsonRows([], () => true)).toEqual([]);
});
