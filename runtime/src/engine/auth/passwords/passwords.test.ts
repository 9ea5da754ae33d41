import { describe, expect, test } from 'vitest';
import type { Account, AccountStore } from '../store/accounts.ts';
import { ana, authBed, cheapHash, goodPassword, quick } from '../testing/bed.ts';

const password = (lines: string, more = '') =>
  quick(more).replace(/password \{[^}]*\}/, `password {\n ${cheapHash}\n ${lines}\n }`);
const better = 'Better-Horse-8';
const hooks = 'hooks {\n on_password_reset {\n flow = flow.f\n }\n after_password_change {\n flow = flow.f\n }\n }';
const day = 86_400_000;

describe('a password', () => {
  test('is changed by who knows it, and the old one is void', async () => {
    const { ask, register, login, recorded } = await authBed(quick());
    const { access_token: token } = (await register()).body;
    const change = (current_password: string, new_password: string) =>
      ask('password_change', { token, body: { current_password, new_password } });
    expect((await change('Wrong-Horse-7', better)).body.error.code).toBe('invalid_password');
    expect((await change(goodPassword, 'short')).body.error.code).toBe('weak_password');
    expect((await change(goodPassword, goodPassword)).body.error.code).toBe('password_reused');
    expect((await change(goodPassword, better)).status).toBe(200);
    expect((await login(goodPassword)).status).toBe(401);
    expect((await login(better)).status).toBe(200);
    const changes = recorded.filter(({ event }) => event === 'password_change');
    expect(changes.map(({ success, reason }) => [success, reason])).toEqual([
      [false, 'invalid_password'],
      [false, 'weak_password'],
      [false, 'password_reused'],
      [true, undefined],
    ]);
  });

  test('R-29: differs from the last ones', async () => {
    const { ask, register } = await authBed(password('history = 2'));
    const { access_token: token } = (await register()).body;
    let current = goodPassword;
    const change = async (wanted: string) => {
      const body = { current_password: current, new_password: wanted };
      const answer = await ask('password_change', { token, body });
      if (answer.status === 200) current = wanted;
      return answer.status === 200 ? 'changed' : answer.body.error.code;
    };
    expect(await change(better)).toBe('changed');
    expect(await change(goodPassword)).toBe('password_reused');
    expect(await change('Third-Horse-9')).toBe('changed');
    expect(await change(better)).toBe('password_reused');
    expect(await change(goodPassword)).toBe('changed');
  });

  test('R-29: expires: flows and endpoints answer 403 until it is changed', async () => {
    const bed = await authBed(
      password(
        'max_age = "30d"\n warn_before = "5d"',
        'sessions {\n idle_timeout = "90d"\n absolute_timeout = "90d"\n }',
      ).replace('jwt {', 'jwt {\n access_lifetime = "90d"\n refresh_lifetime = "90d"'),
    );
    const { access_token: token } = (await bed.register()).body;
    expect((await bed.login(goodPassword)).body.password_expires_at).toBeUndefined();
    bed.clock.pass(26 * day);
    expect((await bed.login(goodPassword)).body).toMatchObject({ password_expires_at: '2030-01-31T00:00:00.000Z' });
    expect(await bed.caller(token)).toMatchObject({ email: ana });
    bed.clock.pass(5 * day);
    expect(await bed.caller(token)).toBe('password_expired');
    const signedIn = await bed.login(goodPassword);
    expect(signedIn.body).toMatchObject({ password_expired: true, password_expires_at: '2030-01-31T00:00:00.000Z' });
    const { access_token: fresh, refresh_token } = signedIn.body;
    const answers = await Promise.all([
      bed.ask('me', { token: fresh }),
      bed.ask('sessions_list', { token: fresh }),
      bed.ask('refresh', { body: { refresh_token } }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, 'password_expired'],
      [403, 'password_expired'],
      [403, 'password_expired'],
    ]);
    const body = { current_password: goodPassword, new_password: better };
    expect((await bed.ask('password_change', { token: fresh, body })).status).toBe(200);
    expect(await bed.caller(fresh)).toMatchObject({ email: ana });
    expect((await bed.login(better)).body.password_expires_at).toBeUndefined();
  });

  test('of two changes at the same time one wins', async () => {
    const { ask, register, login } = await authBed(quick());
    const { access_token: token } = (await register()).body;
    const wanted = [better, 'Third-Horse-9'];
    const answers = await Promise.all(
      wanted.map((new_password) =>
        ask('password_change', { token, body: { current_password: goodPassword, new_password } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    const winner = wanted[answers.findIndex(({ status }) => status === 200)] as string;
    expect((await login(winner)).status).toBe(200);
  });

  test('of an older kind is accepted, and hashed again', async () => {
    const { system, login, clock } = await authBed(quick());
    const old = '$2b$04$abcdefghijklmnopqrstuuDWDKeLK9yyrmYxRkX6iPzgHFCYIWqSO';
    const { hashSync } = await import('bcryptjs');
    const legacy = hashSync(goodPassword, 4);
    const account = {
      id: '1'.repeat(32),
      email: ana,
      passwordHash: legacy,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      passwordChangedAt: undefined,
      roles: [],
      mfaEnabled: false,
      emailVerified: false,
      metadata: {},
      lastLoginAt: undefined,
      locked: false,
    };
    await system.accounts.create(account);
    await system.accounts.create({ ...account, id: '2'.repeat(32), email: 'other@example.test', passwordHash: old });
    expect((await login(goodPassword)).status).toBe(200);
    expect((await system.accounts.byEmail(ana))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=1,p=1\$/);
    expect((await login(goodPassword)).status).toBe(200);
    expect((await login(goodPassword, { email: 'other@example.test' })).status).toBe(401);
  });
});

describe('a forgotten password', () => {
  const forgotten = async (lines = hooks) => {
    const bed = await authBed(quick(`base_url = "https://shop.example.test"\n ${lines}`));
    const { body } = await bed.register();
    await bed.ask('password_forgot', { body: { email: ana }, headers: { host: 'evil.test' } });
    const fields = bed.hooked.find(([name]) => name === 'on_password_reset')?.[1] ?? {};
    return { ...bed, fields, account: body, token: String(fields['reset_token']) };
  };

  test('S-25: is set once with a token that only the hook gets, and every session ends', async () => {
    const bed = await forgotten();
    expect(bed.fields).toEqual({
      event: 'on_password_reset',
      user_id: bed.account.user.id,
      email: ana,
      reset_token: expect.stringMatching(/^[\w-]{43}$/),
      reset_url: `https://shop.example.test/reset-password#token=${bed.token}`,
      expires_at: '2030-01-01T01:00:00.000Z',
      ip: '192.0.2.1',
      user_agent: 'test',
    });
    const reset = (new_password: string, token = bed.token) =>
      bed.ask('password_reset', { body: { token, new_password } });
    expect((await reset('short')).body.error.code).toBe('weak_password');
    expect((await reset(goodPassword)).body.error.code).toBe('password_reused');
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(better)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await reset('Third-Horse-9')).body.error.code).toBe('invalid_reset_token');
    expect(await bed.caller(bed.account.access_token)).toBeUndefined();
    expect((await bed.login(better)).status).toBe(200);
    const shown = JSON.stringify([bed.log, bed.recorded]);
    expect(shown).not.toContain(bed.token);
    expect(shown).not.toContain(better);
  });

  test('S-25: has one token at a time, which ends with its time, and with a change of the password', async () => {
    const bed = await forgotten();
    const latest = () => String(bed.hooked.filter(([name]) => name === 'on_password_reset').at(-1)?.[1]['reset_token']);
    const reset = async (token: string) =>
      (await bed.ask('password_reset', { body: { token, new_password: better } })).status;
    await bed.ask('password_forgot', { body: { email: ana } });
    expect(await reset(bed.token), 'an earlier one').toBe(401);
    bed.clock.pass(3_600_001);
    expect(await reset(latest()), 'an old one').toBe(401);
    await bed.ask('password_forgot', { body: { email: ana } });
    const { access_token: token } = (await bed.login(goodPassword)).body;
    const change = { current_password: goodPassword, new_password: 'Third-Horse-9' };
    expect((await bed.ask('password_change', { token, body: change })).status).toBe(200);
    expect(await reset(latest()), 'one from before a change').toBe(401);
  });

  test.each<[string, (accounts: AccountStore, account: Account, at: number) => Promise<unknown>]>([
    [
      'another password',
      (accounts, { id, passwordHash: expected }, changedAt) =>
        accounts.setPassword(id, { hash: '$argon2id$of-another-password', changedAt, keep: 0, expected }),
    ],
    ['another address', (accounts, { id }, at) => accounts.update(id, { email: 'eve@example.test' }, at)],
    [
      'another account with its id',
      async (accounts, account) => {
        await accounts.delete(account.id);
        await accounts.create({ ...account, email: 'eve@example.test' });
      },
    ],
  ])('S-25: sets no password when something else gave its account %s', async (_what, change) => {
    const bed = await forgotten();
    const { accounts } = bed.system;
    await change(accounts, (await accounts.byEmail(ana)) as Account, bed.clock.now());
    const { status, body } = await bed.ask('password_reset', { body: { token: bed.token, new_password: better } });
    expect([status, body.error.code]).toEqual([401, 'invalid_reset_token']);
  });

  test('S-22: is answered in the same way with and without an account, and without waiting for the hook', async () => {
    const bed = await authBed(quick(hooks), { failing: ['on_password_reset'] });
    await bed.register();
    const known = await bed.ask('password_forgot', { body: { email: ana } });
    expect(known).toEqual(await bed.ask('password_forgot', { body: { email: 'nemo@example.test' } }));
    expect(known).toEqual(await bed.ask('password_forgot', { body: { email: 'no address' } }));
    expect(known.status).toBe(200);
  });
});
