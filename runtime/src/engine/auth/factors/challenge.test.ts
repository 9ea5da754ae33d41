import { describe, expect, test } from 'vitest';
import { type AuthBed, ana, authBed, goodPassword, quick } from '../testing/bed.ts';
import { enrolled, nextCode, outcome, waiting } from './testing/app.ts';

const verify = (bed: AuthBed, mfa_token: string, code: string, agent = 'test') =>
  bed.ask('mfa_verify', { agent, body: { mfa_token, code } });
const sessionsOf = async (bed: AuthBed, email = ana) => {
  const { id = '' } = (await bed.system.accounts.byEmail(email)) ?? {};
  return (await bed.system.sessions.store.of(id)).length;
};

describe('S-27: a sign-in that waits for a factor', () => {
  test('gives no session and no token, and says what completes it until when', async () => {
    const bed = await authBed(quick());
    await enrolled(bed);
    const before = await sessionsOf(bed);
    const answer = await bed.login(goodPassword);
    expect([answer.status, answer.body]).toEqual([
      428,
      {
        error: { code: 'mfa_required', message: 'A second factor completes this sign-in.' },
        mfa_token: expect.stringMatching(/^[\w-]{43}$/),
        mfa_methods: ['totp', 'recovery_code'],
        mfa_expires_at: new Date(bed.clock.now() + 300_000).toISOString(),
      },
    ]);
    expect(await sessionsOf(bed)).toBe(before);
    expect(answer.headers).toEqual({ 'cache-control': 'no-store' });
    for (const name of ['me', 'mfa_setup', 'mfa_verify'] as const)
      expect(outcome(await bed.ask(name, { token: answer.body.mfa_token, body: { code: '1' } }))).toBe(
        '401 unauthorized',
      );
  });

  test('is completed once, and answers as a sign-in does', async () => {
    const bed = await authBed(quick());
    const { app } = await enrolled(bed);
    const token = await waiting(bed);
    const done = await verify(bed, token, nextCode(bed, app));
    expect([done.status, Object.keys(done.body)]).toEqual([
      200,
      ['user', 'access_token', 'refresh_token', 'token_type', 'expires_in'],
    ]);
    expect(outcome(await bed.ask('me', { token: done.body.access_token }))).toBe('200');
    expect(outcome(await verify(bed, token, nextCode(bed, app)))).toBe('401 invalid_mfa_token');
    const said = bed.recorded
      .filter(({ event }) => event === 'login')
      .map(({ success, metadata }) => [success, metadata]);
    expect(said).toEqual([[true, { method: 'password', mfa: true }]]);
  });

  test('is completed by one of two who prove different factors at once', async () => {
    const bed = await authBed(quick());
    const { app, recoveryCodes } = await enrolled(bed);
    const [token, code] = [await waiting(bed), nextCode(bed, app)];
    const answers = await Promise.all([verify(bed, token, code), verify(bed, token, recoveryCodes[0] as string)]);
    expect(answers.map(outcome).sort()).toEqual(['200', '401 invalid_mfa_token']);
  });

  test('ends after its time, by any clock of day', async () => {
    const bed = await authBed(quick('mfa {\n challenge_ttl = "1m"\n }'));
    const { app } = await enrolled(bed);
    const [token, late] = [await waiting(bed), await waiting(bed)];
    bed.clock.set(-3_600_000);
    bed.clock.set(3_600_000);
    bed.clock.pass(59_000);
    expect(outcome(await verify(bed, token, app.code()))).toBe('200');
    bed.clock.pass(1_000);
    expect(outcome(await verify(bed, late, nextCode(bed, app)))).toBe('401 invalid_mfa_token');
  });

  test('is bound to its account and to its client', async () => {
    const bed = await authBed(quick());
    const { app } = await enrolled(bed);
    const ben = await enrolled(bed, 'ben@example.test');
    const token = await waiting(bed);
    bed.clock.pass(30_000);
    expect(outcome(await verify(bed, token, ben.app.code()))).toBe('401 invalid_mfa_code');
    expect(outcome(await verify(bed, token, ben.recoveryCodes[0] as string))).toBe('401 invalid_mfa_code');
    expect(outcome(await verify(bed, token, app.code(), 'another browser'))).toBe('401 invalid_mfa_token');
    expect(outcome(await verify(bed, `${token.slice(0, -1)}!`, app.code()))).toBe('401 invalid_mfa_token');
    expect(outcome(await verify(bed, token, app.code()))).toBe('200');
  });

  test.each([
    [
      'its password is changed',
      async (bed: AuthBed, token: string) => {
        const body = { current_password: goodPassword, new_password: 'Better-Horse-8' };
        await bed.ask('password_change', { token, body });
      },
      '401 invalid_mfa_token',
    ],
    [
      'its account is locked',
      async (bed: AuthBed) => {
        const account = await bed.system.accounts.byEmail(ana);
        await bed.system.accounts.update(account?.id ?? '', { locked: true }, 0);
      },
      '403 account_disabled',
    ],
    [
      'its account is deleted',
      async (bed: AuthBed) => {
        await bed.system.accounts.delete((await bed.system.accounts.byEmail(ana))?.id ?? '');
      },
      '401 invalid_mfa_token',
    ],
  ] as const)('is refused after %s', async (_what, change, refusal) => {
    const bed = await authBed(quick());
    const { app, token } = await enrolled(bed);
    const pending = await waiting(bed);
    await change(bed, token);
    expect(outcome(await verify(bed, pending, nextCode(bed, app)))).toBe(refusal);
  });

  test.each([
    ['nothing', {}],
    ['no code', { mfa_token: 'x' }],
    ['an empty code', { mfa_token: 'x', code: '' }],
    ['a number for a code', { mfa_token: 'x', code: 123456 }],
    ['a list for a token', { mfa_token: ['x'], code: '123456' }],
    ['a code of many characters', { mfa_token: 'x', code: '1'.repeat(9_000) }],
    ['half a character', { mfa_token: 'x', code: '\ud800' }],
  ])('%s is refused before anything is looked at', async (_what, body) => {
    const bed = await authBed(quick());
    expect(outcome(await bed.ask('mfa_verify', { body }))).toBe('400 invalid_request');
  });

  test.each(['', ' ', '-', '１２３４５６', '1234567', '1e5000', '0x1234', 'A'.repeat(8_000), '٠١٢٣٤٥', '\n123456'])(
    'the code %j proves nothing',
    async (code) => {
      const bed = await authBed(quick());
      await enrolled(bed);
      const answer = await verify(bed, await waiting(bed), code);
      expect(outcome(answer)).toMatch(/^40[01] invalid_(mfa_code|request)$/);
    },
  );

  test('an account whose factors the service no longer checks does not sign in without one', async () => {
    const bed = await authBed(quick());
    await enrolled(bed);
    const off = await authBed(quick('mfa {\n required = "false"\n }', 'development'), {
      accounts: bed.system.accounts,
    });
    expect(outcome(await off.login(goodPassword))).toBe('428 mfa_required');
    const none = await authBed(quick('', 'development'), { accounts: bed.system.accounts });
    expect(outcome(await none.login(goodPassword))).toBe('401 mfa_not_configured');
  });
});

describe('S-27: a factor that is proved again', () => {
  test('is noted in its session, with a code that is not used again', async () => {
    const bed = await authBed(quick());
    const { app, firstCode } = await enrolled(bed);
    bed.clock.pass(60_000);
    const { body } = await verify(bed, await waiting(bed), app.code());
    const provedAt = async () => {
      const [session] = (await bed.system.sessions.store.of(body.user.id)).slice(-1);
      return session?.facts.mfaAt;
    };
    const first = await provedAt();
    expect(first).toBe(bed.clock.now());
    const again = async (code: string) => bed.ask('mfa_verify', { token: body.access_token, body: { code } });
    expect(outcome(await again(app.code()))).toBe('401 invalid_mfa_code');
    expect(outcome(await again(firstCode))).toBe('401 invalid_mfa_code');
    expect(await provedAt()).toBe(first);
    const { status, body: said } = await again(nextCode(bed, app));
    expect([status, said]).toEqual([200, { verified: true }]);
    expect(await provedAt()).toBe(bed.clock.now());
  });

  test('counts like one that completes a sign-in', async () => {
    const bed = await authBed(quick());
    const { token } = await enrolled(bed);
    for (let attempt = 0; attempt < 5; attempt++)
      expect(
        outcome(await bed.ask('mfa_verify', { ip: `198.51.100.${attempt}`, token, body: { code: '000000' } })),
      ).toBe('401 invalid_mfa_code');
    expect(outcome(await bed.ask('mfa_verify', { token, body: { code: '000000' } }))).toBe('429 account_locked');
    const records = bed.recorded.filter(({ event }) => event === 'failed_login');
    expect(records.map(({ reason, email }) => [reason, email])).toEqual([
      ...Array.from({ length: 5 }, () => ['invalid_mfa_code', ana]),
      ['account_locked', ana],
    ]);
  });

  test('is not there for an account without one', async () => {
    const bed = await authBed(quick());
    const { access_token: token } = (await bed.register()).body;
    expect(outcome(await bed.ask('mfa_verify', { token, body: { code: '000000' } }))).toBe('400 mfa_error');
    expect(outcome(await bed.ask('mfa_verify', { body: { code: '000000' } }))).toBe('401 unauthorized');
  });

  test('of an account with a passkey, a recovery code proves it while an app waits to be confirmed', async () => {
    const bed = await authBed(quick());
    const { token, recoveryCodes } = await enrolled(bed);
    const { id } = (await bed.ask('me', { token })).body;
    const { factors } = bed.system.accounts;
    await factors.removeTotp(id);
    const times = { createdAt: 0, lastUsedAt: undefined };
    const kind = { transports: [], aaguid: '', backupEligible: false, backedUp: false };
    await factors.addPasskey(id, { id: 'a', publicKey: 'b', counter: 0, name: 'c', ...kind, ...times }, 10);
    await bed.ask('mfa_setup', { token, body: { password: goodPassword } });
    const proved = await bed.ask('mfa_verify', { token, body: { code: recoveryCodes[0] } });
    expect(proved.body).toEqual({ verified: true, recovery_codes_left: 9 });
  });
});
