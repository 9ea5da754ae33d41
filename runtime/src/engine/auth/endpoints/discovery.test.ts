import { describe, expect, test } from 'vitest';
import { authBed, cheapHash } from '../testing/bed.ts';

const bedOf = (issuer: string, more = '', algorithm = 'RS256') =>
  authBed(
    `jwt {\n algorithm = "${algorithm}"\n secret = "a secret of at least thirty-two bytes"\n issuer = "${issuer}"\n }\n password {\n ${cheapHash}\n }\n ${more}`,
  );
const placesOf = async (issuer: string, more = '', algorithm = 'RS256') =>
  (await bedOf(issuer, more, algorithm))
    .places()
    .filter((place) => place.startsWith('discovery'))
    .map((place) => place.replace('discovery: ', ''));
const usual = ['GET /.well-known/oauth-authorization-server', 'GET /.well-known/openid-configuration'];

describe('discovery', () => {
  test('says who issues tokens and where their keys are, and claims nothing else', async () => {
    const bed = await bedOf('https://id.example.test', '', 'RS512');
    const { status, body, headers } = await bed.ask('discovery');
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=60']);
    expect(body).toEqual({
      issuer: 'https://id.example.test',
      jwks_uri: 'https://id.example.test/.well-known/jwks.json',
      id_token_signing_alg_values_supported: ['RS512'],
      subject_types_supported: ['public'],
      response_types_supported: [],
      grant_types_supported: [],
    });
  });

  test.each([
    ['https://id.example.test/', '', 'https://id.example.test/.well-known/jwks.json'],
    ['https://id.example.test/shop', '', 'https://id.example.test/.well-known/jwks.json'],
    ['https://id.example.test', 'base_url = "https://shop.test/api/"', 'https://shop.test/api/.well-known/jwks.json'],
    ['https://id.example.test', 'base_url = "http://shop.test"', 'https://id.example.test/.well-known/jwks.json'],
    ['http://localhost:3000', 'endpoints {\n jwks {\n path = "/keys"\n }\n}', 'http://localhost:3000/keys'],
  ])('of %s with %s has its keys at %s', async (issuer, more, address) => {
    expect((await (await bedOf(issuer, more)).ask('discovery')).body).toMatchObject({ issuer, jwks_uri: address });
  });

  test.each([
    'https://id.example.test',
    'https://id.example.test/',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://a.localhost',
  ])('is served where the issuer is %s', async (issuer) => {
    expect(await placesOf(issuer)).toEqual(usual);
  });

  test.each([
    'shop',
    'http://id.example.test',
    'http://localhost.example.test',
    'http://127.0.0.1.example.test',
    'https://id.example.test?a=b',
    'https://id.example.test/#a',
    'https://name:word@id.example.test',
    'urn:shop',
  ])('is not served where the issuer is %s', async (issuer) => {
    expect(await placesOf(issuer)).toEqual([]);
  });

  test('is below an issuer with a path, as both documents have it', async () => {
    expect(await placesOf('https://id.example.test/shop/')).toEqual([
      ...usual,
      'GET /.well-known/oauth-authorization-server/shop',
      'GET /shop/.well-known/openid-configuration',
    ]);
    expect(await placesOf('https://id.example.test/:name')).toEqual(usual);
  });

  test('is moved and turned off as the others are, and not served without keys', async () => {
    const issuer = 'https://id.example.test/shop';
    const written = (name: string, line: string) => `endpoints {\n ${name} {\n ${line}\n }\n}`;
    expect(await placesOf(issuer, written('discovery', 'path = "/who"'))).toEqual(['GET /who']);
    expect(await placesOf(issuer, written('discovery', 'enabled = false'))).toEqual([]);
    expect(await placesOf(issuer, written('jwks', 'enabled = false'))).toEqual([]);
    expect(await placesOf(issuer, written('jwks', 'method = "POST"'))).toEqual([]);
    expect(await placesOf(issuer, '', 'HS256')).toEqual([]);
  });
});
