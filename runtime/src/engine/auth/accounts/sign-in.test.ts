import { describe, expect, test } from 'vitest';
import { ana, authBed, goodPassword, quick } from '../testing/bed.ts';
import { newAccount } from './register.ts';

const invalid = { error: { code: 'invalid_credentials', message: 'The address or the password is wrong.' } };
const slow = (lines: string) => quick(`security {\n brute_force {\n ${lines}\n }\n }`);
const exact = slow('fail_delay = 0\n max_attempts = 3\n lockout_time = "10m"');

describe('an account', () => {
  test('is made, signed in, shown who it is, and signed out', async () => {
    const { ask, login, caller } = await authBed(quick());
    const made = await ask('register', {
      body: { email: ' Ana@EXAMPLE.test', password: goodPassword, name: 'Ana', roles: ['admin'], id: 'mine' },
    });
    expect([made.status, made.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(made.body).toEqual({
      user: {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        email: ana,
        created_at: '2030-01-01T00:00:00.000Z',
        updated_at: '2030-01-01T00:00:00.000Z',
        metadata: { name: 'Ana' },
      },
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
    });
    const signedIn = await login(goodPassword);
    expect(signedIn.status).toBe(200);
    const { access_token: token } = signedIn.body;
    expect(await caller(token)).toMatchObject({
      authenticated: true,
      user_id: made.body.user.id,
      email: ana,
      roles: [],
      claims: { token_type: 'access' },
    });
    const { body } = await ask('me', { token });
    expect(body).toEqual({ ...made.body.user, last_login_at: '2030-01-01T00:00:00.000Z' });
    expect((await ask('logout', { token })).body).toEqual({ message: 'Signed out.' });
    expect(await caller(token)).toBeUndefined();
    expect((await ask('me', { token })).status).toBe(401);
  });

  test('S-37: is the same one in every spelling of its address', async () => {
    const { register, login } = await authBed(quick());
    expect((await register('ana@bücher.example')).status).toBe(201);
    for (const email of [
      'ANA@BÜCHER.example',
      'ana@xn--bcher-kva.example',
      'ana@bücher.example.',
      'ａna@bücher.example',
    ]) {
      expect((await register(email)).body).toMatchObject({ error: { code: 'user_exists' } });
      expect((await login(goodPassword, { email })).status).toBe(200);
    }
  });

  test('of one address is made once, however many ask at the same time', async () => {
    const { register } = await authBed(quick('security {\n brute_force {\n enabled = false\n fail_delay = 0\n }\n }'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => register()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
  });

  test('that an administrator has locked is not signed in, and only who has the password reads so', async () => {
    const { system, register, login } = await authBed(quick());
    const { body } = await register();
    await system.accounts.update(body.user.id, { locked: true }, 0);
    expect((await login(goodPassword)).body).toMatchObject({ error: { code: 'account_disabled' } });
    expect((await login('Wrong-Horse-7')).body).toEqual(invalid);
  });

  test('is not distinguishable from one that does not exist: answer, delay, work', async () => {
    const { clock, system, register, login } = await authBed(quick());
    await register();
    clock.waits.length = 0;
    // The time in which a password is compared is part of the wait.
    const compared: number[] = [];
    const verify = system.hashes.verify.bind(system.hashes);
    system.hashes.verify = async (...asked) => {
      const verdict = await verify(...asked);
      compared.push(verdict.took);
      return verdict;
    };
    expect(await login('Wrong-Horse-7')).toEqual(await login('Wrong-Horse-7', { email: 'nemo@example.test' }));
    const waits = clock.waits.map((wait, at) => wait + (compared[at] as number));
    expect(waits).toHaveLength(2);
    for (const wait of waits) expect(Math.abs(wait - 1_500)).toBeLessThanOrEqual(375.001);
  });
});

test('S-22: an account whose hash was imported is answered after the same time as no account', async () => {
  const bed = await authBed(quick());
  const { clock, system } = bed;
  const stored = '$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS';
  await system.accounts.create({ ...newAccount(ana, stored, {}, [], system) });
  const verify = system.hashes.verify.bind(system.hashes);
  // As long as an old hash of a high cost takes.
  system.hashes.verify = async (password, hash, signal) => ({
    ...(await verify(password, hash, signal)),
    took: hash === undefined ? 100 : 900,
  });
  const waited: number[] = [];
  for (const email of [ana, 'bob@example.test'])
    for (let at = 0; at < 60; at++) {
      clock.waits.length = 0;
      expect(await bed.login('Wrong-Horse-7', { email, ip: `198.51.100.${at}` })).toMatchObject({ status: 401 });
      waited.push((clock.waits[0] as number) + (email === ana ? 900 : 100));
    }
  expect(Math.min(...waited)).toBeGreaterThanOrEqual(1_125);
  expect(Math.max(...waited)).toBeLessThanOrEqual(1_875.001);
});

describe('tries', () => {
  test('S-23: lock after so many failures, and refuse the right password until the lock is over', async () => {
    const { clock, register, login, recorded } = await authBed(exact);
    await register();
    for (let count = 0; count < 3; count++) expect((await login('Wrong-Horse-7')).body).toEqual(invalid);
    const locked = await login(goodPassword);
    expect([locked.status, locked.body.error.code, locked.headers['retry-after']]).toEqual([
      429,
      'account_locked',
      '600',
    ]);
    clock.pass(601_000);
    expect((await login(goodPassword)).status).toBe(200);
    expect(recorded.map(({ event, reason }) => [event, reason])).toEqual([
      ['register', undefined],
      ...Array.from({ length: 3 }, () => ['failed_login', 'wrong_password']),
      ['account_locked', undefined],
      ['failed_login', 'account_locked'],
      ['login', undefined],
    ]);
  });

  test('S-23: of fifty at the same time no more are looked at than may fail', async () => {
    const { system, register, login } = await authBed(exact);
    await register();
    let looked = 0;
    const { hashes } = system;
    const verify = hashes.verify.bind(hashes);
    hashes.verify = (...given) => {
      looked++;
      return verify(...given);
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => login('Wrong-Horse-7')));
    expect(looked).toBe(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(47);
  });

  test('S-23: count whatever credential they are about', async () => {
    const { register, login, ask } = await authBed(exact);
    const { body } = await register();
    const { access_token: token } = body;
    for (let count = 0; count < 3; count++) {
      const wrong = { current_password: 'Wrong-Horse-7', new_password: 'Better-Horse-8' };
      expect((await ask('password_change', { token, body: wrong })).body.error.code).toBe('invalid_password');
    }
    expect((await login(goodPassword)).body.error.code).toBe('account_locked');
  });

  test('S-24: are counted by the caller, not by what it says of itself', async () => {
    const { register, login } = await authBed(exact);
    await register();
    const spoofed = (n: number) => ({
      headers: { 'x-forwarded-for': `198.51.100.${n}`, 'x-real-ip': `198.51.100.${n}` },
    });
    for (let count = 0; count < 3; count++) await login('Wrong-Horse-7', spoofed(count));
    expect((await login(goodPassword, spoofed(9))).status).toBe(429);
    expect((await login(goodPassword, { ip: '203.0.113.5' })).status).toBe(200);
  });
});

describe('what is sent', () => {
  const wrong = [
    ['no JSON', 'email=ana', 'The body is not valid JSON.'],
    ['no object', [1], 'The body must be a JSON object.'],
    ['no address', { password: 'x' }, '`email` is required.'],
    ['an empty password', { email: ana, password: '' }, '`password` is required.'],
    ['a password that is a number', { email: ana, password: 12345678 }, '`password` must be a text.'],
    ['a password with NUL', { email: ana, password: 'a\0b' }, '`password` is not valid text.'],
    ['half a character', '{"email":"a@b.test","password":"\\ud800"}', '`password` is not valid text.'],
  ] as const;

  test.each(wrong)('S-21: %s is a bad request', async (_what, body, message) => {
    const { ask } = await authBed(quick());
    const answer = await ask('login', { body });
    expect([answer.status, answer.body]).toEqual([400, { error: { code: 'invalid_request', message } }]);
  });

  test('is bounded, and a long password is not hashed', async () => {
    const { ask, system } = await authBed(quick());
    system.hashes.verify = () => Promise.reject(new Error('it was hashed'));
    system.hashes.hash = () => Promise.reject(new Error('it was hashed'));
    expect((await ask('login', { body: { email: ana, password: 'a'.repeat(1_000_000) } })).status).toBe(413);
    const long = await ask('register', { body: { email: ana, password: `${goodPassword}${'a'.repeat(200)}` } });
    expect([long.status, long.body.error.code]).toEqual([400, 'weak_password']);
    expect((await ask('login', { body: { email: ana, password: 'a'.repeat(2_000) } })).body).toEqual(invalid);
  });

  test('is JSON, whatever else it is called', async () => {
    const { ask } = await authBed(quick());
    const body = JSON.stringify({ email: ana, password: goodPassword });
    const typed = (type: string) => ask('login', { body, headers: { 'content-type': type } });
    expect((await typed('application/x-www-form-urlencoded')).status).toBe(415);
    expect((await typed('application/json; charset=utf-8')).body).toEqual(invalid);
  });
});

describe('hooks', () => {
  const hooks = (names: readonly string[], more = '') =>
    quick(`hooks {\n ${names.map((name) => `${name} {\n flow = flow.f\n ${more}\n }`).join('\n')}\n }`);

  test('hear of sign-ins, good and bad', async () => {
    const { register, login, hooked } = await authBed(
      hooks(['after_register', 'before_login', 'after_login', 'on_failed_login']),
    );
    const { body } = await register();
    const client = { ip: '192.0.2.1', user_agent: 'test' };
    await login('Wrong-Horse-7');
    await login(goodPassword);
    const who = { user_id: body.user.id, email: ana };
    expect(hooked).toEqual([
      ['after_register', { event: 'after_register', ...who }],
      ['before_login', { event: 'before_login', email: ana, ...client }],
      [
        'on_failed_login',
        {
          event: 'on_failed_login',
          email: ana,
          ...client,
          reason: invalid.error.message,
          code: 'invalid_credentials',
        },
      ],
      ['before_login', { event: 'before_login', email: ana, ...client }],
      ['after_login', { event: 'after_login', ...who, ...client }],
    ]);
  });

  test('refuse where they are configured to, before anything is looked at', async () => {
    const failing = ['before_login'] as const;
    const refusing = await authBed(hooks(['before_login'], 'on_error = "fail"'), { failing });
    await refusing.register();
    expect((await refusing.login(goodPassword)).body.error.code).toBe('login_refused');
    const ignoring = await authBed(hooks(['before_login']), { failing });
    await ignoring.register();
    expect((await ignoring.login(goodPassword)).status).toBe(200);
  });
});
