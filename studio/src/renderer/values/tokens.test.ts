import { expect, test } from 'vitest';
import { jsonRows } from './json-rows.ts';
import { dots } from './mask.ts';
import { isCredential, lifeOf, maskedJson, shownMoment, withoutTokens } from './tokens.ts';
import { preview } from './values.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: unknown) => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;
const now = Date.UTC(2026, 10, 23, 12);
const at = (seconds: number) => now / 1000 + seconds;

test.each([
  [{ exp: at(720) }, 'ends in 12 min'],
  [{ exp: at(45) }, 'ends in 45 s'],
  [{ exp: at(3 * 3600) }, 'ends in 3 h'],
  [{ exp: at(7 * 86_400) }, 'ends in 7 d'],
  [{ exp: at(-180) }, 'ended 3 min ago'],
  [{ exp: at(0) }, 'ended 0 s ago'],
  [{ exp: at(900), nbf: at(300) }, 'begins in 5 min'],
  [{ exp: at(900), nbf: at(-300) }, 'ends in 15 min'],
  [{ sub: 'x' }, 'says no end'],
  [{ exp: 'tomorrow' }, 'says no end'],
])('%j: %s', (claims, life) => {
  expect(lifeOf({ claims }, now)).toBe(life);
});

test('a moment is a date with how far it is', () => {
  expect(shownMoment(now + 720_000, now)).toMatch(/^2026-11-2\d \d\d:12:00, in 12 min$/);
  expect(shownMoment(now - 86_400_000, now)).toMatch(/, 24 h ago$/);
  expect(shownMoment(9e15, now)).toBe('9000000000000');
});

test('tokens are credentials wherever they are, other texts by their name', () => {
  expect(isCredential('anything', token({}))).toBe(true);
  expect(isCredential('anything', `Bearer ${token({})}`)).toBe(true);
  for (const name of ['access_token', 'refresh_token', 'id_token', 'mfa_token', 'refreshToken'])
    expect(isCredential(name, 'opaque')).toBe(true);
  for (const [name, value] of [
    ['token_type', 'Bearer'],
    ['access_token', ''],
    ['access_token', '***'],
    ['a', 'eyJ'],
  ])
    expect(isCredential(name as string, value)).toBe(false);
});

test('a preview shows no token, not even the beginning of one', () => {
  const secret = token({ sub: 'ana' });
  expect(preview({ a: secret, b: [`x ${secret}`], refresh_token: 'opaque' }, 200)).toBe(
    `{a: ${dots}, b: ["x ${dots}"], refresh_token: ${dots}}`,
  );
  expect(preview(`x ${token({ note: 'y'.repeat(500) })}`)).not.toContain('eyJ');
});

test('text shows no token', () => {
  const secret = token({ sub: 'ana' });
  expect(withoutTokens(`link: https://a.test/#${secret}, bye`)).toBe(`link: https://a.test/#${dots}, bye`);
  const shown = maskedJson({ access_token: secret, list: [{ note: `see ${secret}` }], refresh_token: 'opaque', a: 1 });
  expect(JSON.parse(shown)).toEqual({
    access_token: dots,
    list: [{ note: `see ${dots}` }],
    refresh_token: dots,
    a: 1,
  });
});

test('a token opens into header and claims, with its times as moments; closed it is masked', () => {
  const value = { access_token: token({ sub: 'ana', exp: at(720) }), refresh_token: 'opaque' };
  const closed = jsonRows(value, () => false);
  expect(closed.map(({ key, isOpen, isMasked, text }) => [key, isOpen, isMasked, text])).toEqual([
    ['access_token', false, true, dots],
    ['refresh_token', undefined, true, dots],
  ]);
  const open = jsonRows(value, () => true);
  expect(open.map(({ depth, key, moment, note }) => [depth, key, moment, note])).toEqual([
    [0, 'access_token', undefined, undefined],
    [1, 'header', undefined, undefined],
    [2, 'alg', undefined, undefined],
    [1, 'claims', undefined, 'not verified'],
    [2, 'sub', undefined, undefined],
    [2, 'exp', now + 720_000, undefined],
    [0, 'refresh_token', undefined, undefined],
  ]);
  expect(open.map(({ text }) => text).join()).not.toContain('eyJ');
});

test('only claims of a token are moments', () => {
  expect(
    jsonRows({ exp: 1_700_000_000, claims: { exp: 1_700_000_000 } }, () => true).map(({ moment }) => moment),
  ).toEqual([undefined, undefined, 1_700_000_000_000]);
});
