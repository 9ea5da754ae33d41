import { expect, test } from 'vitest';
import { globsOf } from './globs.ts';

const paths = ['service.hcl', 'flows/a.hcl', 'flows/deep/b.hcl', 'migrations/001.sql', 'notes.md'];
const meant = (text: string) => paths.filter((path) => globsOf(text)?.(path));

test.each([
  ['*.hcl', ['service.hcl', 'flows/a.hcl', 'flows/deep/b.hcl']],
  ['flows', ['flows/a.hcl', 'flows/deep/b.hcl']],
  ['./flows/', ['flows/a.hcl', 'flows/deep/b.hcl']],
  ['flows/*.hcl', ['flows/a.hcl']],
  ['flows/**/*.hcl', ['flows/a.hcl', 'flows/deep/b.hcl']],
  ['**/deep/**', ['flows/deep/b.hcl']],
  ['00?.sql, notes.md', ['migrations/001.sql', 'notes.md']],
  ['a.hcl', ['flows/a.hcl']],
  ['FLOWS', []],
  ['[a-z].hcl', []],
])('%s', (text, expected) => {
  expect(meant(text)).toEqual(expected);
});

test('without a pattern there is nothing to test, and a long one is refused', () => {
  expect([globsOf(undefined), globsOf(''), globsOf(' , ')]).toEqual([undefined, undefined, undefined]);
  expect(() => globsOf('*'.repeat(501))).toThrow('at most 500 characters');
});

test('a pattern that could match in many ways says so as fast as another', () => {
  const isMeant = globsOf(`${'*a'.repeat(200)}b`);
  expect(isMeant?.('a'.repeat(4_000))).toBe(false);
  expect(globsOf(`${'**/a/'.repeat(80)}b`)?.('a/'.repeat(400))).toBe(false);
});
