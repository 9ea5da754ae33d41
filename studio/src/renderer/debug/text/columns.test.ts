import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';

test.each([
  ['a plain text', 'abc', 3, 3],
  ['only what is before the place', 'abcdef', 2, 2],
  ['a tab to the next even column', 'a\tb', 3, 3],
  ['wide letters twice', '訂單a', 3, 5],
  ['a picture twice', '🚚a', 3, 3],
])('columns of %s', (_, line, units, columns) => {
  expect(columnsOf(line, units)).toBe(columns);
});
