import { describe, expect, test } from 'vitest';
import type { StandInAnswer } from '../../../../test/support/servers/openid/stand-in.ts';
import { clientOf, failureOf, standIn } from './testing/bed.ts';

async function bed() {
  const provider = await standIn();
  const { client } = clientOf({ issuer: provider.issuer });
  client.open();
  return { provider, client };
}

const accessToken = 'access of ana';
const unacceptable = (check: string, why: string) => ({
  code: 'connector_failed',
  reason: 'unacceptable',
  check,
  retriable: false,
  message: `the identity provider "idp" answered what is not accepted: ${why}`,
});
const refused = (providerError: string) => ({
  code: 'upstream_error',
  reason: 'refused',
  providerError,
  retriable: false,
  message: `the identity provider "idp" refused: ${providerError}`,
});

describe('a profile', () => {
  test('comes as the provider gives it, numbers as exact as they are written', async () => {
    const { provider, client } = await bed();
    provider.instead.set('/userinfo', {
      body: '{"sub":"ana","id":12345678901234567890,"__proto__":{"admin":true},"small":7}',
    });
    const profile = await client.userinfo({ accessToken, subject: 'ana' });
    expect(Object.entries(profile)).toEqual([
      ['sub', 'ana'],
      ['id', 12_345_678_901_234_567_890n],
      ['__proto__', expect.objectContaining({ admin: true })],
      ['small', 7],
    ]);
    expect(profile['admin']).toBe(undefined);
  });

  test('of another person is not accepted', async () => {
    const { client } = await bed();
    expect(await failureOf(client.userinfo({ accessToken: 'access of eve', subject: 'ana' }))).toEqual(
      unacceptable('userinfo sub', 'the profile is that of another user'),
    );
    expect((await client.userinfo({ accessToken: 'access of eve' }))['sub']).toBe('eve');
  });

  test.each<[string, StandInAnswer, Record<string, unknown>]>([
    [
      'without a subject',
      { body: { email: 'a' } },
      unacceptable('userinfo sub', 'the profile of a user names no subject'),
    ],
    [
      'with a subject that is a number',
      { body: { sub: 7 } },
      unacceptable('userinfo sub', 'the profile of a user names no subject'),
    ],
    ['that is a list', { body: [] }, unacceptable('userinfo', 'the profile of a user is not a JSON object')],
    ['that is null', { body: 'null' }, unacceptable('userinfo', 'the profile of a user is not a JSON object')],
    ['that is a page', { body: '<html>' }, unacceptable('userinfo', 'an answer that is not JSON')],
    [
      'that is signed',
      { body: '"e30.e30.x"', headers: { 'content-type': 'application/jwt;charset=utf-8' } },
      unacceptable('userinfo', 'a signed answer, which is not read'),
    ],
    ['S-79: without end', 'endless', unacceptable('answer', 'the answer of ISSUER is larger than 1048576 bytes')],
    [
      'S-76: that is elsewhere',
      { status: 302, headers: { location: 'https://evil.example.test/' } },
      unacceptable(
        'redirect',
        'HTTP 302: ISSUER redirects to https://evil.example.test, and redirects to another origin are not followed',
      ),
    ],
    ['that may not be read', { status: 403, body: '' }, refused('http_403')],
    ['for which the token is not good', { status: 401, body: '' }, refused('invalid_token')],
    [
      'for which a scope is missing',
      { status: 403, body: { error: 'insufficient_scope' } },
      refused('insufficient_scope'),
    ],
  ])('%s is not taken', async (_what, answer, expected) => {
    const { provider, client } = await bed();
    provider.instead.set('/userinfo', answer);
    const message = String(expected['message']).replace('ISSUER', provider.issuer);
    expect(await failureOf(client.userinfo({ accessToken, subject: 'ana' }))).toEqual({ ...expected, message });
  });

  test('S-79: that does not come is a provider that is unavailable', async () => {
    const provider = await standIn();
    const { issuer } = provider;
    provider.instead.set('/userinfo', 'nothing');
    const endpoints = {
      authorization: `${issuer}/authorize`,
      token: `${issuer}/token`,
      userinfo: `${issuer}/userinfo`,
    };
    const { client } = clientOf({ endpoints }, { timeout: 200 });
    expect(await failureOf(client.userinfo({ accessToken }))).toEqual({
      code: 'provider_unavailable',
      reason: 'unavailable',
      retriable: true,
      message: `the identity provider "idp" is unavailable: ${issuer} did not answer within 200 ms`,
    });
  });

  test('S-52: is not asked for with a token that would be another header', async () => {
    const { provider, client } = await bed();
    for (const token of ['', 'a\r\nx: y', 'a\u0000', 'ü€'])
      expect(await failureOf(client.userinfo({ accessToken: token }))).toMatchObject({ code: 'value_refused' });
    expect(provider.count('GET /userinfo')).toBe(0);
  });

  test('is not asked of a provider that does not serve any', async () => {
    const provider = await standIn();
    provider.document['userinfo_endpoint'] = undefined;
    const { client } = clientOf({ issuer: provider.issuer });
    client.open();
    expect(await failureOf(client.userinfo({ accessToken }))).toMatchObject({
      message: expect.stringContaining('it has no endpoint for profiles of users'),
    });
  });
});

describe('a provider without a document', () => {
  test('signs in by written endpoints, without an id_token; its numeric ids stay exact', async () => {
    const provider = await standIn();
    const { issuer } = provider;
    const endpoints = {
      authorization: `${issuer}/login/authorize?allow_signup=false`,
      token: `${issuer}/token`,
      userinfo: `${issuer}/user`,
      resources: [`${issuer}/user/emails`],
    };
    const { client } = clientOf({ endpoints }, { scopes: ['read:user', 'user:email'] });
    client.open();
    expect(client.problem).toBe(undefined);
    const { url, attempt } = await client.authorizationUrl({ redirectUri: 'http://127.0.0.1:9/callback' });
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toMatchObject({
      allow_signup: 'false',
      scope: 'read:user user:email',
      code_challenge_method: 'S256',
    });
    expect([asked['nonce'], attempt.nonce]).toEqual([undefined, undefined]);
    provider.instead.set('/token', {
      body: { access_token: 'gho_1', scope: 'read:user,user:email', token_type: 'bearer' },
    });
    const answer = { code: 'c', state: attempt.state };
    expect(await client.exchange({ answer, attempt })).toEqual({
      accessToken: 'gho_1',
      refreshToken: undefined,
      expiresIn: undefined,
      scopes: ['read:user', 'user:email'],
      claims: undefined,
    });
    expect(provider.asked.at(-1)).toMatchObject({
      headers: { authorization: `Basic ${Buffer.from('app:secret+of+app').toString('base64')}` },
      form: { code: 'c' },
    });
    provider.instead.set('/user', { body: '{"id": 9007199254740993, "login": "ana"}' });
    provider.instead.set('/user/emails', { body: [{ email: 'ana@example.test', primary: true, verified: true }] });
    const { id } = await client.userinfo({ accessToken: 'gho_1' });
    expect(String(id)).toBe('9007199254740993');
    expect(await client.resource(`${issuer}/user/emails`, { accessToken: 'gho_1' })).toEqual([
      { email: 'ana@example.test', primary: true, verified: true },
    ]);
    expect(provider.asked.map(({ request }) => request)).toEqual(['POST /token', 'GET /user', 'GET /user/emails']);
  });

  test('answers as a form too, and names its issuer where one is written', async () => {
    const provider = await standIn();
    const { issuer } = provider;
    const endpoints = { authorization: `${issuer}/authorize`, token: `${issuer}/token`, issuer };
    const { client } = clientOf({ endpoints }, { scopes: [] });
    const { url, attempt } = await client.authorizationUrl({ redirectUri: 'http://127.0.0.1:9/callback' });
    expect(new URL(url).searchParams.has('scope')).toBe(false);
    const body = 'access_token=a%20b&token_type=bearer&expires_in=60';
    provider.instead.set('/token', {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    const answer = { code: 'c', state: attempt.state };
    expect(await client.exchange({ answer, attempt })).toMatchObject({ accessToken: 'a b', expiresIn: 60 });
    const foreign = client.exchange({ answer: { ...answer, iss: 'https://evil.example.test' }, attempt });
    expect(await failureOf(foreign)).toMatchObject({ check: 'iss' });
  });

  test('S-75: is asked at the hosts that are written, and at public ones alone', async () => {
    const provider = await standIn();
    const { issuer } = provider;
    const endpoints = { authorization: `${issuer}/authorize`, token: `${issuer}/token` };
    const { client } = clientOf({ endpoints });
    for (const url of [
      `http://localhost:${provider.port}/user`,
      'https://169.254.169.254/',
      'https://[::ffff:10.0.0.1]/',
    ])
      expect(await failureOf(client.resource(url, { accessToken }))).toMatchObject({
        reason: 'unacceptable',
        check: 'address',
        message: expect.stringContaining('and not written in the configuration'),
      });
    expect(await failureOf(client.resource('http://api.example.test/', { accessToken }))).toMatchObject({
      check: 'address',
      message: expect.stringContaining('does not begin with https://'),
    });
    expect(provider.asked).toEqual([]);
  });
});
