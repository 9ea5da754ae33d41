import { expect, test } from 'vitest';
import { normalisedEmail } from './email.ts';

test('S-37: spellings of one address are one account', () => {
  const spellings = [
    'admin@exämple.test',
    'ADMIN@EXÄMPLE.TEST',
    'admin＠exämple.test',
    'admin@exa\u0308mple.test',
    'admin@exämple.test.',
    'admin@exämple。test',
    'admin@xn--exmple-cua.test',
    'admin@XN--EXMPLE-CUA.test',
    'ａｄｍｉｎ@exämple.test',
    '  admin@exämple.test ',
  ];
  expect(spellings.map(normalisedEmail)).toEqual(spellings.map(() => 'admin@xn--exmple-cua.test'));
});

test('S-37: letters of other scripts are kept in their one form', () => {
  expect(normalisedEmail('Jose\u0301@Example.test')).toBe('josé@example.test');
  expect(normalisedEmail('ΑΣ@example.test')).toBe(normalisedEmail('ασ@example.test'));
  expect(normalisedEmail('用户@例子.test')).toBe('用户@xn--fsqu00a.test');
  // The Kelvin sign is a K; a Cyrillic а is not a Latin a.
  expect(normalisedEmail('\u212Aate@example.test')).toBe('kate@example.test');
  expect(normalisedEmail('\u0430dmin@example.test')).not.toBe('admin@example.test');
});

test('usual addresses are taken as they are', () => {
  for (const email of [
    'ana@example.test',
    'ana.lopez+shop@mail.example.test',
    "o'neill@example.test",
    'a@localhost',
    'x_y-z@a-b.example',
    `${'a'.repeat(64)}@example.test`,
  ]) {
    expect(normalisedEmail(email)).toBe(email);
  }
});

test.each([
  ['nothing', ''],
  ['no at sign', 'ana.example.test'],
  ['two at signs', 'ana@example.test@evil.test'],
  ['two at signs after normalising', 'ana＠example.test@evil.test'],
  ['no local part', '@example.test'],
  ['no domain', 'ana@'],
  ['a dot for a domain', 'ana@.'],
  ['two trailing dots', 'ana@example.test..'],
  ['dots that are not between words', '.ana@example.test'],
  ['two dots', 'ana..b@example.test'],
  ['a quoted local part', '"ana b"@example.test'],
  ['a comment', 'ana(x)@example.test'],
  ['a line end', 'ana@example.test\r\nBcc: eve@evil.test'],
  ['a line end at the end', 'ana@example.test\n'],
  ['a space inside', 'an a@example.test'],
  ['NUL', 'ana\0@example.test'],
  ['a zero width space', 'a\u200Bna@example.test'],
  ['a zero width joiner', 'a\u200Dna@example.test'],
  ['a soft hyphen in the domain', 'ana@exam\u00ADple.test'],
  ['text that runs backwards', '\u202Eana@example.test'],
  ['a variation selector', 'ana\uFE0F@example.test'],
  ['a filler', '\u3164@example.test'],
  ['a byte order mark', '\uFEFFana@example.test'],
  ['a tag character', 'ana\u{E0041}@example.test'],
  ['half a character', 'ana\uD800@example.test'],
  ['a character of private use', 'ana\uE000@example.test'],
  ['a mark without a letter', '\u0301ana@example.test'],
  ['an address of a machine', 'ana@127.0.0.1'],
  ['an address of a machine that is shortened', 'ana@127.1'],
  ['an address of a machine in hexadecimal', 'ana@0x7f'],
  ['an address of a machine in brackets', 'ana@[::1]'],
  ['an address of a machine in other digits', 'ana@１２７.1'],
  ['a port', 'ana@example.test:25'],
  ['a path', 'ana@example.test/x'],
  ['a path in other characters', 'ana@example.test／x'],
  ['percent escapes', 'ana@ex%41mple.test'],
  ['an underscore in the domain', 'ana@a_b.test'],
  ['a label that begins with a hyphen', 'ana@-a.test'],
  ['Punycode of nothing', 'ana@xn--.test'],
  ['Punycode that cannot be read', 'ana@xn--a.test'],
  ['Punycode of plain letters', 'ana@xn--example-.test'],
  ['a local part of 65 octets', `${'a'.repeat(65)}@example.test`],
  ['a local part of 66 octets in 33 letters', `${'é'.repeat(33)}@example.test`],
  ['255 octets', `${'a'.repeat(63)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}`],
  ['a label of 64', `ana@${'b'.repeat(64)}.test`],
  ['a megabyte', `${'a'.repeat(1_000_000)}@example.test`],
])('refused: %s', (_, text) => {
  expect(normalisedEmail(text)).toBeUndefined();
});

test('254 octets are taken', () => {
  const email = `${'a'.repeat(62)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}`;
  expect(normalisedEmail(email)).toBe(email);
});

test('of every character: normalising what is normalised changes nothing, and what is not seen is refused', () => {
  const changed: string[] = [];
  const hidden: string[] = [];
  for (let point = 0; point <= 0x10_ff_ff; point++) {
    const character = String.fromCodePoint(point);
    // The large blocks whose characters all behave equally are sampled.
    if (point % 101 !== 0 && /[\p{Ideographic}\p{Script=Hangul}\p{Co}\p{Cn}\p{Cs}]/u.test(character)) continue;
    for (const text of [`a${character}b@example.test`, `ab@x${character}y.test`]) {
      const email = normalisedEmail(text);
      if (email === undefined) continue;
      if (normalisedEmail(email) !== email) changed.push(text);
      if (/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text + email)) hidden.push(text);
    }
  }
  expect(changed).toEqual([]);
  expect(hidden).toEqual([]);
});
