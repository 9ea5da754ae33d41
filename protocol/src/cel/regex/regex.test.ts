import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compileRegex } from './index.ts';

function matches(pattern: string, text: string): boolean | string {
  const regex = compileRegex(pattern);
  return 'test' in regex ? regex.test(text) : `${regex.at}: ${regex.message}`;
}

describe('what a pattern means', () => {
  test.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^abc$', 'abc', true],
    ['^abc$', 'abc\n', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['(?i)straSSe', 'STRASSE', true],
    ['(?i)k', '\u212a', true],
    ['(?i:a)b', 'AB', false],
    ['(?i)[^a]', 'A', false],
    ['\\bcat\\b', 'a cat!', true],
    ['\\bcat\\b', 'concatenate', false],
    ['\\Bcat', 'concatenate', true],
    ['^\\d{3}-\\d{2,4}$', '123-4567', true],
    ['^\\d{3}-\\d{2,4}$', '123-45678', false],
    ['^(a|b)*?c+$', 'ababcc', true],
    ['^[[:alpha:]_]+[^[:space:]]$', 'ab_1', true],
    ['^\\pL+$', 'grün', true],
    ['^\\p{Greek}+$', 'λόγος', true],
    ['^\\P{Lu}$', 'a', true],
    ['^.$', '😀', true],
    ['^[😀-😂]$', '😁', true],
    ['\\x{1F600}', '😀', true],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['(?P<year>\\d+)-(?<month>\\d+)', '2025-03', true],
    ['', 'anything', true],
    ['a{2', 'a{2', true],
    ['^(?:)*$', '', true],
    ['[]a]', ']', true],
    ['[a\\-z]', '-', true],
  ])('%s on %j', (pattern, text, result) => {
    expect(matches(pattern, text)).toBe(result);
  });

  test.each([
    ['(a', '0: "(" without ")"'],
    ['a)', '1: ")" without "("'],
    ['[a', '0: "[" without "]"'],
    ['*a', '0: nothing to repeat before "*"'],
    ['a**', '1: a repetition of a repetition'],
    ['a{2,1}', '1: the repetition {2,1} is not between 0 and 1000'],
    ['a{1001}', '1: the repetition {1001} is not between 0 and 1000'],
    ['(?=a)', '0: this kind of group is not supported'],
    ['(a)\\1', '3: back-references are not supported'],
    ['\\p{Klingon}', '0: there is no Unicode class "Klingon"'],
    ['[z-a]', '1: the range runs backwards'],
    ['\\y', '0: unknown escape \\y'],
    ['a\\', '2: the pattern ends too early'],
    ['((a{100}){100}){100}', '0: the pattern is too large'],
    ['('.repeat(10_000), '200: the groups are nested too deeply'],
  ])('%s is refused', (pattern, problem) => {
    expect(matches(pattern, '')).toBe(problem);
  });
});

describe('a second opinion', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    'c',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\b',
    '\\B',
    '^',
    '$',
    '(?i)a',
    'ü',
    '😀',
    '\\s',
    '[a-c1]',
  );
  const pattern = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
      fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
      fc
        .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?'))
        .map(([part, count]) => `(${part})${count}`),
    ),
  })).node;
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '\n', 'ü', '😀', '_'), { maxLength: 12 })
    .map((letters) => letters.join(''));

  test('generated patterns match what another RE2 matches', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const other = RE2JS.compile(source);
        const answers = texts.map((each) => [each, matches(source, each)]);
        expect(answers).toEqual(texts.map((each) => [each, other.matcher(each).find()]));
      }),
      { numRuns: 400, seed: 7 },
    );
  });
});
