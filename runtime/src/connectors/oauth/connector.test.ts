import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { app, OpenIdProvider } from '../../../../test/support/servers/openid/provider.ts';
import type { OpenIdStandIn } from '../../../../test/support/servers/openid/stand-in.ts';
import { ask, begin, clientSecret, type Driver, deviceKeys, opened, redirectUri, standIn } from './testing/bed.ts';

/** What an authorization request asks for, without what is random. */
function asked(url: string): Record<string, string> {
  const { origin, pathname, searchParams } = new URL(url);
  const fixed = [...searchParams].filter(([name]) => !['state', 'nonce', 'code_challenge'].includes(name));
  return { at: origin + pathname, ...Object.fromEntries(fixed) };
}

const tokenRequest = ({ asked: all }: OpenIdStandIn) => all.find(({ request }) => request === 'POST /token');
const basic = `Basic ${Buffer.from(`app:${clientSecret.replaceAll(' ', '+')}`).toString('base64')}`;

/** What is the same for all drivers whose provider speaks OpenID Connect, or whose endpoints are those of the double. */
const common = {
  client_id: 'app',
  redirect_uri: redirectUri,
  response_type: 'code',
  code_challenge_method: 'S256',
};

/** A double that speaks as this driver expects. */
async function providerOf(driver: Driver): Promise<OpenIdStandIn> {
  const provider = await standIn();
  if (driver === 'code_host_idp') {
    provider.instead.set('/user', {
      body: '{"id":12345678901234567890,"login":"ana-b","name":null,"email":"shown@example.test","avatar_url":"https://p.test/a.png"}',
    });
    provider.instead.set('/emails', {
      body: [
        { email: 'old@example.test', verified: true, primary: false },
        { email: 'ana@example.test', verified: true, primary: true },
      ],
    });
  }
  return provider;
}

async function connected(driver: Driver, provider: OpenIdStandIn, written: Record<string, unknown> = {}) {
  const connector = await opened(driver, provider.issuer, written);
  const { auth_url: url } = await begin(connector);
  const row = await ask(connector, 'callback', provider.signIn(url));
  return { connector, url, row };
}

const tokens = { access_token: 'access of ana', refresh_token: 'refresh of ana', expires_in: 300 };
const ana = { email: 'ana@example.test', name: '', picture: '' };

describe('a person who connects an account', () => {
  test.each<[Driver, Record<string, string>, Record<string, unknown>]>([
    [
      'web_idp',
      { scope: 'openid email profile', access_type: 'offline', prompt: 'consent' },
      { ...ana, provider_id: 'ana', provider: 'web_idp', email_verified: true },
    ],
    ['oidc', { scope: 'openid email profile' }, { ...ana, provider_id: 'ana', provider: 'oidc', email_verified: true }],
    [
      'code_host_idp',
      { scope: 'read:user user:email' },
      {
        provider_id: '12345678901234567890',
        email: 'ana@example.test',
        name: 'ana-b',
        picture: 'https://p.test/a.png',
        provider: 'code_host_idp',
        email_verified: true,
      },
    ],
    ['custom', {}, { ...ana, provider_id: 'ana', provider: 'custom', email_verified: true }],
  ])('at %s is asked, and answered with who it is and its tokens', async (driver, request, row) => {
    const provider = await providerOf(driver);
    const { url, row: given } = await connected(driver, provider);
    expect(asked(url)).toEqual({ at: `${provider.issuer}/authorize`, ...common, ...request });
    expect(given).toEqual({ ...row, ...tokens });
    const proof = driver !== 'code_host_idp' ? { client_id: undefined } : { client_secret: clientSecret };
    expect(tokenRequest(provider)?.form).toMatchObject({
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      ...(proof.client_secret !== undefined && proof),
    });
    expect(tokenRequest(provider)?.headers.authorization).toBe(proof.client_secret === undefined ? basic : undefined);
  });

  test('at the device maker: the secret is signed, the answer is posted, and the name comes with it', async () => {
    const provider = await standIn();
    provider.claims = { email: 'ana@example.test', email_verified: 'true' };
    const connector = await opened('device_idp', provider.issuer);
    const { auth_url: url } = await begin(connector);
    expect(asked(url)).toEqual({
      at: `${provider.issuer}/authorize`,
      ...common,
      scope: 'openid name email',
      response_mode: 'form_post',
    });
    const user = JSON.stringify({ name: { firstName: 'Ana', lastName: 'B.' } });
    const row = await ask(connector, 'callback', { ...provider.signIn(url), user });
    expect(row).toEqual({
      ...ana,
      provider_id: 'ana',
      name: 'Ana B.',
      provider: 'device_idp',
      email_verified: true,
      ...tokens,
    });
    const { client_secret: secret = '' } = tokenRequest(provider)?.form ?? {};
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY' });
    expect((await jwtVerify(secret, deviceKeys.publicKey)).payload).toMatchObject({
      iss: 'TEAM',
      sub: 'app',
      aud: provider.issuer,
    });
  });

  test('a certified provider: sign-in, profile and new tokens; a code is good once', async () => {
    const provider = await OpenIdProvider.start({ clients: [{ ...app, redirect_uris: [redirectUri] }] });
    onTestFinished(() => provider.stop());
    const connector = await opened('oidc', provider.issuer, {
      name: 'company',
      scopes: ['openid', 'email', 'profile'],
    });
    const { auth_url: url, state } = await begin(connector);
    const back = await provider.signIn(url, 'ana');
    expect(back['state']).toBe(state);
    const row = await ask(connector, 'callback', back);
    const said = {
      email: 'ana@example.test',
      name: 'Name of ana',
      picture: 'https://pictures.example.test/ana.png',
      email_verified: true,
    };
    expect(row).toEqual({
      ...said,
      provider_id: 'ana',
      provider: 'company',
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 600,
    });
    const { access_token, refresh_token } = row;
    expect(await ask(connector, 'userinfo', { access_token, provider_id: 'ana' })).toEqual({ sub: 'ana', ...said });
    const renewed = await ask(connector, 'refresh', { refresh_token, provider_id: 'ana' });
    expect(renewed).toEqual({
      access_token: expect.not.stringContaining(String(access_token)),
      refresh_token: expect.any(String),
      expires_in: 600,
    });
    expect(await ask(connector, 'userinfo', { access_token: renewed['access_token'] })).toMatchObject({ sub: 'ana' });
  });
});

describe('what a provider says of a person', () => {
  test('further names are answered where it says them, and a text "false" is false', async () => {
    const provider = await standIn();
    provider.claims = {
      email: 'ana@example.test',
      email_verified: 'false',
      given_name: 'Ana',
      family_name: 'B.',
      locale: 'de',
      picture: 'javascript:alert(1)',
    };
    const { row } = await connected('oidc', provider);
    expect(row).toEqual({
      ...ana,
      provider_id: 'ana',
      provider: 'oidc',
      ...tokens,
      given_name: 'Ana',
      family_name: 'B.',
      locale: 'de',
      email_verified: false,
    });
  });

  test('an id_token without an address is completed by the profile; without an endpoint for it, it is all there is', async () => {
    const provider = await standIn();
    expect((await connected('oidc', provider)).row).toMatchObject({ email: 'ana@example.test' });
    delete provider.document['userinfo_endpoint'];
    const { row } = await connected('oidc', provider);
    expect(row).toEqual({ ...ana, email: '', provider_id: 'ana', provider: 'oidc', ...tokens });
  });

  test('the numeric id, name and picture of other spellings are read, and a number is exact', async () => {
    const provider = await standIn();
    provider.instead.set('/userinfo', {
      body: '{"id":9007199254740993,"name":"Ana","avatar_url":"https://p.test/a.png"}',
    });
    const { row } = await connected('custom', provider, { name: 'calendar' });
    expect(row).toEqual({
      provider_id: '9007199254740993',
      email: '',
      name: 'Ana',
      picture: 'https://p.test/a.png',
      provider: 'calendar',
      ...tokens,
    });
  });

  test('without an address of profiles nothing is known of the person', async () => {
    const provider = await standIn();
    const { row } = await connected('custom', provider, { userinfo_url: undefined });
    expect(row).toEqual({ provider_id: '', email: '', name: '', picture: '', provider: 'custom', ...tokens });
  });

  test.each([
    ['no verified one', { body: [{ email: 'ana@example.test', verified: false, primary: true }] }],
    ['scopes without them', { status: 404, body: { message: 'Not Found' } }],
  ])('of a list of addresses with %s, the one that the person shows is answered, not as verified', async (_, list) => {
    const provider = await providerOf('code_host_idp');
    provider.instead.set('/emails', list);
    const { row } = await connected('code_host_idp', provider);
    expect(row).toMatchObject({ email: 'shown@example.test' });
    expect(row).not.toHaveProperty('email_verified');
  });

  test('a provider that says neither a time nor a refresh token is read all the same', async () => {
    const provider = await standIn();
    provider.tokens = { expires_in: undefined, refresh_token: undefined };
    const { row, connector } = await connected('oidc', provider);
    expect(row).toMatchObject({ refresh_token: '', expires_in: 0 });
    // The former refresh token is still good.
    expect(await ask(connector, 'refresh', { refresh_token: 'refresh of ana' })).toEqual({
      access_token: 'access of ana',
      refresh_token: 'refresh of ana',
      expires_in: 0,
    });
  });
});

describe('profiles and new tokens', () => {
  test.each<Driver>(['web_idp', 'oidc', 'device_idp', 'code_host_idp', 'custom'])(
    'are there for %s: the profile as it is, and the tokens',
    async (driver) => {
      const provider = await providerOf(driver);
      const connector = await opened(driver, provider.issuer);
      const profile = await ask(connector, 'userinfo', { access_token: 'access of ana' });
      expect(profile).toMatchObject(
        driver === 'code_host_idp'
          ? { id: 12345678901234567890n, login: 'ana-b' }
          : { sub: 'ana', email: 'ana@example.test', email_verified: true },
      );
      expect(await ask(connector, 'refresh', { refresh_token: 'refresh of ana' })).toEqual(tokens);
    },
  );

  test('a destination is given its parameters by the message, those that are written first', async () => {
    const provider = await standIn();
    const connector = await opened('oidc', provider.issuer);
    const { auth_url: url } = await begin(connector);
    const { state, code } = provider.signIn(url);
    // What is not there at times may be given as an empty text.
    const params = { code, iss: '', error: '', error_description: null };
    const request = { params, payload: { code: 'of the message', state, headers: {} } };
    expect(await ask(connector, '', {}, request, { operation: undefined, target: 'Callback' })).toMatchObject({
      provider_id: 'ana',
    });
  });
});

test('at the device maker asks for the scopes that are written', async () => {
  const provider = await standIn();
  const connector = await opened('device_idp', provider.issuer, { scopes: ['email'] });
  expect(asked((await begin(connector)).auth_url)).toMatchObject({ scope: 'openid email' });
});

test('scopes, public clients, and addresses of a provider are those that are written', async () => {
  const provider = await standIn();
  provider.document['token_endpoint_auth_methods_supported'] = ['none'];
  const { url } = await connected('oidc', provider, { client_secret: undefined, scopes: ['email', 'calendar'] });
  expect(asked(url)).toMatchObject({ scope: 'openid email calendar' });
  expect(tokenRequest(provider)).toMatchObject({ form: { client_id: 'app' } });
  expect(tokenRequest(provider)?.headers.authorization).toBeUndefined();
  expect(tokenRequest(provider)?.form).not.toHaveProperty('client_secret');
});
