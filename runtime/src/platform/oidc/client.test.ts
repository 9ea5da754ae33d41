import * as second from 'openid-client';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { app, OpenIdProvider, redirectUri } from '../../../../test/support/servers/openid/provider.ts';
import { defaultTls } from '../net/tls.ts';
import { clientOf, failureOf, signIn, standIn } from './testing/bed.ts';

test('a certified provider: sign-in, profile, refresh; another client sees the same', async () => {
  const provider = await OpenIdProvider.start();
  onTestFinished(() => provider.stop());
  const { issuer } = provider;
  const { client, lines } = clientOf({ issuer }, { scopes: ['email', 'profile', 'offline_access'] });
  client.open();
  const { url, attempt } = await client.authorizationUrl({ redirectUri, parameters: { prompt: 'consent' } });
  const grant = await client.exchange({ answer: await provider.signIn(url), attempt });
  expect(grant).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresIn: 600,
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    claims: expect.any(Object),
  });
  const profile = await client.userinfo({ accessToken: grant.accessToken, subject: 'ana' });
  const refreshed = await client.refresh({ refreshToken: grant.refreshToken!, subject: 'ana' });

  const other = await second.discovery(new URL(issuer), 'app', 'secret of app', undefined, {
    execute: [second.allowInsecureRequests],
  });
  const verifier = second.randomPKCECodeVerifier();
  const nonce = second.randomNonce();
  const state = second.randomState();
  const otherUrl = second.buildAuthorizationUrl(other, {
    redirect_uri: redirectUri,
    scope: 'openid email profile offline_access',
    prompt: 'consent',
    code_challenge: await second.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  const answer = await provider.signIn(otherUrl.href);
  const otherGrant = await second.authorizationCodeGrant(
    other,
    new URL(`${redirectUri}?${new URLSearchParams(answer)}`),
    { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
  );
  const passing = { iat: 0, exp: 0, nonce: '', at_hash: '' };
  expect({ ...grant.claims, ...passing }).toEqual({ ...otherGrant.claims(), ...passing });
  expect(profile).toEqual(await second.fetchUserInfo(other, otherGrant.access_token, 'ana'));
  expect(refreshed.claims?.sub).toBe('ana');
  expect(refreshed.accessToken).not.toBe(grant.accessToken);
  expect(lines).toEqual([]);

  const names = (address: string) => [...new URL(address).searchParams.keys()].toSorted();
  expect(names(url)).toEqual(names(otherUrl.href).toSorted());
});

test.each([
  ['client_secret_basic', 'basic'],
  ['client_secret_post', 'post'],
  ['none', 'none'],
] as const)(
  'a certified provider: a client that is known by %s, whose id_tokens are signed by ES256',
  async (registered, authentication) => {
    const known = {
      ...app,
      token_endpoint_auth_method: registered,
      id_token_signed_response_alg: 'ES256',
    } as const;
    const provider = await OpenIdProvider.start({ clients: [known] });
    onTestFinished(() => provider.stop());
    const clientSecret = authentication === 'none' ? undefined : app.client_secret;
    const { client } = clientOf({ issuer: provider.issuer }, { authentication, clientSecret });
    client.open();
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    const answer = await provider.signIn(url, 'eve');
    // It names itself in its answers (RFC 9207).
    expect(answer['iss']).toBe(provider.issuer);
    const { claims } = await client.exchange({ answer, attempt });
    expect(claims).toMatchObject({ sub: 'eve', email: 'eve@example.test' });
    // A code is good once.
    expect(await failureOf(client.exchange({ answer, attempt }))).toMatchObject({
      reason: 'refused',
      providerError: 'invalid_grant',
    });
    const { url: again, attempt: other } = await client.authorizationUrl({ redirectUri });
    const back = await provider.signIn(again);
    const wrong = { ...other, codeVerifier: attempt.codeVerifier };
    expect(await failureOf(client.exchange({ answer: back, attempt: wrong }))).toMatchObject({
      providerError: 'invalid_grant',
    });
  },
);

test('a certified provider: a wrong secret, a person who refuses, a refresh token that was never given', async () => {
  const provider = await OpenIdProvider.start();
  onTestFinished(() => provider.stop());
  const { client } = clientOf({ issuer: provider.issuer }, { clientSecret: 'wrong' });
  client.open();
  const { url, attempt } = await client.authorizationUrl({ redirectUri });
  const wrong = client.exchange({ answer: await provider.signIn(url), attempt });
  expect(await failureOf(wrong)).toMatchObject({ reason: 'refused', providerError: 'invalid_client' });
  const none = await client.authorizationUrl({ redirectUri, parameters: { prompt: 'none' } });
  const refused = await provider.signIn(none.url);
  expect(await failureOf(client.exchange({ answer: refused, attempt: none.attempt }))).toMatchObject({
    code: 'authentication_required',
    providerError: 'login_required',
  });
  const { client: good } = clientOf({ issuer: provider.issuer });
  good.open();
  expect(await failureOf(good.refresh({ refreshToken: 'nonsense' }))).toMatchObject({
    code: 'upstream_error',
    providerError: 'invalid_grant',
  });
});

test('fifty sign-ins at once end each with its own person, and one reading of the keys', async () => {
  const provider = await standIn();
  const { client } = clientOf({ issuer: provider.issuer });
  client.open();
  const begun = await Promise.all(Array.from({ length: 50 }, () => client.authorizationUrl({ redirectUri })));
  const nonces = new Map(begun.map(({ url, attempt }, at) => [`person ${at}`, [url, attempt] as const]));
  provider.idToken = (claims) => provider.sign({ ...claims, nonce: nonces.get(String(claims['sub']))?.[1].nonce });
  const grants = await Promise.all(
    [...nonces].map(([person, [url, attempt]]) => client.exchange({ answer: provider.signIn(url, person), attempt })),
  );
  expect(grants.map(({ claims }) => claims?.sub)).toEqual([...nonces.keys()]);
  expect(provider.count('GET /keys')).toBe(1);
  // An answer that was given to one of them is not good for another.
  const answer = provider.signIn(begun[1]!.url);
  expect(await failureOf(client.exchange({ answer, attempt: begun[0]!.attempt }))).toMatchObject({
    check: 'state',
  });
});

describe('S-87: a provider over TLS', () => {
  const certificate = (name: string) =>
    generate([{ name: 'commonName', value: name }], {
      algorithm: 'sha256',
      keySize: 2048,
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
      ],
    });

  test('is asked where its certificate is trusted and names it, for its document, keys, tokens and profiles', async () => {
    const { cert, private: key } = await certificate('localhost');
    const provider = await standIn({ tls: { cert, key }, host: 'localhost' });
    const tls = { ...defaultTls, ca: Buffer.from(cert) };
    const { client } = clientOf({ issuer: provider.issuer }, { tls });
    client.open();
    expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    expect(await client.userinfo({ accessToken: 'access of ana', subject: 'ana' })).toMatchObject({ sub: 'ana' });
  });

  test('is not asked with a certificate of an unknown authority, or of another name', async () => {
    const good = await certificate('localhost');
    const other = await certificate('other.example.test');
    for (const [served, trusted] of [
      [good, undefined],
      [good, other],
      [other, other],
    ] as const) {
      const provider = await standIn({ tls: { cert: served.cert, key: served.private }, host: 'localhost' });
      const tls = trusted === undefined ? undefined : { ...defaultTls, ca: Buffer.from(trusted.cert) };
      const { client } = clientOf({ issuer: provider.issuer }, { tls });
      client.open();
      expect(await failureOf(client.authorizationUrl({ redirectUri }))).toMatchObject({
        code: 'provider_unavailable',
        message: expect.stringContaining(`no TLS connection to ${provider.issuer}`),
      });
      expect(provider.asked).toEqual([]);
    }
  });
});
