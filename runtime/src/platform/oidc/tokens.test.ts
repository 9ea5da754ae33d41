import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import type { AskedOfProvider, StandInAnswer } from '../../../../test/support/servers/openid/stand-in.ts';
import { until } from '../../../../test/support/until.ts';
import type { OpenIdSettings } from './settings.ts';
import { signedSecret } from './signed-secret.ts';
import { clientOf, failureOf, redirectUri, secret, signIn, standIn } from './testing/bed.ts';

async function bed(settings: Partial<OpenIdSettings> = {}, said: Record<string, unknown> = {}) {
  const provider = await standIn();
  Object.assign(provider.document, said);
  const { client, lines } = clientOf({ issuer: provider.issuer }, settings);
  client.open();
  return { provider, client, lines };
}

const basic = (id: string, word: string) => `Basic ${Buffer.from(`${id}:${word}`).toString('base64')}`;

describe('a client proves itself', () => {
  test.each<[string, Partial<OpenIdSettings>, string[] | undefined, string | undefined, Record<string, string>]>([
    ['by a header, where the document says nothing', {}, undefined, basic('app', 'secret+of+app'), {}],
    [
      'by a header, where it offers both',
      {},
      ['client_secret_post', 'client_secret_basic'],
      basic('app', 'secret+of+app'),
      {},
    ],
    [
      'by fields, where it offers no other',
      {},
      ['private_key_jwt', 'client_secret_post'],
      undefined,
      { client_id: 'app', client_secret: secret },
    ],
    ['as it is written', { authentication: 'post' }, undefined, undefined, { client_id: 'app', client_secret: secret }],
    ['by its name alone, without a secret', { clientSecret: undefined }, ['none'], undefined, { client_id: 'app' }],
    ['with every character encoded', { clientSecret: 'a:b+c ü%' }, undefined, basic('app', 'a%3Ab%2Bc+%C3%BC%25'), {}],
    [
      'by a secret that is made',
      { clientSecret: async () => 'made' },
      ['client_secret_post'],
      undefined,
      { client_id: 'app', client_secret: 'made' },
    ],
  ])('%s', async (_what, settings, offered, header, fields) => {
    const { provider, client } = await bed(settings, { token_endpoint_auth_methods_supported: offered });
    await signIn(client, provider);
    const [{ headers, form } = { headers: {}, form: {} }] = provider.asked.filter(
      (each) => each.request === 'POST /token',
    );
    const {
      grant_type: _grant,
      code: _code,
      redirect_uri: _uri,
      code_verifier: _verifier,
      ...proof
    } = form as Record<string, string>;
    expect([headers.authorization, proof]).toEqual([header, fields]);
    expect(headers['user-agent']).toBe('svc/test');
  });

  test('by a token that it signs, a new one for each request', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const clock = { now: () => Date.UTC(2030, 0, 1) };
    const audience = 'https://idp.example.test';
    const make = signedSecret({ privateKey: pem, keyId: 'K1', issuer: 'TEAM', clientId: 'app', audience, clock });
    const made = await make();
    expect(decodeProtectedHeader(made)).toEqual({ alg: 'ES256', kid: 'K1' });
    const { payload } = await jwtVerify(made, publicKey, { currentDate: new Date(clock.now()) });
    const iat = clock.now() / 1000;
    expect(payload).toEqual({ iss: 'TEAM', sub: 'app', aud: audience, iat, exp: iat + 300 });
    const { provider, client } = await bed({ clientSecret: make, authentication: 'post' });
    await signIn(client, provider);
    await client.refresh({ refreshToken: 'refresh of ana' });
    const sent = provider.asked.flatMap(({ form }) => form['client_secret'] ?? []);
    expect(new Set(sent).size).toBe(2);
  });

  test.each([
    ['nonsense', 'the key that client secrets are signed with is not a private key in PEM'],
    [
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      'the key that client secrets are signed with is not an EC key of the curve P-256',
    ],
  ])('by a key that suits, which the start finds out', (privateKey, message) => {
    const options = { privateKey, keyId: 'k', issuer: 'i', clientId: 'c', audience: 'a', clock: Date };
    expect(() => signedSecret(options)).toThrow(message);
  });

  test('or fails without showing why its secret cannot be made', async () => {
    const { provider, client } = await bed({ clientSecret: () => Promise.reject(new Error('the key is s3cr3t')) });
    expect(await failureOf(signIn(client, provider))).toEqual({
      code: 'connector_failed',
      retriable: false,
      message: 'the client secret cannot be signed',
    });
  });
});

describe('the answer of a token endpoint', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['without the time it is good for', { expires_in: undefined }, { expiresIn: undefined }],
    ['with that time as a text', { expires_in: '3600' }, { expiresIn: 3_600 }],
    ['with a time that is not one', { expires_in: 'soon' }, { expiresIn: undefined }],
    ['with a time that is over', { expires_in: -5 }, { expiresIn: undefined }],
    ['without a type', { token_type: undefined }, { expiresIn: 300 }],
    ['with a type in other letters', { token_type: 'bearer' }, { expiresIn: 300 }],
    ['without a refresh token', { refresh_token: undefined }, { refreshToken: undefined }],
    ['with its scopes', { scope: 'openid email' }, { scopes: ['openid', 'email'] }],
    ['with scopes after commas', { scope: 'read:user,user:email' }, { scopes: ['read:user', 'user:email'] }],
  ])('%s is taken', async (_what, tokens, expected) => {
    const { provider, client } = await bed();
    provider.tokens = tokens;
    expect(await signIn(client, provider)).toMatchObject({ accessToken: 'access of ana', ...expected });
  });

  test('to a refresh leaves the refresh token as it was where it has no other', async () => {
    const { provider, client } = await bed();
    provider.tokens = { refresh_token: undefined, id_token: undefined, expires_in: undefined };
    expect(await client.refresh({ refreshToken: 'refresh of ana' })).toEqual({
      accessToken: 'access of ana',
      refreshToken: 'refresh of ana',
      expiresIn: undefined,
      scopes: undefined,
      claims: undefined,
    });
    provider.tokens = { refresh_token: 'newer' };
    expect(await client.refresh({ refreshToken: 'refresh of ana' })).toMatchObject({ refreshToken: 'newer' });
  });

  const refused = (providerError: string, status: number) => ({
    code: 'upstream_error',
    reason: 'refused',
    providerError,
    retriable: false,
    message: `the identity provider "idp" refused: ${providerError}`,
    upstream: { status, body: '' },
  });
  const unacceptable = (check: string, why: string) => ({
    code: 'connector_failed',
    reason: 'unacceptable',
    check,
    retriable: false,
    message: `the identity provider "idp" answered what is not accepted: ${why}`,
  });
  const unavailable = (why: string, retryAfter?: number) => ({
    code: 'provider_unavailable',
    reason: 'unavailable',
    retriable: true,
    ...(retryAfter !== undefined && { retryAfter }),
    message: `the identity provider "idp" is unavailable: ${why}`,
  });

  test.each<[string, StandInAnswer, Record<string, unknown>]>([
    ['an error', { status: 400, body: { error: 'invalid_grant' } }, refused('invalid_grant', 400)],
    ['an error with status 200', { body: { error: 'bad_verification_code' } }, refused('bad_verification_code', 200)],
    [
      'an error about the client',
      { status: 401, body: { error: 'invalid_client' } },
      {
        ...refused('invalid_client', 401),
        message:
          'the identity provider "idp" refused: invalid_client; the client proved itself by client_auth = "basic": check client_id and client_secret, or write client_auth = "post" where the provider expects them in the body',
      },
    ],
    ['an error that is not a text', { status: 400, body: { error: { a: 1 } } }, refused('unknown_error', 400)],
    [
      'an error as a form',
      { status: 400, body: 'error=invalid_grant', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      refused('invalid_grant', 400),
    ],
    ['a status alone', { status: 403, body: '<html>' }, unacceptable('token', 'its token endpoint answered HTTP 403')],
    ['a page', { body: '<html>' }, unacceptable('token', 'its token endpoint answered no access token')],
    ['nothing', { body: '' }, unacceptable('token', 'its token endpoint answered no access token')],
    ['a list', { body: [] }, unacceptable('token', 'its token endpoint answered no access token')],
    [
      'an empty token',
      { body: { access_token: '' } },
      unacceptable('token', 'its token endpoint answered no access token'),
    ],
    [
      'a token with a line break',
      { body: { access_token: 'a\r\nb: c' } },
      unacceptable('token', 'its token endpoint answered no access token'),
    ],
    [
      'a token that needs a key',
      { body: { access_token: 'a', token_type: 'DPoP' } },
      unacceptable('token type', 'its token endpoint answered a token that is not of the type Bearer'),
    ],
    ['S-79: an endless body', 'endless', unacceptable('answer', 'the answer of ISSUER is larger than 1048576 bytes')],
    [
      'S-79: a million levels',
      { body: '{"access_token":'.repeat(60_000) },
      unacceptable('token', 'its token endpoint answered no access token'),
    ],
    [
      'S-76: another address',
      { status: 307, headers: { location: 'https://evil.example.test/token' } },
      unacceptable(
        'redirect',
        'HTTP 307: ISSUER redirects to https://evil.example.test, and redirects to another origin are not followed',
      ),
    ],
    ['half of it', 'cut', unavailable('the connection to ISSUER broke: other side closed')],
    ['a failure', { status: 500, body: { error: 'server_error' } }, unavailable('ISSUER answered HTTP 500')],
    [
      'that it is busy',
      { status: 429, headers: { 'retry-after': '7' } },
      unavailable('ISSUER answered HTTP 429', 7_000),
    ],
    [
      'that it is busy for long',
      { status: 503, headers: { 'retry-after': '999999' } },
      unavailable('ISSUER answered HTTP 503', 30_000),
    ],
  ])('that is %s is a failure', async (_what, answer, expected) => {
    const { provider, client } = await bed();
    provider.instead.set('/token', answer);
    const { upstream, message, ...rest } = expected as { upstream?: unknown; message: string };
    const failed = signIn(client, provider);
    expect(await failureOf(failed)).toEqual({ ...rest, message: message.replace('ISSUER', provider.issuer) });
    await expect(failed).rejects.toMatchObject(upstream === undefined ? {} : { upstream });
  });

  test('S-79: that does not come is a provider that is unavailable', async () => {
    const provider = await standIn();
    const { issuer } = provider;
    provider.instead.set('/token', 'nothing');
    const endpoints = { authorization: `${issuer}/authorize`, token: `${issuer}/token` };
    const { client } = clientOf({ endpoints }, { timeout: 200 });
    expect(await failureOf(client.refresh({ refreshToken: 'refresh of ana' }))).toEqual(
      unavailable(`${issuer} did not answer within 200 ms`),
    );
  });

  test('that is awaited ends with the signal of its caller', async () => {
    const { provider, client } = await bed();
    provider.instead.set('/token', 'nothing');
    const { url, attempt } = await client.authorizationUrl({ redirectUri });
    const stop = new AbortController();
    const failed = failureOf(client.exchange({ answer: provider.signIn(url), attempt, signal: stop.signal }));
    await until(() => provider.count('POST /token') === 1);
    stop.abort();
    expect(await failed).toMatchObject({ code: 'cancelled' });
  });

  test('A-11: whatever it repeats, no secret, code or token is in a failure, its causes or the log', async () => {
    const { provider, client, lines } = await bed({ clientSecret: 'hush hush+' });
    const texts: string[] = [];
    const keep = async (work: Promise<unknown>) => {
      const error = await work.catch((failed: unknown) => failed);
      texts.push(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }));
    };
    const secrets = ['hush', 'aHVzaC', 'Y29kZSBvZiBhbm', 'access of ana', 'refresh of ana', 'id.to.ken'];
    secrets.push('code of ana', 'code+of+ana', 'code%20of%20ana');
    const everything = JSON.stringify({
      access_token: 'access of ana',
      refresh_token: 'refresh of ana',
      id_token: 'id.to.ken',
    });
    const said = (error: string, description: string) => ({
      status: 400,
      body: { error, error_description: description },
    });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const sent = ({ form, headers }: AskedOfProvider) =>
      [form['code'], form['refresh_token'], form['code_verifier'], 'hush hush+', headers.authorization].join(' and ');
    const answers: ((asked: AskedOfProvider) => StandInAnswer)[] = [
      () => ({ body: `${everything.slice(0, -1)}, "token_type": "mac" }` }),
      () => ({ body: everything }),
      () => ({ body: everything.slice(0, -1) }),
      () => ({ status: 400, body: everything }),
      () => ({ status: 500, body: everything }),
      (asked) => said('invalid_grant', sent(asked)),
      (asked) => said('invalid_grant', encodeURIComponent(sent(asked))),
      (asked) => said('invalid_grant', new URLSearchParams({ a: sent(asked) }).toString()),
      ({ form }) => said('invalid_grant', base64(form['code'] ?? form['refresh_token']!)),
      ({ headers }) => said('invalid_grant', base64(headers.authorization!.slice(6))),
      ({ form }) => said(form['code'] ?? form['refresh_token']!, 'x'),
      () => said('hush hush+', 'hush%20hush%2B'),
      () => ({ status: 302, headers: { location: 'https://evil.example.test/?code=code+of+ana' } }),
    ];
    for (const answer of answers) {
      provider.instead.set('/token', answer);
      const { url, attempt } = await client.authorizationUrl({ redirectUri });
      secrets.push(attempt.codeVerifier);
      await keep(client.exchange({ answer: provider.signIn(url), attempt }));
      await keep(client.refresh({ refreshToken: 'refresh of ana' }));
    }
    provider.instead.set('/userinfo', { status: 403, body: { error: 'x', error_description: 'access of ana' } });
    await keep(client.userinfo({ accessToken: 'access of ana' }));
    expect(texts.length).toBe(2 * answers.length + 1);
    const encoded = Buffer.from('app:hush+hush%2B').toString('base64');
    const found = texts.flatMap((text) => [...secrets, encoded].filter((each) => text.includes(each)));
    expect(found).toEqual([]);
    expect(lines).toEqual([]);
  });
});
