import { expect, test } from 'vitest';
import { compileGlob } from './glob.ts';

const matching = (pattern: string, names: readonly string[]): readonly string[] => {
  const glob = compileGlob(pattern);
  if ('problem' in glob) throw new Error(glob.problem);
  return names.filter(glob.matches);
};

test.each([
  ['*', ['', 'a', 'a.b'], ['', 'a', 'a.b']],
  ['create_*', ['create_', 'create_order', 're_create_order', 'Create_order'], ['create_', 'create_order']],
  ['*_order*', ['a_order', 'a_orders_b', 'order'], ['a_order', 'a_orders_b']],
  ['**', ['a'], ['a']],
  ['a?c', ['abc', 'a😀c', 'ac', 'abbc'], ['abc', 'a😀c']],
  ['[abc]x', ['ax', 'cx', 'dx', 'x'], ['ax', 'cx']],
  ['[a-c0-9]x', ['bx', '7x', '-x'], ['bx', '7x']],
  ['[^a-c]x', ['bx', 'dx', '^x'], ['dx', '^x']],
  ['[a-]x', ['-x', 'ax', 'bx'], ['-x', 'ax']],
  ['[\\]\\\\]x', [']x', '\\x', 'ax'], [']x', '\\x']],
  ['a\\*', ['a*', 'ab'], ['a*']],
  ['\\**', ['*a', 'a'], ['*a']],
  ['a.b+(c)|d', ['a.b+(c)|d', 'axb+(c)|d', 'd'], ['a.b+(c)|d']],
  ['a', ['a', 'ab', 'A', 'a\n'], ['a']],
])('%s', (pattern, names, wanted) => {
  expect(matching(pattern, names)).toEqual(wanted);
});

test.each([
  ['[abc', 'a [ is never closed'],
  ['[', 'a [ is never closed'],
  ['[a-', 'a [ is never closed'],
  ['[^', 'a [ is never closed'],
  ['[]a', 'the class [] holds nothing'],
  ['[^]a', 'the class [] holds nothing'],
  ['[z-a]', 'the range z-a runs backwards'],
  ['a\\', 'nothing follows the last \\'],
])('%s is not a pattern', (pattern, problem) => {
  expect(compileGlob(pattern)).toEqual({ problem });
});
