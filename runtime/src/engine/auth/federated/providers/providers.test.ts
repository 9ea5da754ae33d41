import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Certificates, openssl } from '../../../../../../test/support/certificates.ts';
import { OpenIdStandIn } from '../../../../../../test/support/servers/openid/stand-in.ts';
import { type AuthBed, ana, authBed, quick } from '../../testing/bed.ts';
import { base } from '../testing/journey.ts';

async function standIn(): Promise<OpenIdStandIn> {
  const provider = await OpenIdStandIn.start();
  onTestFinished(() => provider.stop());
  return provider;
}

const bedOf = (lines: string) => authBed(`base_url = "${base}"\n${quick(lines)}`);

/** What an authorization request asks for, without what is random. */
function asked(url: string): Record<string, string | null> {
  const { searchParams, origin, pathname } = new URL(url);
  const of = (name: string) => searchParams.get(name);
  return {
    at: origin + pathname,
    client_id: of('client_id'),
    scope: of('scope'),
    redirect_uri: of('redirect_uri'),
    response_mode: of('response_mode'),
  };
}

async function start(bed: AuthBed, family: 'social' | 'sso', provider: string) {
  const { headers } = await bed.ask(`${family}_start`, { params: { provider } });
  const set = headers['set-cookie'] ?? '';
  return { url: headers['location'] ?? '', cookie: set.split(';')[0] ?? '', set };
}

const tokenRequest = (provider: OpenIdStandIn) => provider.asked.find(({ request }) => request.startsWith('POST '));
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

describe('a provider of OpenID Connect', () => {
  test.each([
    ['an `oidc` block', 'sso', 'company', (lines: string) => `oidc "company" {\n ${lines}\n }`],
    [
      'an `oidc` block within `sso`',
      'sso',
      'company',
      (lines: string) => `sso {\n oidc "company" {\n ${lines}\n }\n }`,
    ],
    ['the web provider', 'social', 'web_idp', (lines: string) => `social {\n web_idp {\n ${lines}\n }\n }`],
  ] as const)('%s is asked with what is written of it', async (_what, family, name, block) => {
    const provider = await standIn();
    provider.document['token_endpoint_auth_methods_supported'] = ['client_secret_basic'];
    provider.claims = { aud: 'another app', email: ana, email_verified: true };
    const bed = await bedOf(
      block(
        `issuer = "${provider.issuer}"\n client_id = "another app"\n client_secret = "its secret"\n scopes = ["openid", "email", "groups"]`,
      ),
    );
    const { url, cookie, set } = await start(bed, family, name);
    expect(asked(url)).toEqual({
      at: `${provider.issuer}/authorize`,
      client_id: 'another app',
      scope: 'openid email groups',
      redirect_uri: `${base}/auth/${family}/callback`,
      response_mode: null,
    });
    expect(set).toMatch(
      new RegExp(
        `^svc_sign_in_[0-9a-f]{16}=[\\w-]{43}; Path=/auth/${family}/callback; Max-Age=600; HttpOnly; SameSite=Lax; Secure$`,
      ),
    );
    const answer = await bed.ask(`${family}_callback`, { query: provider.signIn(url), headers: { cookie } });
    expect(answer.body).toMatchObject({ action: 'created', provider: name, user: { email: ana } });
    expect(tokenRequest(provider)?.headers.authorization).toBe(basic('another+app', 'its+secret'));
  });

  test('claims of other names are read, kept in the metadata, and a text "true" is true', async () => {
    const provider = await standIn();
    provider.claims = {
      mail: 'ANA@example.test',
      checked: 'true',
      full: 'Ana B.',
      dept: 'Lending',
      pic: 'javascript:x',
    };
    const claims =
      '{ email = "mail", email_verified = "checked", name = "full", picture = "pic", department = "dept", id = "sub" }';
    const bed = await bedOf(
      `oidc "company" {\n issuer = "${provider.issuer}"\n client_id = "app"\n claims = ${claims}\n }`,
    );
    const { url, cookie } = await start(bed, 'sso', 'company');
    const { body } = await bed.ask('sso_callback', { query: provider.signIn(url), headers: { cookie } });
    expect(await bed.system.accounts.byId(body.user.id)).toMatchObject({
      email: ana,
      emailVerified: true,
      metadata: { name: 'Ana B.', department: 'Lending' },
    });
    expect(await bed.system.accounts.identities.of(body.user.id)).toMatchObject([
      { provider: 'company', issuer: provider.issuer, subject: 'ana', name: 'Ana B.', picture: '' },
    ]);
    // Without a secret the service is a public client.
    expect(tokenRequest(provider)).toMatchObject({ form: { client_id: 'app' } });
    expect(tokenRequest(provider)?.headers.authorization).toBeUndefined();
  });

  test('an id_token without an address is completed by the profile of the same person', async () => {
    const provider = await standIn();
    const bed = await bedOf(`oidc "company" {\n issuer = "${provider.issuer}"\n client_id = "app"\n }`);
    const { url, cookie } = await start(bed, 'sso', 'company');
    const { body } = await bed.ask('sso_callback', { query: provider.signIn(url), headers: { cookie } });
    expect(body).toMatchObject({ action: 'created', user: { email: ana } });
    expect(provider.count('GET /userinfo')).toBe(1);
  });
});

describe('a provider is asked by the method that is written', () => {
  const key = JSON.stringify(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const endpoints = (issuer: string) =>
    `auth_url = "${issuer}/authorize"\n token_url = "${issuer}/token"\n userinfo_url = "${issuer}/user"\n emails_url = "${issuer}/emails"`;
  const blocks = {
    'an `oidc` block': [
      'company',
      (issuer: string, lines: string) => `oidc "company" {\n issuer = "${issuer}"\n ${lines}\n }`,
    ],
    'an `oidc` block within `sso`': [
      'company',
      (issuer: string, lines: string) => `sso {\n oidc "company" {\n issuer = "${issuer}"\n ${lines}\n }\n }`,
    ],
    'the web provider': [
      'web_idp',
      (issuer: string, lines: string) => `social {\n web_idp {\n issuer = "${issuer}"\n ${lines}\n }\n }`,
    ],
    'the code host': [
      'code_host_idp',
      (issuer: string, lines: string) => `social {\n code_host_idp {\n ${endpoints(issuer)}\n ${lines}\n }\n }`,
    ],
  } as const;
  const written = [
    ['basic', 'client_secret = "a:b"', ['authorization']],
    ['post', 'client_secret = "a:b"', ['client_id', 'client_secret']],
    ['private_key_jwt', `client_key = ${key}`, ['client_id', 'client_assertion_type', 'client_assertion']],
    ['none', '', ['client_id']],
  ] as const;
  const rows = Object.entries(blocks).flatMap(([what, [name, block]]) =>
    written.map(([method, lines, shown]) => [what, method, name, block, lines, shown] as const),
  );

  test.each(rows)('%s by %s', async (_what, method, name, block, lines, shown) => {
    const provider = await standIn();
    provider.instead.set('/user', { body: { id: 1 } });
    provider.instead.set('/emails', { body: [] });
    const bed = await bedOf(block(provider.issuer, `client_id = "app"\n client_auth = "${method}"\n ${lines}`));
    const family = name === 'company' ? 'sso' : 'social';
    const { url, cookie } = await start(bed, family, name);
    await bed.ask(`${family}_callback`, { query: provider.signIn(url), headers: { cookie } });
    const { headers, form } = tokenRequest(provider) ?? { headers: {}, form: {} };
    const proof = [...Object.keys(headers), ...Object.keys(form)].filter((each) =>
      /^(authorization|client_.*)$/.test(each),
    );
    expect(proof).toEqual(shown);
  });

  test('a key that cannot be used, and a certificate that cannot be read, keep the service from starting', async () => {
    const block = (lines: string) =>
      bedOf(`oidc "company" {\n issuer = "https://id.example.test"\n client_id = "app"\n ${lines}\n }`);
    await expect(block('client_auth = "private_key_jwt"\n client_key = "missing.pem"')).rejects.toThrow(
      'identity provider "company": the file of client_key cannot be read: ENOENT',
    );
    await expect(block('tls {\n cert = "missing.pem"\n key = "missing.key"\n }')).rejects.toThrow(
      'identity provider "company": tls.',
    );
  });
});

describe.skipIf(openssl === undefined)('a provider over TLS', () => {
  test('is trusted as `tls` says, and shown the certificate that it says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'federated-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const certificates = new Certificates(folder);
    certificates.authority('ca');
    certificates.signed('server', '/CN=server', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
    const read = (name: string) => readFileSync(join(folder, name));
    const material = { cert: read('server.pem'), key: read('server.key'), ca: read('ca.pem') };
    const provider = await OpenIdStandIn.start({
      host: 'localhost',
      tls: { ...material, requestCert: true, rejectUnauthorized: true },
    });
    onTestFinished(() => provider.stop());
    const files = `ca_cert = "${folder}/ca.pem"\n cert = "${folder}/client.pem"\n key = "${folder}/client.key"`;
    const of = (block: string, method = '') =>
      `issuer = "${provider.issuer}"\n client_id = "app"\n ${method}\n tls {\n ${block}\n }`;
    const byTls = of(files, 'client_auth = "tls"');
    const begin = async (lines: string) => {
      const bed = await bedOf(lines);
      return bed.ask('sso_start', { params: { provider: 'company' } });
    };
    expect((await begin(`oidc "company" {\n ${byTls}\n }`)).status).toBe(302);
    expect((await begin(`sso {\n oidc "company" {\n ${byTls}\n }\n }`)).status).toBe(302);
    for (const wrong of [files.split('\n')[0]!, `${files}\n server_name = "other.test"`, `${files}\n enabled = false`])
      expect((await begin(`oidc "company" {\n ${of(wrong)}\n }`)).status).toBe(503);
    const unverified = `${files.replace('/ca.pem', '/client.pem')}\n insecure_skip_verify = true`;
    expect((await begin(`oidc "company" {\n ${of(unverified)}\n }`)).status).toBe(302);
  });
});

describe('the code host', () => {
  const written = ({ issuer }: OpenIdStandIn, further = '') => `social {
    code_host_idp {
      client_id = "app"
      client_secret = "its secret"
      auth_url = "${issuer}/login"
      token_url = "${issuer}/exchange"
      userinfo_url = "${issuer}/user"
      emails_url = "${issuer}/emails"
      ${further}
    }
  }`;
  const emails = [
    { email: 'other@example.test', verified: true, primary: false },
    { email: 'ana@example.test', verified: true, primary: true },
    { email: 'old@example.test', verified: false, primary: false },
  ];

  async function signedIn(list: unknown, further = '') {
    const provider = await standIn();
    provider.instead.set('/exchange', { body: { access_token: 'a', token_type: 'bearer' } });
    provider.instead.set('/user', {
      body: '{"id":12345678901234567890,"login":"ana-b","name":null,"avatar_url":"https://p.test/a.png"}',
    });
    provider.instead.set('/emails', { body: list });
    const bed = await bedOf(written(provider, further));
    const { url, cookie } = await start(bed, 'social', 'code_host_idp');
    const { state = '' } = provider.signIn(url);
    const answer = await bed.ask('social_callback', { query: { state, code: 'c' }, headers: { cookie } });
    return { bed, provider, url, answer };
  }

  test('is asked at the written addresses; its verified primary address and its exact number count', async () => {
    const { bed, provider, url, answer } = await signedIn(emails, 'scopes = ["user:email"]');
    expect(asked(url)).toMatchObject({ at: `${provider.issuer}/login`, client_id: 'app', scope: 'user:email' });
    expect(tokenRequest(provider)).toMatchObject({
      request: 'POST /exchange',
      form: { client_id: 'app', client_secret: 'its secret', code: 'c' },
    });
    expect(
      provider.asked
        .map(({ request }) => request)
        .slice(1)
        .sort(),
    ).toEqual(['GET /emails', 'GET /user']);
    const { id } = answer.body.user;
    expect(await bed.system.accounts.byId(id)).toMatchObject({
      email: ana,
      emailVerified: true,
      metadata: { name: 'ana-b', picture: 'https://p.test/a.png' },
    });
    expect(await bed.system.accounts.identities.of(id)).toMatchObject([{ subject: '12345678901234567890' }]);
  });

  test.each([
    ['no verified address', [emails[2]]],
    ['no list', { message: 'no' }],
  ])('with %s there is no account', async (_what, list) => {
    const { answer } = await signedIn(list);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'sso_failed']);
  });
});

describe('the device maker', () => {
  test('gets a client secret that is signed for it, and posts its answer with the name of the person', async () => {
    const provider = await standIn();
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = JSON.stringify(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const bed = await bedOf(
      `social {\n device_idp {\n issuer = "${provider.issuer}"\n client_id = "app"\n team_id = "TEAM"\n key_id = "KEY"\n private_key = ${pem}\n scopes = ["name"]\n }\n }`,
    );
    expect(bed.places().filter((place) => place.includes('social'))).toEqual([
      'social_start: GET /auth/social/:provider',
      'social_callback: GET /auth/social/callback',
      'social_callback: POST /auth/social/callback',
    ]);
    provider.claims = { email: ana, email_verified: 'true' };
    const { url, cookie, set } = await start(bed, 'social', 'device_idp');
    expect(asked(url)).toMatchObject({ scope: 'openid name', response_mode: 'form_post' });
    expect(set).toMatch(/HttpOnly; SameSite=None; Secure$/);
    const form = { ...provider.signIn(url), user: JSON.stringify({ name: { firstName: 'Ana', lastName: 'B.' } }) };
    const answer = await bed.ask('social_callback', { form, headers: { cookie } });
    expect(answer.body).toMatchObject({ action: 'created', provider: 'device_idp' });
    expect((await bed.system.accounts.byId(answer.body.user.id))?.metadata).toEqual({ name: 'Ana B.' });
    const { client_secret: secret = '' } = tokenRequest(provider)?.form ?? {};
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY' });
    const { payload } = await jwtVerify(secret, publicKey);
    expect(payload).toMatchObject({ iss: 'TEAM', sub: 'app', aud: provider.issuer });
  });
});
