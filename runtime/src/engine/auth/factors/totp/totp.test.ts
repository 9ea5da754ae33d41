import { describe, expect, test } from 'vitest';
import { newAccount } from '../../accounts/register.ts';
import { startSession } from '../../sessions/start.ts';
import { MemoryAccountStore } from '../../store/memory/accounts.ts';
import { ana, authBed, goodPassword, LeapingClock, quick } from '../../testing/bed.ts';
import { App, enrolled, nextCode, outcome, waiting } from '../testing/app.ts';

const mfa = (lines: string) => quick(`mfa {\n ${lines}\n }`);
const verify = (bed: Awaited<ReturnType<typeof authBed>>, mfa_token: string, code: string) =>
  bed.ask('mfa_verify', { body: { mfa_token, code } });

describe('enrolment', () => {
  test('shows the secret, its address with every parameter, and a picture of it', async () => {
    const bed = await authBed(mfa('totp {\n issuer = "A: B&C"\n }'));
    const { body } = await bed.register('josé+a@example.test');
    const answer = await bed.ask('mfa_setup', { token: body.access_token, body: { password: goodPassword } });
    expect(answer.status).toBe(200);
    const { secret } = answer.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const query = `secret=${secret}&issuer=A%3A%20B%26C&algorithm=SHA1&digits=6&period=30`;
    expect(answer.body).toEqual({
      method: 'totp',
      secret,
      provisioning_uri: `otpauth://totp/A%20%20B%26C:jos%C3%A9%2Ba%40example.test?${query}`,
      qr_code: expect.stringMatching(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/),
    });
    const picture = Buffer.from(answer.body.qr_code.split(',')[1], 'base64');
    // Width and height of the image header (PNG, section 11.2.1).
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([200, 200]);
  });

  test('is begun with the password, which is counted like a sign-in', async () => {
    const bed = await authBed(quick());
    const { access_token: token } = (await bed.register()).body;
    const setup = async (body: object) => outcome(await bed.ask('mfa_setup', { token, body }));
    expect(await setup({})).toBe('400 invalid_request');
    expect(await setup({ password: '' })).toBe('400 invalid_request');
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await setup({ password: 'Wrong-Horse-7' })).toBe('401 invalid_password');
    expect(await setup({ password: goodPassword })).toBe('429 account_locked');
    expect(outcome(await bed.login(goodPassword))).toBe('429 account_locked');
    expect(await bed.system.accounts.factors.totp((await bed.system.accounts.byEmail(ana))?.id ?? '')).toBeUndefined();
  });

  test('records a wrong password of its owner, and the lock that follows, like those of a sign-in', async () => {
    const bed = await authBed(quick());
    const { access_token: token } = (await bed.register()).body;
    const before = bed.recorded.length;
    for (let attempt = 0; attempt < 6; attempt++)
      await bed.ask('mfa_setup', { token, body: { password: 'Wrong-Horse-7' } });
    const wrong = ['failed_login', 'wrong_password', ana];
    expect(bed.recorded.slice(before).map(({ event, reason, email }) => [event, reason, email])).toEqual([
      ...Array.from({ length: 5 }, () => wrong),
      ['account_locked', undefined, ana],
      ['failed_login', 'account_locked', ana],
    ]);
  });

  test('of an account without a password is begun in a young session', async () => {
    const bed = await authBed(quick());
    const account = newAccount(ana, undefined, {}, [], bed.system);
    await bed.system.accounts.create(account);
    const client = { ip: '192.0.2.1', userAgent: 'test', deviceId: undefined };
    const { access_token: token } = await startSession({ account, generation: '' }, client, bed.system);
    const setup = async () => outcome(await bed.ask('mfa_setup', { token, body: {} }));
    expect(await setup()).toBe('200');
    bed.clock.pass(600_000);
    expect(await setup()).toBe('403 session_too_old');
    // A session that begins in the time to come is not young: the clock was set back.
    bed.clock.set(-601_000);
    expect(await setup()).toBe('403 session_too_old');
  });

  test('is begun again until it is confirmed: the last one is confirmed, and not the one before', async () => {
    const bed = await authBed(quick());
    const { access_token: token } = (await bed.register()).body;
    const begin = async () => {
      const { body } = await bed.ask('mfa_setup', { token, body: { password: goodPassword } });
      return new App(body.provisioning_uri, bed.clock);
    };
    expect(outcome(await bed.ask('mfa_verify', { token, body: { code: '000000' } }))).toBe('400 mfa_error');
    const [first, second] = [await begin(), await begin()];
    // Nothing is asked for before it is confirmed.
    expect(outcome(await bed.login(goodPassword))).toBe('200');
    expect(outcome(await bed.ask('mfa_verify', { token, body: { code: first.code() } }))).toBe('401 invalid_mfa_code');
    const confirmed = await bed.ask('mfa_verify', { token, body: { code: second.code() } });
    expect(confirmed.body).toEqual({ enabled: true, recovery_codes: expect.any(Array), note: expect.any(String) });
    expect(outcome(await bed.ask('mfa_setup', { token, body: { password: goodPassword } }))).toBe('400 mfa_error');
    expect((await bed.ask('me', { token })).body).toMatchObject({ mfa_enabled: true, mfa_methods: ['totp'] });
  });

  test('is recorded, also where the code was wrong, and ends other sessions', async () => {
    const bed = await authBed(quick());
    const { access_token: token } = (await bed.register()).body;
    const other = (await bed.login(goodPassword)).body.access_token;
    const { body } = await bed.ask('mfa_setup', { token, body: { password: goodPassword } });
    const app = new App(body.provisioning_uri, bed.clock);
    await bed.ask('mfa_verify', { token, body: { code: app.code(5) } });
    await bed.ask('mfa_verify', { token, body: { code: app.code() } });
    const said = bed.recorded.filter(({ event }) => event === 'mfa_enabled');
    expect(said.map(({ success, reason, metadata, client }) => [success, reason, metadata, client?.ip])).toEqual([
      [false, 'invalid_mfa_code', { method: 'totp' }, '192.0.2.1'],
      [true, undefined, { method: 'totp' }, '192.0.2.1'],
    ]);
    expect([outcome(await bed.ask('me', { token })), outcome(await bed.ask('me', { token: other }))]).toEqual([
      '200',
      '401 unauthorized',
    ]);
  });
});

describe('S-26: codes at a sign-in', () => {
  test('one is accepted once: not twice in its period, and not the one that confirmed the enrolment', async () => {
    const bed = await authBed(quick());
    const { app, firstCode } = await enrolled(bed);
    expect(outcome(await verify(bed, await waiting(bed), firstCode))).toBe('401 invalid_mfa_code');
    expect(outcome(await bed.login(goodPassword, { body: { mfa_code: firstCode } }))).toBe('401 invalid_mfa_code');
    const code = nextCode(bed, app);
    expect(outcome(await verify(bed, await waiting(bed), code))).toBe('200');
    expect(outcome(await verify(bed, await waiting(bed), code))).toBe('401 invalid_mfa_code');
    expect(outcome(await bed.login(goodPassword, { body: { mfa_code: code } }))).toBe('401 invalid_mfa_code');
  });

  test.each([
    [0, [false, false, true, false, false]],
    [1, [false, true, true, true, false]],
    [2, [true, true, true, true, true]],
  ])('skew %i: those of the periods around the present one', async (skew, accepted) => {
    const answers: boolean[] = [];
    for (const periods of [-2, -1, 0, 1, 2]) {
      const bed = await authBed(mfa(`totp {\n skew = ${skew}\n }`));
      const { app } = await enrolled(bed);
      bed.clock.pass(300_000);
      answers.push((await verify(bed, await waiting(bed), app.code(periods))).status === 200);
    }
    expect(answers).toEqual(accepted);
  });

  test('an earlier one after a later one is refused, whatever clocks do', async () => {
    const bed = await authBed(quick());
    const { app } = await enrolled(bed);
    bed.clock.pass(300_000);
    expect(outcome(await verify(bed, await waiting(bed), app.code(1)))).toBe('200');
    expect(outcome(await verify(bed, await waiting(bed), app.code(0)))).toBe('401 invalid_mfa_code');
    // The clock is set back: no code of a time that has been is accepted again. Set right, it continues.
    bed.clock.set(-120_000);
    expect(outcome(await verify(bed, await waiting(bed), app.code()))).toBe('401 invalid_mfa_code');
    bed.clock.set(120_000 + 60_000);
    expect(outcome(await verify(bed, await waiting(bed), app.code()))).toBe('200');
  });

  test('of two at once with one code, one signs in: in one waiting sign-in, in two, and along with the password', async () => {
    const bed = await authBed(quick());
    const { app } = await enrolled(bed);
    const sessions = async () =>
      (await bed.system.sessions.store.of((await bed.system.accounts.byEmail(ana))?.id ?? '')).length;
    const before = await sessions();
    const [one, two] = [await waiting(bed), await waiting(bed)];
    const code = nextCode(bed, app);
    const answers = await Promise.all([
      verify(bed, one, code),
      verify(bed, one, code),
      verify(bed, two, code),
      bed.login(goodPassword, { body: { mfa_code: code } }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect(await sessions()).toBe(before + 1);
  });

  test('after five wrong ones a waiting sign-in ends, and after as many as are configured the account is locked', async () => {
    const bed = await authBed(quick('security {\n brute_force {\n max_attempts = 8\n track_by = "ip+user"\n }\n }'));
    const { app } = await enrolled(bed);
    const wrong = (token: string, ip: string) =>
      bed.ask('mfa_verify', { ip, body: { mfa_token: token, code: '12345' } });
    const first = await waiting(bed);
    // From another address each time: what is counted is the sign-in, and the account.
    for (let attempt = 0; attempt < 5; attempt++)
      expect(outcome(await wrong(first, `198.51.100.${attempt}`))).toBe('401 invalid_mfa_code');
    expect(outcome(await verify(bed, first, nextCode(bed, app)))).toBe('401 invalid_mfa_token');
    const second = await waiting(bed);
    for (let attempt = 0; attempt < 3; attempt++)
      expect(outcome(await wrong(second, `203.0.113.${attempt}`))).toBe('401 invalid_mfa_code');
    const locks = bed.recorded.filter(({ event }) => event === 'account_locked');
    expect(locks.map(({ email, client }) => [email, client?.ip])).toEqual([[ana, '203.0.113.2']]);
    const third = await waiting(bed);
    expect(outcome(await verify(bed, third, nextCode(bed, app)))).toBe('429 account_locked');
    expect(outcome(await bed.login(goodPassword, { body: { mfa_code: app.code() } }))).toBe('429 account_locked');
    bed.clock.pass(15 * 60_000);
    expect(outcome(await verify(bed, await waiting(bed), nextCode(bed, app)))).toBe('200');
  });

  test('of many wrong ones at once no more are looked at than are allowed', async () => {
    const bed = await authBed(quick());
    await enrolled(bed);
    const token = await waiting(bed);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        bed.ask('mfa_verify', { ip: `198.51.100.${at}`, body: { mfa_token: token, code: String(100_000 + at) } }),
      ),
    );
    expect(answers.filter((answer) => outcome(answer) === '401 invalid_mfa_code').length).toBeLessThanOrEqual(5);
    expect(answers.some(({ status }) => status === 200)).toBe(false);
  });

  test('a known password gives no further tries: only a whole sign-in forgets those that were wrong', async () => {
    const bed = await authBed(quick());
    const { app } = await enrolled(bed);
    for (let attempt = 0; attempt < 4; attempt++)
      expect(outcome(await verify(bed, await waiting(bed), '000000'))).toBe('401 invalid_mfa_code');
    expect(outcome(await verify(bed, await waiting(bed), '000000'))).toBe('401 invalid_mfa_code');
    expect(outcome(await bed.login(goodPassword))).toBe('429 account_locked');
    bed.clock.pass(15 * 60_000);
    expect(outcome(await verify(bed, await waiting(bed), nextCode(bed, app)))).toBe('200');
    expect(outcome(await verify(bed, await waiting(bed), '000000'))).toBe('401 invalid_mfa_code');
  });

  test('a wrong one waits as a wrong password does', async () => {
    const bed = await authBed(quick());
    await enrolled(bed);
    const token = await waiting(bed);
    bed.clock.waits.length = 0;
    await verify(bed, token, '000000');
    expect(bed.clock.waits).toHaveLength(1);
    expect(bed.clock.waits[0]).toBeGreaterThanOrEqual(1_125);
  });
});

describe('a secret', () => {
  test('is sealed where it is kept, for its account alone', async () => {
    const accounts = new MemoryAccountStore();
    const bed = await authBed(quick(), { accounts });
    const { app } = await enrolled(bed);
    const ben = await enrolled(bed, 'ben@example.test');
    const [anaId, benId] = [
      (await accounts.byEmail(ana))?.id as string,
      (await accounts.byEmail('ben@example.test'))?.id as string,
    ];
    const kept = await accounts.factors.totp(anaId);
    expect(kept?.secret).toMatch(/^v1\.[\w-]+$/);
    expect(kept?.secret).not.toContain(app.secret);
    // Who can write to the store gives one account the app of another: it does not open.
    await accounts.factors.removeTotp(anaId);
    const other = (await accounts.factors.totp(benId))?.secret as string;
    await accounts.factors.beginTotp(anaId, other);
    await accounts.factors.confirmTotp(anaId, other, 0, 0);
    expect(outcome(await verify(bed, await waiting(bed), nextCode(bed, ben.app)))).toBe('401 invalid_mfa_code');
  });

  test('that was kept with another secret of the service opens nothing, which is logged; recovery codes still sign in', async () => {
    const accounts = new MemoryAccountStore();
    const clock = new LeapingClock();
    const before = await authBed(quick(), { accounts, clock });
    const { app, recoveryCodes } = await enrolled(before);
    const after = await authBed(quick().replace('a secret of', 'another secret of'), { accounts, clock });
    const token = await waiting(after);
    expect(outcome(await verify(after, token, nextCode(after, app)))).toBe('401 invalid_mfa_code');
    expect(after.log.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: the secret of an authenticator app cannot be read: `secret` is not the one that it was kept with',
    ]);
    expect(JSON.stringify(after.log)).not.toContain(app.secret);
    expect(outcome(await verify(after, token, recoveryCodes[0] as string))).toBe('200');
  });

  test('is kept as it is where the service has no secret, and still opens when it has one later', async () => {
    const accounts = new MemoryAccountStore();
    const clock = new LeapingClock();
    const rsa = (lines: string) => quick().replace(/secret = .*/, `algorithm = "RS256"\n ${lines}`);
    const before = await authBed(rsa(''), { accounts, clock });
    const { app } = await enrolled(before);
    expect((await accounts.factors.totp((await accounts.byEmail(ana))?.id as string))?.secret).toBe(
      `v0.SHA1:6:30:${app.secret}`,
    );
    const after = await authBed(rsa('secret = "a secret of at least thirty-two bytes"'), { accounts: accounts, clock });
    await accounts.deleteSigningKey((await accounts.signingKeys())[0]?.id as string);
    expect(outcome(await verify(after, await waiting(after), nextCode(after, app)))).toBe('200');
  });

  test('keeps how its codes are made: another setting is for new enrolments', async () => {
    const accounts = new MemoryAccountStore();
    const clock = new LeapingClock();
    const form = 'totp {\n algorithm = "SHA256"\n digits = 8\n period = 60\n }';
    const before = await authBed(mfa(form), { accounts, clock });
    const { app, firstCode } = await enrolled(before);
    expect([firstCode.length, app.period]).toEqual([8, 60]);
    const after = await authBed(quick(), { accounts, clock });
    expect(outcome(await verify(after, await waiting(after), nextCode(after, app)))).toBe('200');
    const { app: other, firstCode: short } = await enrolled(after, 'ben@example.test');
    expect([short.length, other.period]).toEqual([6, 30]);
  });
});

describe('removing the app', () => {
  test('takes the password: then nothing is asked for, and recovery codes, waiting sign-ins and other sessions end', async () => {
    const bed = await authBed(quick());
    const { app, token, recoveryCodes } = await enrolled(bed);
    const other = (await verify(bed, await waiting(bed), nextCode(bed, app))).body.access_token;
    const pending = await waiting(bed);
    const disable = async (body: object) => outcome(await bed.ask('mfa_disable', { token, body }));
    expect(await disable({})).toBe('400 invalid_request');
    expect(await disable({ password: 'Wrong-Horse-7' })).toBe('401 invalid_password');
    const removed = await bed.ask('mfa_disable', { token, body: { password: goodPassword } });
    expect([removed.status, removed.body]).toEqual([200, { enabled: false }]);
    expect(await disable({ password: goodPassword })).toBe('400 mfa_error');
    expect((await bed.ask('me', { token })).body).not.toHaveProperty('mfa_enabled');
    expect(outcome(await bed.ask('me', { token: other }))).toBe('401 unauthorized');
    expect(outcome(await verify(bed, pending, recoveryCodes[0] as string))).toBe('401 invalid_mfa_token');
    const signedIn = await bed.login(goodPassword);
    expect([signedIn.status, signedIn.body.user.mfa_enabled]).toEqual([200, undefined]);
    const id = signedIn.body.user.id;
    expect(await bed.system.accounts.factors.recoveryCodes(id)).toEqual([]);
    expect(
      bed.recorded.filter(({ event }) => event === 'mfa_disabled').map(({ success, metadata }) => [success, metadata]),
    ).toEqual([[true, { method: 'totp' }]]);
  });

  test('leaves the account with a factor while it has a passkey', async () => {
    const bed = await authBed(quick());
    const { token, recoveryCodes } = await enrolled(bed);
    const { id } = (await bed.ask('me', { token })).body;
    const passkey = {
      id: 'a',
      publicKey: 'b',
      counter: 0,
      name: 'c',
      transports: [],
      aaguid: '',
      backupEligible: false,
      backedUp: false,
      createdAt: 0,
      lastUsedAt: undefined,
    };
    await bed.system.accounts.factors.addPasskey(id, passkey, 10);
    expect(outcome(await bed.ask('mfa_disable', { token, body: { password: goodPassword } }))).toBe('200');
    expect((await bed.ask('me', { token })).body).toMatchObject({ mfa_enabled: true, mfa_methods: ['webauthn'] });
    expect((await bed.login(goodPassword)).body).toMatchObject({
      error: { code: 'mfa_required' },
      mfa_methods: ['webauthn', 'recovery_code'],
    });
    expect(await bed.system.accounts.factors.recoveryCodes(id)).toHaveLength(recoveryCodes.length);
  });
});
