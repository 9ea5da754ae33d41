import { describe, expect, onTestFinished, test } from 'vitest';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { SoftwareAuthenticator } from '../factors/passkeys/testing/authenticator.ts';
import { ana, authBed, goodPassword } from '../testing/bed.ts';
import { base, comeBack, federated, signIn, start, withProvider } from './testing/journey.ts';

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];

describe('a sign-in', () => {
  test('sends the browser to the provider, and makes an account on its return, which it finds again', async () => {
    const { bed, provider } = await federated();
    const { url, cookie } = await start(bed);
    const { origin, pathname, searchParams } = new URL(url);
    expect([origin + pathname, searchParams.get('redirect_uri')]).toEqual([
      `${provider.issuer}/authorize`,
      `${base}/auth/sso/callback`,
    ]);
    const first = await comeBack(bed, provider.signIn(url), cookie);
    expect(first).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3_600,
        action: 'created',
        provider: 'company',
        user: { id: expect.stringMatching(/^[0-9a-f]{32}$/), email: ana },
      },
      headers: {
        'set-cookie': expect.stringMatching(/^svc_sign_in_[0-9a-f]{16}=; Path=\/auth\/sso\/callback; Max-Age=0;/),
      },
    });
    const again = await signIn(bed, provider);
    expect(again.body).toMatchObject({ action: 'existing', user: first.body.user });
    expect((await bed.ask('me', { token: again.body.access_token })).body).toMatchObject({ email: ana });
    expect(bed.recorded.map(({ event, metadata }) => [event, metadata])).toEqual([
      ['register', { provider: 'company' }],
      ['sso_login', { method: 'company', mfa: false }],
      ['sso_login', { method: 'company', mfa: false }],
    ]);
  });

  test('S-40: PKCE by S256 is always asked for, and the verifier is sent with the code', async () => {
    const { bed, provider } = await federated();
    const { url, cookie } = await start(bed);
    const { searchParams } = new URL(url);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    await comeBack(bed, provider.signIn(url), cookie);
    expect(provider.asked.find(({ request }) => request === 'POST /token')?.form).toMatchObject({
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${base}/auth/sso/callback`,
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.example.test' }],
    ['another client', { aud: 'other' }],
    ['the past', { exp: 1_000 }],
    ['the future', { iat: 4_000_000_000 }],
    ['another sign-in', { nonce: 'other' }],
    ['no one', { sub: '' }],
  ])('S-39: an id_token of %s opens nothing, and its reason is in the log alone', async (_what, claims) => {
    const { bed, provider } = await federated();
    provider.claims = claims;
    expect(codeOf(await signIn(bed, provider))).toEqual([401, 'sso_failed']);
    expect(bed.recorded).toEqual([expect.objectContaining({ event: 'failed_login', success: false })]);
    expect(await bed.system.accounts.byEmail(ana)).toBeUndefined();
  });

  test('an error of the provider is passed on; one that does not answer is another matter', async () => {
    const { bed, provider } = await federated();
    const { url, cookie } = await start(bed);
    const { state = '' } = provider.signIn(url);
    const denied = await comeBack(bed, { state, error: 'access_denied', error_description: 'No.' }, cookie);
    expect([denied.status, denied.body.error]).toEqual([401, { code: 'access_denied', message: 'No.' }]);
    provider.instead.set('/token', 'cut');
    expect(codeOf(await signIn(bed, provider))).toEqual([503, 'provider_unavailable']);
    provider.instead.set('/token', { status: 400, body: { error: 'invalid_grant' } });
    expect(codeOf(await signIn(bed, provider))).toEqual([401, 'sso_failed']);
  });

  test('an unknown provider is refused with the names of those that there are', async () => {
    const { bed } = await federated();
    const { body } = await bed.ask('sso_start', { params: { provider: 'other' } });
    expect(body.error).toEqual({
      code: 'provider_not_found',
      message: 'There is no such identity provider; those here are "company".',
    });
    expect((await bed.ask('social_start', { params: { provider: 'company' } })).status).toBe(302);
  });
});

describe('S-41: what comes back', () => {
  test('is refused without the cookie of the browser that began, and with that of another', async () => {
    const { bed, provider } = await federated();
    const [mine, theirs] = [await start(bed), await start(bed)];
    expect(codeOf(await comeBack(bed, provider.signIn(mine.url), ''))).toEqual([401, 'sso_failed']);
    const again = await start(bed);
    expect(codeOf(await comeBack(bed, provider.signIn(again.url), theirs.cookie))).toEqual([401, 'sso_failed']);
  });

  test('is good once, and only for ten minutes', async () => {
    const { bed, provider } = await federated();
    const { url, cookie } = await start(bed);
    const query = provider.signIn(url);
    const answers = await Promise.all([1, 2, 3].map(() => comeBack(bed, query, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const late = await start(bed);
    bed.clock.pass(600_001);
    expect(codeOf(await comeBack(bed, provider.signIn(late.url), late.cookie))).toEqual([401, 'sso_failed']);
  });

  test('is refused at the address of the other family, and from another issuer', async () => {
    const { bed, provider } = await federated();
    const { url, cookie } = await start(bed);
    const social = await bed.ask('social_callback', { query: provider.signIn(url), headers: { cookie } });
    expect(codeOf(social)).toEqual([401, 'sso_failed']);
    const next = await start(bed);
    const query = { ...provider.signIn(next.url), iss: 'https://evil.example.test' };
    expect(codeOf(await comeBack(bed, query, next.cookie))).toEqual([401, 'sso_failed']);
  });

  test('has 256 bits of state, and is counted where it is wrong', async () => {
    const { bed } = await federated();
    const { url } = await start(bed);
    expect(new URL(url).searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    const guess = async () => codeOf(await comeBack(bed, { state: 'guessed', code: 'x' }, ''));
    for (let failure = 0; failure < 5; failure++) expect(await guess()).toEqual([401, 'sso_failed']);
    expect(await guess()).toEqual([429, 'account_locked']);
    expect(codeOf(await comeBack(bed, { code: 'x' }, ''))).toEqual([400, 'invalid_callback']);
  });
});

test('S-23: of fifty wrong answers of providers at the same time five are refused as wrong, and what was begun ends all the same', async () => {
  const { bed, provider } = await federated();
  const { url, cookie } = await start(bed);
  const guess = async (_: unknown, at: number) =>
    codeOf(await comeBack(bed, { state: `guessed ${at}`, code: 'x' }, cookie))[1];
  const answers = await Promise.all(Array.from({ length: 50 }, guess));
  expect(answers.filter((code) => code === 'sso_failed')).toHaveLength(5);
  expect(answers.filter((code) => code === 'rate_limited')).toHaveLength(45);
  expect(await guess(undefined, 50)).toBe('account_locked');
  expect(await comeBack(bed, provider.signIn(url), cookie)).toMatchObject({ status: 200, body: { action: 'created' } });
});

describe('S-42: an identity and an account with the same address', () => {
  test.each([
    ['neither has verified it', false, false, 'sso_failed'],
    ['the provider alone has', true, false, 'sso_failed'],
    ['the account alone has', false, true, 'sso_failed'],
    ['both have', true, true, undefined],
  ])('%s', async (_what, atProvider, here, code) => {
    const { bed, provider } = await federated();
    const { id } = (await bed.register()).body.user;
    if (here) await bed.system.accounts.update(id, { emailVerified: true }, bed.clock.now());
    provider.claims = { email: ana, email_verified: atProvider };
    const answer = await signIn(bed, provider, 'another');
    expect(codeOf(answer)[1]).toBe(code);
    if (code === undefined) expect(answer.body).toMatchObject({ action: 'linked', user: { id } });
    else expect(await bed.system.accounts.identities.of(id)).toEqual([]);
  });

  test.each(
    ['on_match = "reject"', 'match_by = "none"', 'enabled = false'].flatMap((written) => [
      [`sso {\n linking {\n ${written}\n }\n }`],
      [`account_linking {\n ${written}\n }`],
    ]),
  )('rules of linking can refuse what both have verified: %s', async (written) => {
    const { bed, provider } = await federated(written);
    const { id } = (await bed.register()).body.user;
    await bed.system.accounts.update(id, { emailVerified: true }, bed.clock.now());
    provider.claims = { email: ana, email_verified: true };
    expect(codeOf(await signIn(bed, provider))).toEqual([401, 'sso_failed']);
  });

  test('the subject decides, not the address: of one issuer it is one account', async () => {
    const { bed, provider } = await federated();
    const { user } = (await signIn(bed, provider, 'ana')).body;
    provider.claims = { sub: 'ana', email: 'new@example.test', email_verified: true };
    const moved = (await signIn(bed, provider, 'ana')).body;
    expect(moved).toMatchObject({ action: 'existing', user });
    expect(await bed.system.accounts.identities.of(user.id)).toMatchObject([{ email: 'new@example.test' }]);
  });

  test('one whose account another program removed is made again, with another address too', async () => {
    const { bed, provider } = await federated();
    const { identities } = bed.system.accounts;
    const said = { provider: 'company', issuer: provider.issuer, subject: 'ana', name: '', picture: '' };
    await identities.link('gone', { ...said, email: 'before@example.test', linkedAt: 1, updatedAt: 1 });
    const made = await signIn(bed, provider);
    expect(made).toMatchObject({ status: 200, body: { action: 'created', user: { email: ana } } });
    expect((await identities.find(provider.issuer, 'ana'))?.accountId).toBe(made.body.user.id);
    expect((await signIn(bed, provider)).body).toMatchObject({ action: 'existing', user: made.body.user });
  });

  test('A-02: subjects are the same person when their characters are the same, and only then', async () => {
    const { bed, provider } = await federated();
    const subjects = ['5', '05', '5.0', '+5', ' 5', '5 ', '٥', 'e\u0301', '\u00e9', 'A', 'a', 'a.'];
    const ids = new Map<string, string>();
    const claims = (sub: string) => ({ sub, email: `person${subjects.indexOf(sub)}@example.test` });
    for (const sub of subjects) {
      provider.claims = claims(sub);
      const { body } = await signIn(bed, provider);
      expect([sub, body.action]).toEqual([sub, 'created']);
      ids.set(sub, body.user.id);
    }
    expect(new Set(ids.values()).size).toBe(subjects.length);
    for (const sub of subjects) {
      provider.claims = claims(sub);
      expect((await signIn(bed, provider)).body).toMatchObject({ action: 'existing', user: { id: ids.get(sub) } });
    }
  });

  test('an exact number is the subject', async () => {
    const { bed, provider } = await federated('');
    provider.claims = { sub: '12345678901234567890', email: ana, email_verified: true };
    const { user } = (await signIn(bed, provider)).body;
    expect(await bed.system.accounts.identities.of(user.id)).toMatchObject([{ subject: '12345678901234567890' }]);
  });

  test('of many browsers that come back at once, one makes the account', async () => {
    const { bed, provider } = await federated();
    provider.claims = { sub: 'ana', email: ana, email_verified: true };
    const begun = await Promise.all(Array.from({ length: 8 }, () => start(bed)));
    const nonces = begun.map(({ url }) => new URL(url).searchParams.get('nonce'));
    // Each code is the number of the sign-in that it is of, so that each id_token has its own nonce.
    let number = 0;
    provider.instead.set('/token', async ({ form }) => ({ body: await answered(form['code'] ?? '') }));
    const answered = async (code: string) => ({
      access_token: 'a',
      token_type: 'Bearer',
      id_token: await provider.sign({
        iss: provider.issuer,
        aud: 'app',
        sub: 'ana',
        email: ana,
        email_verified: true,
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 300,
        nonce: nonces[Number(code)],
      }),
    });
    const answers = await Promise.all(
      begun.map(({ url, cookie }) => {
        const state = new URL(url).searchParams.get('state') ?? '';
        return comeBack(bed, { state, code: String(number++) }, cookie);
      }),
    );
    expect(answers.map(({ body }) => body.action).sort()).toEqual(['created', ...Array(7).fill('existing')]);
    expect(new Set(answers.map(({ body }) => body.user?.id)).size).toBe(1);
  });
});

test('S-42: who made an account with the address of another has no way in after that one has reset the password', async () => {
  const { bed, provider } = await federated('hooks {\n on_password_reset {\n flow = flow.f\n }\n }');
  const { access_token: token, user } = (await bed.register()).body;
  const key = new SoftwareAuthenticator(base);
  const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
  await bed.ask('webauthn_register_finish', { token, body: { credential: key.create(begun.body.publicKey) } });
  const link = await bed.ask('link_account', { token, params: { provider: 'company' }, body: {} });
  const cookie = (link.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  await comeBack(bed, provider.signIn(link.body.authorization_url, 'mallory'), cookie);
  expect((await signIn(bed, provider, 'mallory')).status).toBe(428);

  await bed.ask('password_forgot', { body: { email: ana } });
  const reset = bed.hooked.at(-1)?.[1]['reset_token'];
  const changed = await bed.ask('password_reset', { body: { token: reset, new_password: 'Better-Horse-8' } });
  expect(changed.status).toBe(200);
  const options = await bed.ask('webauthn_login_begin', { body: {} });
  const credential = key.get(options.body.publicKey);
  expect(codeOf(await bed.ask('webauthn_login_finish', { body: { credential } }))).toEqual([401, 'invalid_passkey']);
  const theirs = await signIn(bed, provider, 'mallory');
  expect(theirs.body.user?.id).not.toBe(user.id);
  const own = await bed.login('Better-Horse-8');
  expect([own.status, own.body.user]).toEqual([200, expect.objectContaining({ id: user.id, email: ana })]);
  expect(await bed.system.accounts.byId(user.id)).toMatchObject({ emailVerified: true, mfaEnabled: false });
});

describe('linking by who is signed in', () => {
  test('links, shows and ends a link; the last way to sign in stays', async () => {
    const { bed, provider } = await federated();
    const { access_token: token } = (await bed.register()).body;
    const begun = await bed.ask('link_account', { token, params: { provider: 'company' }, body: {} });
    expect(begun.body).toEqual({ authorization_url: expect.any(String), state: expect.any(String) });
    const cookie = (begun.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const linked = await comeBack(bed, provider.signIn(begun.body.authorization_url, 'other'), cookie);
    expect(linked.body).toEqual({
      action: 'linked',
      provider: 'company',
      user: { id: expect.any(String), email: ana },
    });
    const shown = await bed.ask('linked_list', { token });
    expect(shown.body.linked_accounts).toEqual([
      expect.objectContaining({ provider: 'company', email: 'other@example.test' }),
    ]);
    const signedIn = await signIn(bed, provider, 'other');
    expect(signedIn.body).toMatchObject({ action: 'existing', user: { email: ana } });
    const end = () => bed.ask('unlink_account', { token, params: { provider: 'company' } });
    expect((await end()).body).toEqual({ unlinked: 'company' });
    expect(codeOf(await end())).toEqual([404, 'unlink_failed']);
    expect(bed.recorded.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['account_linked', 'account_unlinked']),
    );
    const only = (await signIn(bed, provider, 'bob')).body.access_token;
    expect(codeOf(await bed.ask('unlink_account', { token: only, params: { provider: 'company' } }))).toEqual([
      400,
      'unlink_failed',
    ]);
    // What was refused is not recorded as done.
    expect(bed.recorded.filter(({ event }) => event === 'account_unlinked')).toHaveLength(1);
  });

  test('a link that was begun in a session ends with it', async () => {
    const { bed, provider } = await federated();
    const { access_token: token } = (await bed.register()).body;
    const begun = await bed.ask('link_account', { token, params: { provider: 'company' }, body: {} });
    const cookie = (begun.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    await bed.ask('logout', { token });
    const query = provider.signIn(begun.body.authorization_url, 'other');
    expect(codeOf(await comeBack(bed, query, cookie))).toEqual([401, 'sso_failed']);
  });

  test('an identity of another account is refused', async () => {
    const { bed, provider } = await federated();
    await signIn(bed, provider, 'bob');
    const { access_token: token } = (await bed.register()).body;
    const begun = await bed.ask('link_account', { token, params: { provider: 'company' }, body: {} });
    const cookie = (begun.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const query = provider.signIn(begun.body.authorization_url, 'bob');
    expect(codeOf(await comeBack(bed, query, ''))).toEqual([401, 'sso_failed']);
    const again = await bed.ask('link_account', { token, params: { provider: 'company' }, body: {} });
    const own = (again.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    expect(cookie).not.toBe(own);
    expect(codeOf(await comeBack(bed, provider.signIn(again.body.authorization_url, 'bob'), own))).toEqual([
      409,
      'identity_taken',
    ]);
  });
});

test('S-96: an account whose record is required and cannot be written is not made', async () => {
  const provider = await OpenIdStandIn.start();
  onTestFinished(() => provider.stop());
  const unavailable = () => Promise.reject(new Failure('store_unavailable', 'the records are unavailable'));
  const bed = await authBed(withProvider(provider), { audit: { record: unavailable } });
  expect(codeOf(await signIn(bed, provider))).toEqual([503, 'unavailable']);
  expect(await bed.system.accounts.byEmail(ana)).toBe(undefined);
  expect(await bed.system.accounts.identities.find(provider.issuer, 'ana')).toBe(undefined);
});

test('a factor of the account is asked for after the provider too', async () => {
  const { bed, provider } = await federated();
  const { user } = (await signIn(bed, provider)).body;
  await bed.system.accounts.factors.beginTotp(user.id, 'sealed');
  await bed.system.accounts.factors.confirmTotp(user.id, 'sealed', 1, 1);
  const answer = await signIn(bed, provider);
  expect([answer.status, answer.body]).toEqual([
    428,
    {
      error: { code: 'mfa_required', message: expect.any(String) },
      mfa_token: expect.any(String),
      mfa_methods: ['totp'],
      mfa_expires_at: expect.any(String),
    },
  ]);
});

test('S-23: a lock after wrong passwords holds for providers too', async () => {
  const { bed, provider } = await federated();
  await signIn(bed, provider);
  for (let failure = 0; failure < 5; failure++) await bed.login('Wrong-Horse-7');
  expect(codeOf(await signIn(bed, provider))).toEqual([429, 'account_locked']);
});

test('an account that an administrator locked stays locked', async () => {
  const { bed, provider } = await federated();
  const { user } = (await signIn(bed, provider)).body;
  await bed.system.accounts.update(user.id, { locked: true }, bed.clock.now());
  expect(codeOf(await signIn(bed, provider))).toEqual([403, 'account_disabled']);
});

test('a provider signs in to an account whose password is not known here', async () => {
  const { bed, provider } = await federated();
  await signIn(bed, provider);
  expect(codeOf(await bed.login(goodPassword))).toEqual([401, 'invalid_credentials']);
});
