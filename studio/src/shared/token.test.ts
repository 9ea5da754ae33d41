import { expect, test } from 'vitest';
import { decodeToken, endOf } from './token.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const head = part({ alg: 'HS256', typ: 'JWT' });
const written = (claims: unknown, signature = 'abc') => `${head}.${part(claims)}.${signature}`;

test('a token is read with or without Bearer in front', () => {
  const claims = { sub: 'ana', exp: 1_800_000_000, name: 'Zoë' };
  expect(decodeToken(written(claims))).toEqual({ header: { alg: 'HS256', typ: 'JWT' }, claims, start: 0 });
  expect(decodeToken(`Bearer ${written(claims)}`)).toMatchObject({ claims, start: 7 });
  expect(decodeToken(written(claims, ''))).toMatchObject({ claims });
});

test.each([
  ['no token', 'hello'],
  ['two parts', `${head}.${part({})}`],
  ['something behind it', `${written({})} x`],
  ['claims that are a list', written([1])],
  ['claims that are not JSON', `${head}.${Buffer.from('{').toString('base64url')}.abc`],
  ['claims that are not UTF-8', `${head}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.abc`],
  ['a header without an algorithm', `${part({ typ: 'JWT' })}.${part({ a: 1 })}.abc`],
  ['more than is looked at', written({ a: 'x'.repeat(20_000) })],
  ['base64 of the other alphabet', written({ a: '>>>???' }).replace('-', '+').replace('_', '/')],
])('%s is not one', (_, text) => {
  expect(decodeToken(text)).toBeUndefined();
});

test.each([
  [{ exp: 1_800_000_000 }, 1_800_000_000_000],
  [{ exp: 1_800_000_000.5 }, 1_800_000_000_500],
  [{ exp: '1800000000' }, undefined],
  [{ exp: 1e300 }, undefined],
  [{}, undefined],
])('%j ends at %j', (claims, end) => {
  expect(endOf({ claims })).toBe(end);
});
