import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Attempt } from './authorization.ts';
import { clientOf, failureOf, redirectUri, standIn } from './testing/bed.ts';

async function bed(settings: Parameters<typeof clientOf>[1] = {}) {
  const provider = await standIn();
  const { client } = clientOf({ issuer: provider.issuer }, settings);
  client.open();
  return { provider, client };
}

const base64url = /^[A-Za-z0-9_-]{43}$/;

describe('S-40: an authorization request', () => {
  test('asks by PKCE with S256, and the code is exchanged with the verifier', async () => {
    const { provider, client } = await bed();
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    const asked = new URL(url);
    expect(asked.origin + asked.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    await client.exchange({ answer: provider.signIn(url), attempt });
    const [exchange] = provider.asked.filter(({ request }) => request === 'POST /token');
    expect(exchange?.form).toEqual({
      grant_type: 'authorization_code',
      code: 'code of ana',
      redirect_uri: redirectUri,
      code_verifier: attempt.codeVerifier,
    });
  });

  test('is never made without S256, whatever the document and the parameters say', async () => {
    const { provider, client } = await bed();
    provider.document['code_challenge_methods_supported'] = ['plain'];
    const parameters = {
      code_challenge: 'x',
      code_challenge_method: 'plain',
      state: 'x',
      nonce: 'x',
      response_type: 'token',
      client_id: 'other',
      redirect_uri: 'https://evil.example.test',
      request: 'x',
      request_uri: 'https://evil.example.test',
      prompt: 'consent',
    };
    const { url, attempt } = await client.authorizationUrl({ redirectUri, scopes: ['email'], parameters });
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: 'consent',
    });
  });

  test('keeps the query that the endpoint has', async () => {
    const { provider, client } = await bed();
    provider.document['authorization_endpoint'] = `${provider.issuer}/authorize?tenant=a%20b&state=theirs`;
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    const { searchParams } = new URL(url);
    expect([searchParams.get('tenant'), searchParams.getAll('state')]).toEqual(['a b', [attempt.state]]);
  });
});

describe('S-41: a sign-in that comes back', () => {
  test('has a state, a nonce and a verifier of 256 random bits each', async () => {
    const { client } = await bed();
    const attempts: Attempt[] = [];
    for (let times = 0; times < 100; times++) attempts.push((await client.authorizationUrl({ redirectUri })).attempt);
    const values = attempts.flatMap(({ state, nonce, codeVerifier }) => [state, nonce!, codeVerifier]);
    expect(new Set(values).size).toBe(300);
    expect(values.filter((value) => !base64url.test(value))).toEqual([]);
  });

  test('is refused with the state of another one', async () => {
    const { provider, client } = await bed();
    const mine = await client.authorizationUrl({ redirectUri });
    const victims = await client.authorizationUrl({ redirectUri });
    const refused = { code: 'input_refused', reason: 'unacceptable', check: 'state', retriable: false };
    for (const state of [mine.attempt.state, '', undefined, [victims.attempt.state], `${victims.attempt.state} `])
      expect(
        await failureOf(client.exchange({ answer: { ...provider.signIn(mine.url), state }, attempt: victims.attempt })),
      ).toMatchObject(refused);
    expect(provider.count('POST /token')).toBe(0);
  });

  test('is refused at another provider than the one that it was begun with', async () => {
    const { provider, client } = await bed();
    const { client: other } = clientOf({ issuer: provider.issuer }, { name: 'other' });
    other.open();
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    expect(await failureOf(other.exchange({ answer: provider.signIn(url), attempt }))).toEqual({
      code: 'input_refused',
      reason: 'unacceptable',
      check: 'provider',
      retriable: false,
      message: 'the sign-in was begun with another identity provider',
    });
    expect(provider.count('POST /token')).toBe(0);
  });

  test('is refused after ten minutes', async () => {
    const { provider, client } = await bed();
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    expect(Math.abs(attempt.endsAt - Date.now() - 600_000)).toBeLessThan(60_000);
    const late = { ...attempt, endsAt: attempt.endsAt - 600_001 };
    expect(await failureOf(client.exchange({ answer: provider.signIn(url), attempt: late }))).toMatchObject({
      code: 'input_refused',
      check: 'time',
    });
    expect(await client.exchange({ answer: provider.signIn(url), attempt })).toMatchObject({ expiresIn: 300 });
  });

  test('is refused without the nonce that it was begun with', async () => {
    const { provider, client } = await bed();
    provider.claims = { nonce: undefined };
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    for (const nonce of [undefined, ''])
      expect(
        await failureOf(client.exchange({ answer: provider.signIn(url), attempt: { ...attempt, nonce } })),
      ).toMatchObject({ code: 'input_refused', check: 'nonce' });
    expect(provider.count('POST /token')).toBe(0);
  });

  test('is refused when it names another issuer, or none where the provider promises one', async () => {
    const { provider, client } = await bed();
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    const answer = provider.signIn(url);
    const foreign = { ...answer, iss: 'https://evil.example.test' };
    expect(await failureOf(client.exchange({ answer: foreign, attempt }))).toMatchObject({ check: 'iss' });
    const error = { state: answer['state'], iss: 'https://evil.example.test', error: 'access_denied' };
    expect(await failureOf(client.exchange({ answer: error, attempt }))).toMatchObject({ check: 'iss' });
    expect(await client.exchange({ answer: { ...answer, iss: provider.issuer }, attempt })).toMatchObject({
      expiresIn: 300,
    });

    provider.document['authorization_response_iss_parameter_supported'] = true;
    const { client: strict } = clientOf({ issuer: provider.issuer });
    strict.open();
    const begun = await strict.authorizationUrl({ redirectUri });
    const back = { answer: provider.signIn(begun.url), attempt: begun.attempt };
    expect(await failureOf(strict.exchange(back))).toMatchObject({ check: 'iss' });
  });

  test('with an error of the provider says its code, within bounds, and only with the right state', async () => {
    const { provider, client } = await bed();
    const { attempt } = await client.authorizationUrl({ redirectUri });
    const { state } = attempt;
    const back = (answer: Record<string, unknown>) => failureOf(client.exchange({ answer, attempt }));
    expect(
      await back({ state, error: 'access_denied', error_description: `no\r\n\u202e${'x'.repeat(5_000)}` }),
    ).toEqual({
      code: 'authentication_required',
      reason: 'refused',
      providerError: 'access_denied',
      providerDescription: `no ${'x'.repeat(253)}`,
      retriable: false,
      message: `the identity provider "idp" refused: access_denied: no ${'x'.repeat(253)}`,
    });
    expect(await back({ state, error: 'a"b'.repeat(100) })).toMatchObject({ providerError: 'unknown_error' });
    expect(await back({ state, error: ['x'] })).toMatchObject({ providerError: 'unknown_error' });
    expect(await back({ state: 'x', error: 'access_denied' })).toMatchObject({ check: 'state' });
    for (const code of [undefined, '', ['a', 'b'], 'x'.repeat(10_000)])
      expect(await back({ state, code })).toMatchObject({ check: 'code' });
    expect(provider.count('POST /token')).toBe(0);
  });
});
