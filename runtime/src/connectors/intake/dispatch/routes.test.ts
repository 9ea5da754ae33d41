import { describe, expect, test } from 'vitest';
import { Routes, topicPatterns } from './routes.ts';

const routes = (...patterns: readonly (string | undefined)[]) =>
  new Routes(patterns, (pattern) => pattern, topicPatterns);

describe('routing keys', () => {
  test('the order is: the exact key, patterns with the fewest wildcards, then *, then #', () => {
    const all = routes('#', '*', 'a.#', 'a.*.c', 'a.b.#', 'a.b.c', 'a.*.*');
    expect(['a.b.c', 'a.x.c', 'a.b.x', 'a.x.y', 'a', 'z', ''].map((key) => all.match(key))).toEqual([
      ['a.b.c'],
      ['a.*.c'],
      ['a.b.#'],
      ['a.#'],
      ['a.#'],
      ['*'],
      ['*'],
    ]);
    expect(routes('#').match('a.b')).toEqual(['#']);
  });

  test.each([
    ['*.b', 'a.b', true],
    ['*.b', 'b', false],
    ['*.b', 'a.a.b', false],
    ['#.b', 'b', true],
    ['#.b', 'a.a.b', true],
    ['#.b', 'a.b.c', false],
    ['a.#.b', 'a.b', true],
    ['a.#.b', 'a.x.b.y.b', true],
    ['a.#.*', 'a', false],
    ['a.#.*', 'a.b', true],
    ['#.#', '', true],
    ['a.*', 'a.', true],
    ['a*', 'ab', false],
    ['a*', 'a*', true],
  ])('%s takes %s: %s', (pattern, key, taken) => {
    expect(routes(pattern).match(key) !== undefined).toBe(taken);
  });

  test.each(['A', ' a', 'a ', 'a.', '\u00e9', 'e\u0301', '5', '05', '\u0665'])(
    'A-02: keys are equal when their characters are: %j is itself alone',
    (key) => {
      const spelt = ['a', 'A', ' a', 'a ', 'a.', '\u00e9', 'e\u0301', '5', '05', '5.0', '+5', '\u0665'];
      expect(spelt.filter((other) => routes(key).match(other) !== undefined)).toEqual([key]);
    },
  );

  test('flows of one pattern go together; without a pattern everything is taken', () => {
    const all = new Routes(['one', 'two', 'three'], (name) => (name === 'three' ? undefined : 'k'), topicPatterns);
    expect([all.match('k'), all.match('other'), all.takesAll]).toEqual([['one', 'two'], ['three'], true]);
    expect(routes('a.#').takesAll).toBe(false);
    expect(routes('a').match('b')).toBeUndefined();
  });

  test('of patterns with as many wildcards the one whose first words are written wins', () => {
    const all = routes('*.b.longest', 'a.*.c', '*.b.c');
    expect(['a.b.c', 'x.b.c', 'x.b.longest'].map((key) => all.match(key))).toEqual([
      ['a.*.c'],
      ['*.b.c'],
      ['*.b.longest'],
    ]);
  });

  test('operations may be spelled otherwise than keys', () => {
    const grammar = { ...topicPatterns, canonical: (text: string) => text.toLowerCase() };
    expect(new Routes(['A.b'], (text) => text, grammar).match('a.b')).toEqual(['A.b']);
  });

  test('a long key against many wildcards is decided at once', () => {
    const pattern = `${'#.a.'.repeat(60)}b`;
    expect(routes(pattern).match('a.'.repeat(120))).toBeUndefined();
  });
});
