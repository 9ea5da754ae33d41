import { describe, expect, test } from 'vitest';
import { type PresetName, presetNames, presets } from './presets.ts';
import { type AuthSettings, settingsOf } from './settings.ts';
import { MemoryStateStore } from './store/memory/state.ts';
import { ana, authBed, goodPassword, LeapingClock, quick, writtenAuth } from './testing/bed.ts';

/** What sign-in systems are known to get wrong, and no other test of this folder shows. */
describe('a preset', () => {
  const second = 1_000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  const settings = (preset: PresetName, lines = '') =>
    settingsOf(
      writtenAuth(`preset = "${preset}"\n${lines}${preset === 'strict' || lines.includes('jwt') ? '' : `\n${secret}`}`),
    );
  const secret = 'secret = "a secret of at least thirty-two bytes"';

  test('R-29: has each value of its table', () => {
    const all = presetNames.map((name) => settings(name));
    const [standard, strict, relaxed, development] = all as [AuthSettings, AuthSettings, AuthSettings, AuthSettings];
    const of = <T>(read: (of: AuthSettings) => T) => [strict, standard, relaxed, development].map(read);
    expect(of(({ jwt }) => [jwt.algorithm, jwt.access_lifetime, jwt.refresh_lifetime, jwt.rotation])).toEqual([
      ['RS256', 15 * minute, day, true],
      ['HS256', hour, 7 * day, true],
      ['HS256', 24 * hour, 30 * day, false],
      ['HS256', 24 * hour, 90 * day, false],
    ]);
    expect(of(({ password: p }) => [p.min_length, p.max_length, p.history, p.max_age, p.breach_check])).toEqual([
      [12, 128, 5, 90 * day, true],
      [8, 128, 3, undefined, false],
      [6, 128, 0, undefined, false],
      [1, 128, 0, undefined, false],
    ]);
    expect(of(({ password: p }) => [p.require_upper, p.require_lower, p.require_number, p.require_special])).toEqual([
      [true, true, true, true],
      [true, true, true, false],
      [false, false, false, false],
      [false, false, false, false],
    ]);
    expect(of(({ password: p }) => [p.memory, p.iterations, p.parallelism])).toEqual([
      [65_536, 3, 2],
      [65_536, 3, 2],
      [65_536, 3, 2],
      [65_536, 1, 1],
    ]);
    expect(of(({ brute_force: b }) => b.enabled && [b.max_attempts, b.window, b.lockout_time, b.track_by])).toEqual([
      [3, 15 * minute, 30 * minute, 'ip+user'],
      [5, 15 * minute, 15 * minute, 'ip+user'],
      [10, 15 * minute, 5 * minute, 'ip'],
      false,
    ]);
    expect(of(({ progressive_delay: p }) => p.enabled && [p.initial, p.multiplier, p.max])).toEqual([
      [second, 2, 30 * second],
      false,
      false,
      false,
    ]);
    expect(of(({ impossible_travel: t }) => t.enabled && [t.max_speed_kmh, t.on_detect])).toEqual([
      [900, 'block'],
      false,
      false,
      false,
    ]);
    expect(of(({ device_binding: d }) => d.enabled && [d.trust_duration, d.max_devices, d.on_new_device])).toEqual([
      [30 * day, 3, 'challenge'],
      [30 * day, 5, 'notify'],
      false,
      false,
    ]);
    expect(of(({ replay_protection: r }) => r.enabled && r.window)).toEqual([5 * minute, 5 * minute, false, false]);
    expect(of(({ sessions: s }) => [s.max_active, s.idle_timeout, s.absolute_timeout, s.on_max_reached])).toEqual([
      [3, 30 * minute, 8 * hour, 'reject_new'],
      [5, hour, 24 * hour, 'revoke_oldest'],
      [10, 24 * hour, 7 * day, 'revoke_oldest'],
      [100, 30 * day, 90 * day, 'revoke_oldest'],
    ]);
    for (const { sessions: s } of all)
      expect([s.extend_on_activity, s.allow_list, s.allow_revoke, s.track]).toEqual([
        true,
        true,
        true,
        ['ip', 'user_agent'],
      ]);
    expect(of(({ rate_limit, audit, hooks }) => [rate_limit, audit, hooks])).toEqual(
      of(() => [undefined, undefined, undefined]),
    );
  });

  const blocks = [
    ['jwt', 'jwt {\n issuer = "x"\n secret = "a secret of at least thirty-two bytes"\n}', 'jwt'],
    ['password', 'password {\n reset_token_ttl = "2h"\n}', 'password'],
    ['sessions', 'sessions {\n}', 'sessions'],
    ['brute_force', 'security {\n brute_force {\n fail_delay = "2s"\n }\n}', 'brute_force'],
  ] as const;

  test.each(presetNames.flatMap((preset) => blocks.map((block) => [preset, ...block] as const)))(
    '%s keeps every value, flags among them, beside a block %s of one line',
    (preset, _block, lines, part) => {
      const whole = { ...presets[preset][part] } as Record<string, unknown>;
      // Who writes the block means it.
      if (part === 'brute_force') whole['enabled'] = true;
      const written = preset === 'strict' ? lines.replace(/ secret = .*\n/, '') : lines;
      expect(settings(preset, written)[part]).toMatchObject(whole);
      if (part === 'jwt') expect(settings(preset, written).jwt.issuer).toBe('x');
    },
  );
});

describe('a registration', () => {
  test('begins a session like a sign-in: with address and agent, and one of the most', async () => {
    const bed = await authBed(quick('sessions {\n max_active = 1\n on_max_reached = "reject_new"\n }'));
    const body = { email: ana, password: goodPassword, name: 'Ana', metadata: { plan: 'pro' } };
    const registered = (await bed.ask('register', { body, ip: '203.0.113.7', agent: 'curl/8' })).body;
    const { sessions } = (await bed.ask('sessions_list', { token: registered.access_token })).body;
    expect(sessions).toMatchObject([{ ip: '203.0.113.7', user_agent: 'curl/8', current: true }]);
    expect(await bed.login(goodPassword)).toMatchObject({ status: 401, body: { error: { code: 'max_sessions' } } });
    // Its name is kept.
    expect(registered.user.metadata).toEqual({ plan: 'pro', name: 'Ana' });
  });

  test('is of an address, and its password may not be that either', async () => {
    const bed = await authBed(quick().replace('password {', 'password {\n reject_patterns = ["user.email"]'));
    const register = async (email: string, password = goodPassword) =>
      (await bed.ask('register', { body: { email, password } })).body;
    for (const wrong of ['ana', 'ana@', '@example.test', 'a b@example.test', 'ana@example..test'])
      expect((await register(wrong)).error.code).toBe('invalid_request');
    expect((await register('Anabel@example.test', 'Anabel-Horse-7')).error.code).toBe('weak_password');
    expect((await register('anabel@example.test')).user.email).toBe('anabel@example.test');
  });

  test('gives neither roles nor permissions that it asks for', async () => {
    const bed = await authBed(quick('roles = {\n admin = ["*"]\n }'));
    const wanted = { roles: ['admin'], permissions: ['*'], mfa_enabled: true, id: '1', locked: false };
    const { body } = await bed.ask('register', { body: { email: ana, password: goodPassword, ...wanted } });
    expect(Object.keys(body.user).sort()).toEqual(['created_at', 'email', 'id', 'updated_at']);
    expect(body.user.id).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('a lock', () => {
  const lines = quick(
    'security {\n brute_force {\n max_attempts = 2\n lockout_time = "10m"\n fail_delay = "0s"\n }\n }\n hooks {\n on_password_reset {\n flow = flow.f\n }\n }',
  );

  test('says when to come back, in its answer and in a header', async () => {
    const bed = await authBed(lines);
    await bed.register();
    for (let at = 0; at < 2; at++) await bed.login('Wrong-Horse-7');
    const { status, headers, body } = await bed.login(goodPassword);
    expect([status, headers['retry-after'], body.error.code]).toEqual([429, '600', 'account_locked']);
    expect(body.error.message).toContain('2030-01-01T00:10:00.000Z');
  });

  test('is over for who resets the password, and for no one else', async () => {
    const bed = await authBed(lines);
    await bed.register();
    const [own, thief] = ['203.0.113.1', '203.0.113.2'];
    for (const ip of [own, thief]) for (let at = 0; at < 2; at++) await bed.login('Wrong-Horse-7', { ip });
    expect((await bed.login(goodPassword, { ip: own })).status).toBe(429);
    await bed.ask('password_forgot', { body: { email: ana }, ip: own });
    const token = bed.hooked.at(-1)?.[1]['reset_token'];
    const wanted = 'Better-Horse-8';
    expect((await bed.ask('password_reset', { body: { token, new_password: wanted }, ip: own })).status).toBe(200);
    expect((await bed.login(wanted, { ip: own })).status).toBe(200);
    expect((await bed.login(wanted, { ip: thief })).status).toBe(429);
  });
});

describe('records', () => {
  test('of every event say who, from where and with what', async () => {
    const bed = await authBed(
      quick(
        'security {\n brute_force {\n fail_delay = "0s"\n }\n }\n hooks {\n on_password_reset {\n flow = flow.f\n }\n }',
      ),
    );
    const client = { ip: '203.0.113.9', agent: 'curl/8' };
    const body = { email: ana, password: goodPassword };
    const { user, access_token: token, refresh_token } = (await bed.ask('register', { body, ...client })).body;
    await bed.ask('login', { body: { ...body, password: 'Wrong-Horse-7' }, ...client });
    await bed.ask('refresh', { body: { refresh_token }, ...client });
    const change = (current_password: string) =>
      bed.ask('password_change', { token, body: { current_password, new_password: 'Better-Horse-8' }, ...client });
    await change('Wrong-Horse-7');
    await change(goodPassword);
    await bed.ask('password_forgot', { body: { email: ana }, ...client });
    const reset = { token: bed.hooked.at(-1)?.[1]['reset_token'], new_password: 'Best-Horse-9' };
    await bed.ask('password_reset', { body: reset, ...client });
    const last = (await bed.ask('login', { body: { ...body, password: 'Best-Horse-9' }, ...client })).body;
    await bed.ask('logout', { token: last.access_token, ...client });
    for (const record of bed.recorded)
      expect(record).toMatchObject({
        user_id: user.id,
        email: ana,
        client: { ip: client.ip, userAgent: client.agent },
      });
    expect(bed.recorded.map(({ event, success }) => `${event} ${success}`)).toEqual([
      'register true',
      'failed_login false',
      'token_refresh true',
      'password_change false',
      'password_change true',
      'password_reset true',
      'password_change true',
      'login true',
      'logout true',
    ]);
    expect(bed.recorded.at(-1)?.metadata).toEqual({ session_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });
});

test('an idle session is refused at once, without a sweep', async () => {
  const clock = new LeapingClock();
  const state = new MemoryStateStore(clock);
  const bed = await authBed(quick('sessions {\n idle_timeout = "10m"\n }'), { clock, state });
  const { access_token: token } = (await bed.register()).body;
  clock.pass(600_001);
  expect(state.sessions.size).toBe(1);
  expect(await bed.caller(token)).toBeUndefined();
});
