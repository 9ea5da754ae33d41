import { describe, expect, test } from 'vitest';
import { endpointTable } from '../endpoints/table.ts';
import { ana, authBed, goodPassword, quick } from '../testing/bed.ts';
import { factorsChanged } from './change.ts';
import { App, enrolled, outcome, waiting } from './testing/app.ts';

describe('S-27: what may be done before a factor is enrolled, and with an expired password', () => {
  const provider = 'oidc "company" {\n issuer = "https://issuer.invalid"\n client_id = "a"\n client_secret = "b"\n }';
  const lines = (required: boolean) =>
    quick(
      `base_url = "https://a.test"\n ${provider}\n security {\n brute_force {\n enabled = false\n }\n }\n mfa {\n required = "${required}"\n ${required ? 'grace_period = "0s"' : ''}\n }`,
    ).replace('password {', 'password {\n max_age = "1h"');
  const open = [...endpointTable.values()].filter(({ signedIn }) => signedIn === false).map(({ name }) => name);
  const passes = {
    password_expired: ['logout', 'password_change'],
    mfa_enrolment_required: ['mfa_setup', 'mfa_verify', 'webauthn_register_begin', 'webauthn_register_finish'],
  };

  /** Every endpoint, with whether it answers who is signed in so. */
  async function passing(required: boolean, isExpired: boolean) {
    const found: string[] = [];
    let code = '';
    for (const endpoint of endpointTable.values()) {
      const bed = await authBed(lines(required));
      const registered = (await bed.register()).body;
      if (isExpired) bed.clock.pass(3_600_000);
      const { access_token: token, refresh_token: refresh } = isExpired
        ? (await bed.login(goodPassword)).body
        : registered;
      const body = { refresh_token: refresh, email: ana, password: goodPassword, code: '1', mfa_token: undefined };
      const answer = await bed.ask(endpoint.name, { token, body, params: { id: 'a'.repeat(32) } });
      if (answer.status === 403 && /^(password_expired|mfa_enrolment_required)$/.test(answer.body.error.code))
        code = answer.body.error.code;
      else found.push(endpoint.name);
    }
    return { code, found: found.filter((name) => !open.includes(name as never) || name === 'refresh').sort() };
  }

  test('every endpoint is served here', async () => {
    const served = new Set((await authBed(lines(true))).places().map((place) => place.split(':')[0]));
    const missing = [...endpointTable.keys()].filter((name) => !served.has(name));
    expect(missing.filter((name) => !open.includes(name))).toEqual([]);
  });

  test.each([
    ['an expired password', false, true, 'password_expired'],
    ['no factor', true, false, 'mfa_enrolment_required'],
    // The password is first: the factor is enrolled with it.
    ['both', true, true, 'password_expired'],
  ] as const)('%s: nothing but what ends it', async (_state, required, isExpired, state) => {
    const expected = passes[state].filter((name) => endpointTable.has(name as never)).sort();
    expect(await passing(required, isExpired)).toEqual({ code: state, found: expected });
  });

  test('a waiting sign-in is completed whatever is in the header', async () => {
    const bed = await authBed(lines(false));
    const { app, token } = await enrolled(bed);
    bed.clock.pass(3_600_000);
    const pending = await waiting(bed);
    const body = { mfa_token: pending, code: app.code() };
    const done = await bed.ask('mfa_verify', { token, body });
    expect([done.status, done.body.password_expired]).toEqual([200, true]);
    expect(outcome(await bed.ask('mfa_verify', { token: done.body.access_token, body: { code: '1' } }))).toBe(
      '403 password_expired',
    );
  });

  test('both: first the password is changed, then a factor is enrolled, then everything is open', async () => {
    const bed = await authBed(lines(true));
    await bed.register();
    bed.clock.pass(3_600_000);
    const { access_token: token } = (await bed.login(goodPassword)).body;
    const me = async () => outcome(await bed.ask('me', { token }));
    expect([await me(), await bed.caller(token)]).toEqual(['403 password_expired', 'password_expired']);
    const changed = { current_password: goodPassword, new_password: 'Better-Horse-8' };
    expect(outcome(await bed.ask('password_change', { token, body: changed }))).toBe('200');
    expect([await me(), await bed.caller(token)]).toEqual(['403 mfa_enrolment_required', 'mfa_enrolment_required']);
    const { body } = await bed.ask('mfa_setup', { token, body: { password: 'Better-Horse-8' } });
    const code = new App(body.provisioning_uri, bed.clock).code();
    expect(outcome(await bed.ask('mfa_verify', { token, body: { code } }))).toBe('200');
    expect([await me(), await bed.caller(token)]).toEqual(['200', expect.objectContaining({ email: ana })]);
  });
});

describe('R-29: who must have a factor', () => {
  const said = async (mfa: string, roles: readonly string[], grace = 'grace_period = "0s"') => {
    const bed = await authBed(quick(`base_url = "https://a.test"\n mfa {\n ${mfa}\n ${grace}\n }`));
    const { user } = (await bed.register()).body;
    await bed.system.accounts.update(user.id, { roles }, 0);
    const { body } = await bed.login(goodPassword);
    return [body.mfa_enrolment_required, body.mfa_factors_wanted, body.mfa_factors_held, body.mfa_grace_until];
  };
  const [must, free] = [
    [true, 1, 0, undefined],
    [undefined, undefined, undefined, undefined],
  ];

  test.each([
    ['required = "true"', [], must],
    ['required = "admin_only"', ['Admin '], must],
    ['required = "admin_only"', ['clerk'], free],
    // A role that is named counts beside the administrators too.
    ['required = "admin_only"\n require_for = ["CLERK"]', ['clerk'], must],
    ['require_for = ["clerk"]', ['clerk'], must],
    ['require_for = ["clerk"]', ['admin'], free],
    ['required = "true"\n require_multiple = true', [], [true, 2, 0, undefined]],
    ['required = "true"\n min_factors = 2', [], [true, 2, 0, undefined]],
  ])('%s, of the roles %j', async (mfa, roles, expected) => {
    expect(await said(mfa, roles)).toEqual(expected);
  });

  test('no one where it is `optional` or `false`', async () => {
    for (const word of ['optional', 'false']) expect(await said(`required = "${word}"`, ['admin'], '')).toEqual(free);
  });

  test('during the time of grace everything is open, and the end of it is said; afterwards nothing is', async () => {
    const bed = await authBed(quick('mfa {\n required = "true"\n grace_period = "2h"\n }'));
    const registered = (await bed.register()).body;
    const { body } = await bed.login(goodPassword);
    const end = Date.parse(registered.user.created_at) + 7_200_000;
    expect([body.mfa_enrolment_required, body.mfa_grace_until]).toEqual([true, new Date(end).toISOString()]);
    const me = async () => outcome(await bed.ask('me', { token: registered.access_token }));
    expect(await me()).toBe('200');
    bed.clock.pass(3_540_000);
    expect(await me()).toBe('200');
    bed.clock.pass(3_660_000);
    // A session that began before it ends: what it may do is looked at by every request.
    expect(await me()).toMatch(/^40[13] /);
    const { access_token: token } = (await bed.login(goodPassword)).body;
    expect(outcome(await bed.ask('me', { token }))).toBe('403 mfa_enrolment_required');
  });

  test('a second factor of two is owed after the first', async () => {
    const bed = await authBed(
      quick('base_url = "https://a.test"\n mfa {\n required = "true"\n min_factors = 2\n grace_period = "0s"\n }'),
    );
    const { token } = await enrolled(bed);
    expect(outcome(await bed.ask('me', { token }))).toBe('403 mfa_enrolment_required');
    const { id } = (await bed.system.accounts.byEmail(ana)) as { id: string };
    const times = { createdAt: 0, lastUsedAt: undefined };
    const kind = { transports: [], aaguid: '', backupEligible: false, backedUp: false };
    await bed.system.accounts.factors.addPasskey(
      id,
      { id: 'a', publicKey: 'b', counter: 0, name: 'c', ...kind, ...times },
      10,
    );
    const account = await bed.system.accounts.byId(id);
    const [session] = await bed.system.sessions.store.of(id);
    await factorsChanged(account as never, session?.id, bed.system);
    expect(outcome(await bed.ask('me', { token }))).toBe('200');
  });
});
