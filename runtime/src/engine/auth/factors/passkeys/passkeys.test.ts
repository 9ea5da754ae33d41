import { describe, expect, test } from 'vitest';
import { type AuthBed, ana, authBed, goodPassword, quick } from '../../testing/bed.ts';
import { type Answering, SoftwareAuthenticator } from './testing/authenticator.ts';

const origin = 'https://library.example.test';
const lines = (webauthn = '') => `base_url = "${origin}"\n${quick(`mfa {\n webauthn {\n ${webauthn}\n }\n }`)}`;

async function signedUp(webauthn = ''): Promise<{ bed: AuthBed; token: string; key: SoftwareAuthenticator }> {
  const bed = await authBed(lines(webauthn));
  const { access_token: token } = (await bed.register()).body;
  return { bed, token, key: new SoftwareAuthenticator(origin) };
}

async function enrol(bed: AuthBed, token: string, key: SoftwareAuthenticator, said: Answering = {}) {
  const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
  expect(begun.status).toBe(200);
  const credential = key.create(begun.body.publicKey, said);
  return {
    credential,
    answer: await bed.ask('webauthn_register_finish', { token, body: { credential, name: 'laptop' } }),
  };
}

async function signIn(bed: AuthBed, key: SoftwareAuthenticator, said: Answering = {}, wanted: object = {}) {
  const begun = await bed.ask('webauthn_login_begin', { body: wanted });
  expect(begun.status).toBe(200);
  return bed.ask('webauthn_login_finish', { body: { credential: key.get(begun.body.publicKey, said) } });
}

describe('enrolment', () => {
  test('needs the password, excludes what is there, and shows the passkey', async () => {
    const { bed, token, key } = await signedUp();
    const refused = async (body: object) => (await bed.ask('webauthn_register_begin', { token, body })).body.error.code;
    expect(await refused({})).toBe('invalid_request');
    expect(await refused({ password: 'Wrong-Horse-7' })).toBe('invalid_password');
    const { answer } = await enrol(bed, token, key);
    const { created_at: createdAt, ...said } = answer.body;
    expect([answer.status, said]).toEqual([
      201,
      expect.objectContaining({ registered: true, id: key.id, name: 'laptop', backed_up: false }),
    ]);
    const listed = await bed.ask('webauthn_credentials', { token });
    expect(listed.body).toEqual({
      credentials: [{ id: key.id, name: 'laptop', created_at: createdAt, backed_up: false }],
    });
    const again = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    expect(again.body.publicKey).toMatchObject({
      rp: { id: 'library.example.test', name: 'library' },
      user: { name: ana, displayName: ana },
      attestation: 'none',
      excludeCredentials: [{ id: key.id, transports: ['internal'], type: 'public-key' }],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      timeout: 60_000,
    });
    expect((await bed.ask('me', { token })).body).toMatchObject({ mfa_enabled: true });
    expect(bed.recorded.at(-1)).toMatchObject({
      event: 'mfa_enabled',
      metadata: { method: 'webauthn' },
    });
  });

  test.each<[string, Answering]>([
    ['another origin', { origin: 'https://evil.example.test' }],
    ['another relying party', { rpId: 'evil.example.test' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['no person', { userPresent: false }],
    ['the other ceremony', { type: 'webauthn.get' }],
    ['an unknown algorithm', { algorithm: -999 }],
    ['a backup that cannot be', { backedUp: true, backupEligible: false }],
    ['a challenge that was not given out', { challenge: 'AAAA' }],
  ])('S-29: %s is refused', async (_what, said) => {
    const { bed, token, key } = await signedUp();
    const { answer } = await enrol(bed, token, key, said);
    expect([answer.status, answer.body.error.code]).toEqual([
      400,
      expect.stringMatching(/^invalid_(response|challenge)$/),
    ]);
    expect((await bed.ask('webauthn_credentials', { token })).body).toEqual({ credentials: [] });
  });

  test('S-29: a challenge is answered once, in time, and by the account that it was given to', async () => {
    const { bed, token, key } = await signedUp();
    const other = (await bed.register('bob@example.test')).body.access_token;
    const { credential } = await enrol(bed, token, key);
    const finish = async (as: string, body: object) =>
      (await bed.ask('webauthn_register_finish', { token: as, body })).body.error.code;
    expect(await finish(token, { credential })).toBe('invalid_challenge');
    const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    const fresh = new SoftwareAuthenticator(origin).create(begun.body.publicKey);
    expect(await finish(other, { credential: fresh })).toBe('invalid_challenge');
    const late = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    bed.clock.pass(91_000);
    expect(await finish(token, { credential: new SoftwareAuthenticator(origin).create(late.body.publicKey) })).toBe(
      'invalid_challenge',
    );
  });

  test('S-29: a passkey of another account is refused', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const other = (await bed.register('bob@example.test')).body.access_token;
    const { answer } = await enrol(bed, other, key);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'passkey_exists']);
    // What was refused is not recorded as done.
    expect(bed.recorded.filter(({ event }) => event === 'mfa_enabled')).toHaveLength(1);
  });
});

describe('a sign-in', () => {
  test('works without an address, with it, and counts as a second factor where the user was verified', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const discovered = await signIn(bed, key);
    expect(discovered).toMatchObject({ status: 200, body: { user: { email: ana }, token_type: 'Bearer' } });
    const named = await signIn(bed, key, { userVerified: false }, { email: 'ANA@example.test' });
    expect(named.status).toBe(200);
    const sessions = await bed.system.sessions.store.of(discovered.body.user.id);
    expect(sessions.map(({ facts }) => facts.mfaAt !== undefined)).toEqual([true, true, false]);
    expect(bed.recorded.filter(({ event }) => event === 'login').map(({ metadata }) => metadata)).toEqual([
      { method: 'webauthn', mfa: true },
      { method: 'webauthn', mfa: false },
    ]);
  });

  test.each<[string, Answering, string?]>([
    ['another origin', { origin: 'https://evil.example.test' }],
    ['another relying party', { rpId: 'evil.example.test' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['no person', { userPresent: false }],
    ['the other ceremony', { type: 'webauthn.create' }],
    ['a user that was not verified', { userVerified: false }, 'user_verification = "required"'],
    ['other flags of backups', { backupEligible: true, backedUp: true }],
    ['the user handle of another account', { userHandle: 'AAAA' }],
    ['a challenge that was not given out', { challenge: 'AAAA' }],
    ['an unknown passkey', { id: 'AAAA' }],
  ])('S-29: %s is refused', async (_what, said, webauthn) => {
    const { bed, token, key } = await signedUp(webauthn);
    await enrol(bed, token, key);
    const answer = await signIn(bed, key, said);
    expect([answer.status, answer.body.error.code]).toEqual(
      said.crossOrigin === true ? [400, 'invalid_response'] : [401, 'invalid_passkey'],
    );
  });

  test('S-29: an assertion is good once, and a counter that goes back tells of a copy', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const begun = await bed.ask('webauthn_login_begin', { body: {} });
    const credential = key.get(begun.body.publicKey);
    const finish = () => bed.ask('webauthn_login_finish', { body: { credential } });
    const answers = await Promise.all([finish(), finish(), finish()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const copied = await signIn(bed, key, { counter: 1 });
    expect([copied.status, copied.body.error.code]).toEqual([401, 'invalid_passkey']);
    expect(bed.recorded.at(-1)).toMatchObject({ event: 'failed_login', reason: 'passkey_cloned' });
    expect((await signIn(bed, key)).status).toBe(200);
  });

  test('S-29: options for addresses without a passkey look like those with one, every time', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const shown = async (email: string) => {
      const { publicKey } = (await bed.ask('webauthn_login_begin', { body: { email } })).body;
      const { challenge: _, allowCredentials, ...rest } = publicKey;
      return { rest, allowCredentials };
    };
    const [real, unknown, again] = [await shown(ana), await shown('eve@example.test'), await shown('eve@example.test')];
    expect(unknown.rest).toEqual(real.rest);
    expect(again).toEqual(unknown);
    expect(unknown.allowCredentials).toEqual([
      { id: expect.stringMatching(/^[\w-]{22,86}$/), transports: expect.any(Array), type: 'public-key' },
    ]);
    const fake = new SoftwareAuthenticator(origin);
    const said = { id: unknown.allowCredentials[0].id, userHandle: 'AAAA' };
    const answer = await signIn(bed, fake, said, { email: 'eve@example.test' });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_passkey']);
  });

  test('locks hold for passkeys too', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    for (let failure = 0; failure < 5; failure++) await signIn(bed, key, { origin: 'https://evil.example.test' });
    expect(bed.recorded.at(-1)).toMatchObject({ event: 'account_locked', email: ana });
    const locked = await signIn(bed, key);
    expect([locked.status, locked.body.error.code]).toEqual([429, 'account_locked']);
  });
});

describe('as a second factor', () => {
  test('an assertion completes a sign-in with the password, once, of the account that waits', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const waiting = await bed.login(goodPassword);
    expect([waiting.status, waiting.body.mfa_methods]).toEqual([428, ['webauthn', 'recovery_code']]);
    const { mfa_token: mfaToken } = waiting.body;
    const begun = await bed.ask('webauthn_login_begin', { body: { mfa_token: mfaToken } });
    expect(begun.body.publicKey.allowCredentials).toMatchObject([{ id: key.id }]);
    const verify = (credential: object) => bed.ask('mfa_verify', { body: { mfa_token: mfaToken, credential } });
    expect((await verify(new SoftwareAuthenticator(origin).get(begun.body.publicKey))).body.error.code).toBe(
      'invalid_mfa_code',
    );
    const again = await bed.ask('webauthn_login_begin', { body: { mfa_token: mfaToken } });
    const credential = key.get(again.body.publicKey);
    const answers = await Promise.all([verify(credential), verify(credential)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({ user: { email: ana } });
  });

  test('an assertion of another account completes nothing', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const other = new SoftwareAuthenticator(origin);
    const theirs = (await bed.register('bob@example.test')).body.access_token;
    await enrol(bed, theirs, other);
    const { mfa_token: mfaToken } = (await bed.login(goodPassword)).body;
    const begun = await bed.ask('webauthn_login_begin', { body: {} });
    const credential = other.get(begun.body.publicKey);
    const answer = await bed.ask('mfa_verify', { body: { mfa_token: mfaToken, credential } });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_mfa_code']);
  });

  test('an assertion in a session is a step-up', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    bed.clock.pass(1_800_000);
    const begun = await bed.ask('webauthn_login_begin', { body: { email: ana } });
    const answer = await bed.ask('mfa_verify', { token, body: { credential: key.get(begun.body.publicKey) } });
    expect(answer.body).toEqual({ verified: true });
    const { id } = (await bed.ask('me', { token })).body;
    const [session] = await bed.system.sessions.store.of(id);
    expect(session?.facts.mfaAt).toBe(bed.clock.now());
  });
});

describe('removal', () => {
  test('needs the password, and leaves a way to sign in', async () => {
    const { bed, token, key } = await signedUp();
    await enrol(bed, token, key);
    const remove = (body: object) => bed.ask('webauthn_remove', { token, params: { id: key.id }, body });
    expect((await remove({})).body).toEqual({ removed: true });
    expect((await remove({ password: goodPassword })).body.error.code).toBe('passkey_not_found');
    expect((await bed.ask('me', { token })).body).not.toHaveProperty('mfa_enabled');
    expect((await signIn(bed, key)).status).toBe(401);
  });
});

test('passkeys are not offered where nothing says for which domain they are', async () => {
  const bed = await authBed(quick('mfa {\n }'));
  expect(bed.places().filter((place) => place.includes('webauthn'))).toEqual([]);
});

test('what is malformed is refused before anything is looked at', async () => {
  const { bed, token } = await signedUp();
  const bad: readonly unknown[] = [
    undefined,
    {},
    { id: 'a b', rawId: 'a b', type: 'public-key', response: {} },
    { id: 'AA', rawId: 'AB', type: 'public-key', response: {} },
    { id: 'AA', rawId: 'AA', type: 'public-key', response: [] },
    { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'AAAA' } },
    { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'A'.repeat(20_000) } },
  ];
  for (const credential of bad) {
    for (const name of ['webauthn_login_finish', 'webauthn_register_finish'] as const)
      expect((await bed.ask(name, { token, body: { credential } })).status).toBe(400);
  }
});

describe('R-29: what is written of passkeys', () => {
  const elsewhere = 'https://login.example.test';

  test('is what the browser is asked for', async () => {
    const { bed, token } = await signedUp(
      'rp_id = "example.test"\n rp_name = "Books"\n attestation = "direct"\n user_verification = "required"\n timeout = 20000',
    );
    const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    expect(begun.body.publicKey).toMatchObject({
      rp: { id: 'example.test', name: 'Books' },
      attestation: 'direct',
      authenticatorSelection: { userVerification: 'required' },
      timeout: 20_000,
    });
    const asked = await bed.ask('webauthn_login_begin', { body: {} });
    expect(asked.body.publicKey).toMatchObject({ rpId: 'example.test', userVerification: 'required', timeout: 20_000 });
  });

  test('timeout is how long a challenge is good for, and half a minute', async () => {
    const { bed, token, key } = await signedUp('timeout = 20000');
    await enrol(bed, token, key);
    const statusAfter = async (milliseconds: number) => {
      const begun = await bed.ask('webauthn_login_begin', { body: {} });
      bed.clock.pass(milliseconds);
      const credential = key.get(begun.body.publicKey);
      return (await bed.ask('webauthn_login_finish', { body: { credential } })).status;
    };
    expect([await statusAfter(49_000), await statusAfter(51_000)]).toEqual([200, 401]);
  });

  test('rp_origins are the pages that may ask, and no other one', async () => {
    const { bed, token } = await signedUp(`rp_id = "example.test"\n rp_origins = ["${elsewhere}"]`);
    const [listed, base] = [new SoftwareAuthenticator(elsewhere), new SoftwareAuthenticator(origin)];
    expect((await enrol(bed, token, base, { rpId: 'example.test' })).answer.status).toBe(400);
    expect((await enrol(bed, token, listed, { rpId: 'example.test' })).answer.status).toBe(201);
    expect((await signIn(bed, listed, { rpId: 'example.test' })).status).toBe(200);
    expect((await signIn(bed, listed, { rpId: 'example.test', origin })).status).toBe(401);
  });

  test.each([
    ['required', [400, 401]],
    ['preferred', [201, 200]],
    ['discouraged', [201, 200]],
  ] as const)('user_verification = "%s" and a user who was not verified', async (written, statuses) => {
    const { bed, token, key } = await signedUp(`user_verification = "${written}"`);
    const unverified = new SoftwareAuthenticator(origin);
    const { answer } = await enrol(bed, token, unverified, { userVerified: false });
    await enrol(bed, token, key);
    expect([answer.status, (await signIn(bed, key, { userVerified: false })).status]).toEqual(statuses);
  });
});
