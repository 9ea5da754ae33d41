import { describe, expect, test } from 'vitest';
import { presets } from '../presets.ts';
import { PasswordPolicy, patternProblem } from './policy.ts';

type Rules = ConstructorParameters<typeof PasswordPolicy>[0];
const open: Rules = presets.development.password;
const weaknesses = (rules: Partial<Rules>, password: string, email?: string) =>
  new PasswordPolicy({ ...open, ...rules }).weaknesses(password, email);

describe('R-29: of each rule', () => {
  test.each([
    [{ min_length: 4 }, 'abc', ['The password must have at least 4 characters.']],
    [{ min_length: 4 }, 'abcd', []],
    [{ min_length: 1 }, '', ['The password must have at least 1 character.']],
    [{ max_length: 4 }, 'abcde', ['The password must have at most 4 characters.']],
    [{ max_length: 4 }, 'abcd', []],
    [{ require_upper: true }, 'abc', ['The password must contain a capital letter.']],
    [{ require_upper: true }, 'Äbc', []],
    [{ require_lower: true }, 'ABC', ['The password must contain a small letter.']],
    [{ require_lower: true }, 'ABç', []],
    [{ require_number: true }, 'abc', ['The password must contain a digit.']],
    [{ require_number: true }, 'abc٣', []],
    [
      { require_special: true },
      'abcÄ9',
      ['The password must contain a character that is neither a letter nor a digit.'],
    ],
    [{ require_special: true }, 'ab c', []],
  ])('%o judges "%s"', (rules, password, expected) => expect(weaknesses(rules, password)).toEqual(expected));

  test('all that are broken are named', () => {
    expect(weaknesses({ ...presets.strict.password }, 'abc')).toEqual([
      'The password must have at least 12 characters.',
      'The password must contain a capital letter.',
      'The password must contain a digit.',
      'The password must contain a character that is neither a letter nor a digit.',
    ]);
    expect(weaknesses({ ...presets.strict.password }, 'Twelve-Monkeys-9')).toEqual([]);
  });
});

describe('lengths', () => {
  test('are code points', () => {
    expect(weaknesses({ min_length: 4 }, '👩🏽')).toEqual(['The password must have at least 4 characters.']);
    expect(weaknesses({ max_length: 4 }, '𝒳𝒳𝒳𝒳')).toEqual([]);
  });

  test('S-21: beyond the most are noticed without counting them', () => {
    const policy = new PasswordPolicy(open);
    expect(policy.isTooLong('x'.repeat(50_000_000))).toBe(true);
    expect([policy.isTooLong('x'.repeat(128)), policy.isTooLong('x'.repeat(129))]).toEqual([false, true]);
  });
});

test('text that is not Unicode is refused', () => {
  expect(weaknesses({}, 'abc\ud800')).toEqual(['The password must be valid Unicode text.']);
});

describe('reject_patterns', () => {
  const refused = ['The password must not contain words or patterns that are easy to guess here.'];

  test.each([
    ['acme', 'my-ACME-secret', undefined, refused],
    ['acme', 'my-secret', undefined, []],
    ['acme', 'my-ａｃｍｅ', undefined, refused],
    ['/^[0-9]+$/', '123456', undefined, refused],
    ['/^[0-9]+$/', '123456a', undefined, []],
    ['/(?i)summer/', 'SUMMER24', undefined, refused],
    ['/', 'a/b', undefined, refused],
    ['user.email', 'xx-Ana.Lopez@Shop.test', 'ana.lopez@shop.test', refused],
    ['user.email', 'ANA.lopez2024', 'ana.lopez@shop.test', refused],
    ['user.email', 'banana', 'ana@shop.test', []],
    ['user.email', 'user.email', 'ana@shop.test', []],
    ['user.email', 'anything', undefined, []],
  ])('%s and "%s"', (pattern, password, email, expected) => {
    expect(weaknesses({ reject_patterns: ['nothing', pattern] }, password, email)).toEqual(expected);
  });

  test('take no time that grows faster than the password, whatever is written', () => {
    const nested = Array.from({ length: 3 }).reduce<string>((inner) => `(${inner})+`, 'a');
    const policy = new PasswordPolicy({
      ...open,
      max_length: 1_024,
      reject_patterns: [`/^${nested}$/`, `/(${new Array(4).fill('a').join('|')})*b/`],
    });
    expect(policy.weaknesses(`${'a'.repeat(1_000)}!`, undefined)).toEqual([]);
  });

  test.each([
    ['/(/', 'a pattern'],
    ['/(?=a)/', 'look-around'],
    ['/(a)\\1/', 'a back-reference'],
    ['/a*/', 'what matches everything'],
    ['', 'nothing'],
    [' ', 'a blank'],
  ])('"%s" is refused: %s', (pattern) => expect(patternProblem(pattern)).toEqual(expect.any(String)));

  test.each(['acme', '/^a+$/', 'user.email', '/', '//'])('"%s" is accepted', (pattern) =>
    expect(patternProblem(pattern)).toBe(undefined),
  );
});
