import { expect, test } from 'vitest';
import { addressProblem, discoveryOf, issuerProblem } from './address-rules.ts';

test.each([
  'https://idp.example.test',
  'https://idp.example.test:8443/tenants/a',
  'http://127.0.0.1:4000',
  'http://[::1]:4000',
  'http://localhost:4000/realms/a',
  'http://0x7f.1:4000',
])('%s can be an issuer', (issuer) => expect(issuerProblem(issuer)).toBe(undefined));

test.each([
  ['http://idp.example.test', 'does not begin with https://, which only an address of this machine need not'],
  ['http://127.0.0.1.example.test', 'does not begin with https://, which only an address of this machine need not'],
  ['http://localhost.example.test', 'does not begin with https://, which only an address of this machine need not'],
  ['http://idp.localhost', 'does not begin with https://, which only an address of this machine need not'],
  ['http://10.0.0.1', 'does not begin with https://, which only an address of this machine need not'],
  ['idp.example.test', 'is not an address that begins with https://'],
  ['javascript:alert(1)', 'is not an address that begins with https://'],
  ['', 'is not an address that begins with https://'],
  ['https://me:word@idp.example.test', 'holds a user name or password'],
  ['https://idp.example.test/#a', 'holds a `#`'],
  ['https://idp.example.test/?tenant=a', 'holds a `?`'],
  [
    'https://login.example.test/{tenantid}/v2.0',
    'holds a template, which is not supported: write the issuer of one tenant, once for each tenant',
  ],
])('%s cannot be an issuer', (issuer, problem) => expect(issuerProblem(issuer)).toBe(problem));

test('an endpoint may have a query', () => {
  expect(addressProblem('https://idp.example.test/authorize?tenant=a')).toBe(undefined);
});

test.each([
  ['https://idp.example.test', 'https://idp.example.test', ['https://idp.example.test']],
  ['https://idp.example.test/', 'https://idp.example.test', ['https://idp.example.test/']],
  ['https://idp.example.test/a', 'https://idp.example.test/a', ['https://idp.example.test/a']],
  [
    'https://idp.example.test/a/.well-known/openid-configuration',
    'https://idp.example.test/a',
    ['https://idp.example.test/a', 'https://idp.example.test/a/'],
  ],
])('the document of %s', (issuer, below, issuers) => {
  expect(discoveryOf(issuer)).toEqual({ url: `${below}/.well-known/openid-configuration`, issuers });
});
