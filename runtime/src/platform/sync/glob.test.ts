import { expect, test } from 'vitest';
import { globEscape, globMatches } from './glob.ts';

test.each([
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a*c', 'abbc', true],
  ['a*c', 'abcd', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['?', '', false],
  ['a?c', 'abc', true],
  ['a?c', 'a\u{1f600}c', true],
  ['a??c', 'a\u{1f600}c', false],
  ['*??c', '\u{1f600}c', false],
  ['*?c', '\u{1f600}c', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['\\?x', '?x', true],
  ['a\\', 'a\\', true],
  ['[ab]', 'a', false],
  ['[ab]', '[ab]', true],
])('%s on %s', (pattern, text, matches) => {
  expect(globMatches(pattern, text)).toBe(matches);
});

test('escaped texts match themselves alone', () => {
  const text = 'a*b?c[d]\\e^';
  expect([globMatches(globEscape(text), text), globMatches(globEscape(text), text.replace('*', 'x'))]).toEqual([
    true,
    false,
  ]);
});

test('the work for a hostile pattern is at most both lengths multiplied', () => {
  expect(globMatches(`${'*a'.repeat(500)}b`, 'a'.repeat(5000))).toBe(false);
});
