import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { OpenIdStandIn, type StandInAnswer } from '../../../../test/support/servers/openid/stand-in.ts';
import { until } from '../../../../test/support/until.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { ask, begin, clientSecret, type Driver, make, opened, refusal, standIn } from './testing/bed.ts';

const login = async (driver: Driver = 'oidc', written: Record<string, unknown> = {}) => {
  const provider = await standIn();
  return { provider, connector: await opened(driver, provider.issuer, written) };
};

const page = { body: '<html>Maintenance</html>', headers: { 'content-type': 'text/html' } };
const huge = { body: { access_token: 'a'.repeat(8_000_000) } };
const cut = 'provider_unavailable';

describe('a token endpoint', () => {
  test.each<[string, StandInAnswer, string, boolean]>([
    ['is silent', 'nothing', cut, true],
    ['cuts the connection', 'cut', cut, true],
    ['never ends', 'endless', 'connector_failed', false],
    ['answers a page', page, 'connector_failed', false],
    ['answers more than it may', huge, 'connector_failed', false],
    ['answers a list', { body: [] }, 'connector_failed', false],
    ['has a fault', { status: 503, body: page.body }, cut, true],
    [
      'redirects to another one',
      { status: 307, headers: { location: 'https://evil.example.test/' } },
      'connector_failed',
      false,
    ],
    [
      'gives a token that cannot be sent',
      { body: { access_token: 'a\nb', token_type: 'Bearer' } },
      'connector_failed',
      false,
    ],
    ['refuses this service', { status: 401, body: { error: 'invalid_client' } }, 'upstream_error', false],
    [
      'says that the grant has ended',
      { status: 400, body: { error: 'invalid_grant' } },
      'authentication_required',
      false,
    ],
    ['says so with a good status', { body: { error: 'invalid_grant' } }, 'authentication_required', false],
  ])('that %s', async (_, answer, code, retriable) => {
    const { provider, connector } = await login('oidc', { timeout: 300 });
    const { auth_url: url } = await begin(connector);
    const back = provider.signIn(url);
    provider.instead.set('/token', answer);
    // Another try could not say the state again.
    expect((await refusal(ask(connector, 'callback', back))).slice(0, 2)).toEqual([code, false]);
    const renewed = await refusal(ask(connector, 'refresh', { refresh_token: 'refresh of ana' }));
    expect(renewed.slice(0, 2)).toEqual([code, retriable]);
    provider.instead.clear();
    expect((await refusal(ask(connector, 'callback', back)))[0]).toBe('input_refused');
    expect(await ask(connector, 'refresh', { refresh_token: 'refresh of ana' })).toMatchObject({ expires_in: 300 });
  });

  test('whose fault says when to come back is asked no earlier by those who can', async () => {
    const { provider, connector } = await login();
    provider.instead.set('/token', { status: 429, headers: { 'retry-after': '7' } });
    const failure = await ask(connector, 'refresh', { refresh_token: 'r' }).catch((error: Failure) => error);
    expect(failure).toMatchObject({ code: cut, retriable: true, retryAfter: 7_000 });
  });

  test('is sent no second request for what was cut: a refresh token may be good once', async () => {
    const { provider, connector } = await login();
    provider.instead.set('/token', 'cut');
    await refusal(ask(connector, 'refresh', { refresh_token: 'refresh of ana' }));
    expect(provider.count('POST /token')).toBe(1);
  });
});

describe('S-39: an id_token', () => {
  test.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.example.test' }],
    ['another client', { aud: 'other' }],
    ['several, of which another one asked', { aud: ['app', 'other'], azp: 'other' }],
    ['the past', { exp: 1_000 }],
    ['the future', { iat: 4_000_000_000 }],
    ['another sign-in', { nonce: 'other' }],
    ['no sign-in', { nonce: undefined }],
    ['no person', { sub: '' }],
  ])('of %s connects nothing', async (_, claims) => {
    const { provider, connector } = await login();
    provider.claims = claims;
    const { auth_url: url } = await begin(connector);
    expect((await refusal(ask(connector, 'callback', provider.signIn(url)))).slice(0, 2)).toEqual([
      'connector_failed',
      false,
    ]);
  });

  test('without a signature, signed with the client secret, or absent, connects nothing', async () => {
    const { provider, connector } = await login();
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['none', 'HS256']) {
      provider.idToken = (claims) => `${part({ alg })}.${part(claims)}.${alg === 'none' ? '' : 'c2lnbmF0dXJl'}`;
      const { auth_url: url } = await begin(connector);
      expect((await refusal(ask(connector, 'callback', provider.signIn(url))))[0]).toBe('connector_failed');
    }
    provider.idToken = undefined;
    provider.tokens = { id_token: undefined };
    const { auth_url: url } = await begin(connector);
    expect((await refusal(ask(connector, 'callback', provider.signIn(url))))[2]).toContain('no id_token');
  });
});

describe('a profile', () => {
  test('of another person, or without a subject, is refused', async () => {
    const { provider, connector } = await login();
    const params = { access_token: 'access of eve', provider_id: 'ana' };
    expect((await refusal(ask(connector, 'userinfo', params))).slice(0, 2)).toEqual(['connector_failed', false]);
    // The id_token names no address, so that the profile is asked for it.
    provider.instead.set('/userinfo', { body: { sub: 'eve', email: 'ana@example.test' } });
    const { auth_url: url } = await begin(connector);
    expect((await refusal(ask(connector, 'callback', provider.signIn(url))))[2]).toContain('that of another user');
    const own = await login('custom');
    own.provider.instead.set('/userinfo', { body: { email: 'ana@example.test' } });
    const { auth_url: other } = await begin(own.connector);
    expect(await refusal(ask(own.connector, 'callback', own.provider.signIn(other)))).toEqual([
      'connector_failed',
      false,
      'the profile of the person names no subject',
    ]);
  });

  test('for an access token that has ended is another matter than one that is not there', async () => {
    const { provider, connector } = await login();
    expect((await refusal(ask(connector, 'userinfo', { access_token: 'ended' }))).slice(0, 2)).toEqual([
      'authentication_required',
      false,
    ]);
    provider.instead.set('/userinfo', { status: 403, body: {} });
    expect((await refusal(ask(connector, 'userinfo', { access_token: 'a' })))[0]).toBe('upstream_error');
    provider.instead.set('/userinfo', page);
    expect((await refusal(ask(connector, 'userinfo', { access_token: 'a' })))[0]).toBe('connector_failed');
    delete provider.document['userinfo_endpoint'];
    const { connector: without } = { connector: await opened('oidc', provider.issuer) };
    expect((await refusal(ask(without, 'userinfo', { access_token: 'a' })))[2]).toContain('no endpoint for profiles');
  });

  test('of a person who was refreshed to another one is refused', async () => {
    const { connector } = await login();
    const params = { refresh_token: 'refresh of eve', provider_id: 'ana' };
    expect((await refusal(ask(connector, 'refresh', params))).slice(0, 2)).toEqual(['connector_failed', false]);
  });
});

describe('a document that cannot be read', () => {
  test('keeps nothing from starting, is warned of once, and is not asked for by each call', async () => {
    const port = await freePort();
    const lines: LogLine[] = [];
    const services = connectorServices({ log: recordingLog(lines) });
    const connector = await opened('oidc', `http://127.0.0.1:${port}`, {}, services);
    const all = await Promise.all(Array.from({ length: 50 }, () => refusal(begin(connector))));
    expect(all.map(([code, retriable]) => [code, retriable])).toEqual(all.map(() => [cut, true]));
    expect(lines.filter(({ level }) => level !== 'debug').map(({ level }) => level)).toEqual(['warn']);
    const failure = await begin(connector).catch((error: Failure) => error);
    expect((failure as Failure).retryAfter).toBeGreaterThan(0);

    const provider = await OpenIdStandIn.start({ port });
    onTestFinished(() => provider.stop());
    const { auth_url: url } = await until(() => begin(connector));
    expect(provider.count('GET /.well-known/openid-configuration')).toBe(1);
    expect(await ask(connector, 'callback', provider.signIn(url))).toMatchObject({ provider_id: 'ana' });
    expect(lines.filter(({ level }) => level === 'info')).toHaveLength(1);
  });

  test('ends no sign-in that was begun before: it can be ended when the provider is there', async () => {
    const provider = await standIn();
    const connector = make('oidc', provider.issuer);
    const { signal } = new AbortController();
    await connector.open(signal);
    const { auth_url: url } = await begin(connector);
    await connector.close();
    provider.instead.set('/.well-known/openid-configuration', page);
    await connector.open(signal);
    onTestFinished(() => connector.close());
    expect((await refusal(ask(connector, 'callback', provider.signIn(url)))).slice(0, 2)).toEqual([cut, true]);
    expect(await connector.check?.(signal)).toContain('its document');
    provider.instead.clear();
    expect(await until(() => ask(connector, 'callback', provider.signIn(url)))).toMatchObject({ provider_id: 'ana' });
    expect(await connector.check?.(signal)).toBeUndefined();
  });
});

test('a key that cannot be used is refused before the service starts, and not shown', () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nnotakey\n-----END PRIVATE KEY-----';
  const making = () => make('device_idp', 'https://id.example.test', { private_key: pem });
  expect(making).toThrow('the key that client secrets are signed with is not a private key in PEM');
  expect(making).not.toThrow('notakey');
});

test('A-11: no secret, code, verifier or token is in a log, an error or what is kept', async () => {
  const lines: LogLine[] = [];
  const provider = await standIn();
  const services = connectorServices({ log: recordingLog(lines) });
  const connector = await opened('oidc', provider.issuer, { timeout: 300 }, services);
  const errors: unknown[] = [];
  const echoed = { status: 400, body: { error: 'invalid_grant', error_description: 'what was sent' } };
  const answers: (StandInAnswer | ((asked: { form: Readonly<Record<string, string>> }) => StandInAnswer))[] = [
    'nothing',
    'cut',
    page,
    echoed,
    ({ form }) => ({ status: 400, body: { error: 'bad', error_description: JSON.stringify(form) } }),
    ({ form }) => ({ status: 400, body: { error: String(form['code'] ?? form['refresh_token']) } }),
  ];
  for (const answer of answers) {
    provider.instead.set('/token', answer);
    const { auth_url: url, state } = await begin(connector);
    provider.signIn(url);
    errors.push(await ask(connector, 'callback', { state, code: 'code-canary' }).catch((error: unknown) => error));
    errors.push(await ask(connector, 'refresh', { refresh_token: 'refresh-canary' }).catch((error: unknown) => error));
    provider.instead.set('/userinfo', answer);
    errors.push(await ask(connector, 'userinfo', { access_token: 'access-canary' }).catch((error: unknown) => error));
  }
  expect(errors.every((error) => error instanceof Error)).toBe(true);
  const shown = inspect([errors, lines], { depth: 20, maxStringLength: 100_000 });
  const verifiers = provider.asked.flatMap(({ form }) => form['code_verifier'] ?? []);
  expect(verifiers).toHaveLength(answers.length);
  const secrets = [clientSecret, encodeURIComponent(clientSecret), 'code-canary', 'refresh-canary', 'access-canary'];
  for (const secret of [...secrets, ...verifiers]) expect(shown).not.toContain(secret);
});
