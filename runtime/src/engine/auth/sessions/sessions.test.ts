import { describe, expect, test } from 'vitest';
import { ana, authBed, goodPassword, quick } from '../testing/bed.ts';

const sessions = (lines: string, jwt = '') =>
  `${quick().replace('jwt {', `jwt {\n ${jwt}`)}\n sessions {\n ${lines}\n }`;
const minute = 60_000;

describe('a session', () => {
  test('ends when it is idle, and lives on while it is used', async () => {
    const { clock, register, caller } = await authBed(
      sessions('idle_timeout = "10m"\n absolute_timeout = "25m"', 'access_lifetime = "1h"'),
    );
    const { access_token: token } = (await register()).body;
    for (let count = 0; count < 2; count++) {
      clock.pass(9 * minute);
      expect(await caller(token)).toMatchObject({ email: ana });
    }
    clock.pass(8 * minute);
    expect(await caller(token), 'absolute_timeout').toBeUndefined();
    const { access_token: idle } = (await register('b@example.test')).body;
    clock.pass(10 * minute + 1);
    expect(await caller(idle)).toBeUndefined();
  });

  test('without extend_on_activity ends one idle_timeout after it began', async () => {
    const { clock, register, caller } = await authBed(sessions('idle_timeout = "10m"\n extend_on_activity = false'));
    const { access_token: token } = (await register()).body;
    clock.pass(6 * minute);
    expect(await caller(token)).toMatchObject({ email: ana });
    clock.pass(5 * minute);
    expect(await caller(token)).toBeUndefined();
  });

  test('S-19: ends at once with sign-out, revocation, another password and a role', async () => {
    const { ask, register, login, caller } = await authBed(quick());
    const first = (await register()).body;
    const second = (await login(goodPassword)).body;
    const third = (await login(goodPassword)).body;
    const list = (await ask('sessions_list', { token: third.access_token })).body.sessions;
    expect(list).toHaveLength(3);
    const other = list.find(({ current }: { current: boolean }) => !current).id;
    expect((await ask('sessions_revoke', { token: third.access_token, params: { id: other } })).status).toBe(200);
    const alive = await Promise.all(
      [first, second].map(async ({ access_token: token }) => (await caller(token)) !== undefined),
    );
    expect(alive.filter(Boolean)).toHaveLength(1);
    const change = { current_password: goodPassword, new_password: 'Better-Horse-8' };
    expect((await ask('password_change', { token: third.access_token, body: change })).status).toBe(200);
    for (const { access_token: token, refresh_token: refresh } of [first, second]) {
      expect(await caller(token)).toBeUndefined();
      expect((await ask('refresh', { body: { refresh_token: refresh } })).body.error.code).toBe('session_expired');
    }
    expect(await caller(third.access_token)).toMatchObject({ email: ana });
    expect((await ask('logout', { token: third.access_token })).status).toBe(200);
    expect(await caller(third.access_token)).toBeUndefined();
  });

  test('S-20: is listed and ended by its owner alone', async () => {
    const { ask, register } = await authBed(quick());
    const own = (await register()).body;
    const eve = (await register('eve@example.test')).body;
    const [{ id }] = (await ask('sessions_list', { token: own.access_token })).body.sessions;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const foreign = await ask('sessions_revoke', { token: eve.access_token, params: { id } });
    const unknown = await ask('sessions_revoke', { token: eve.access_token, params: { id: '0'.repeat(32) } });
    expect(foreign).toEqual(unknown);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'session_not_found']);
    expect((await ask('me', { token: own.access_token })).status).toBe(200);
  });

  test('R-29: beyond the most of a person ends the oldest one, or is refused', async () => {
    const revoking = await authBed(sessions('max_active = 2\n on_max_reached = "revoke_oldest"'));
    const first = (await revoking.register()).body;
    await revoking.login(goodPassword);
    const third = (await revoking.login(goodPassword)).body;
    expect(await revoking.caller(first.access_token)).toBeUndefined();
    expect(await revoking.caller(third.access_token)).toMatchObject({ email: ana });
    const rejecting = await authBed(sessions('max_active = 2\n on_max_reached = "deny"'));
    await rejecting.register();
    const answers = await Promise.all(Array.from({ length: 4 }, () => rejecting.login(goodPassword)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect(answers.find(({ status }) => status === 401)?.body.error.code).toBe('max_sessions');
  });

  test('R-29: is not listed or ended where that is turned off', async () => {
    const { ask, register } = await authBed(sessions('allow_list = false\n allow_revoke = false'));
    const { access_token: token } = (await register()).body;
    expect((await ask('sessions_list', { token })).status).toBe(404);
    expect((await ask('sessions_revoke', { token, params: { id: 'x' } })).status).toBe(404);
  });
});

describe('a refresh token', () => {
  const refresh = async (bed: Awaited<ReturnType<typeof authBed>>, token: string, agent = 'test') =>
    bed.ask('refresh', { body: { refresh_token: token }, agent });

  test('S-18: is good once: of two at the same time one succeeds, and the second use ends the session', async () => {
    const bed = await authBed(`${quick()}\n hooks {\n on_suspicious_activity {\n flow = flow.f\n }\n }`);
    const { refresh_token: spent, access_token: old } = (await bed.register()).body;
    const answers = await Promise.all([refresh(bed, spent), refresh(bed, spent)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const good = answers.find(({ status }) => status === 200)?.body;
    expect(answers.find(({ status }) => status === 401)?.body.error.code).toBe('token_reused');
    expect(await bed.caller(old)).toBeUndefined();
    expect(await bed.caller(good.access_token)).toBeUndefined();
    expect((await refresh(bed, good.refresh_token)).body.error.code).toBe('session_expired');
    expect(bed.hooked.map(([name, { reason }]) => [name, reason])).toEqual([
      ['on_suspicious_activity', 'token_reused'],
    ]);
    expect(bed.recorded.at(-1)).toMatchObject({ event: 'token_refresh', success: false, reason: 'token_reused' });
  });

  test('is forgiven to the client that spent it, within the leeway', async () => {
    const lines = quick().replace('jwt {', 'jwt {\n reuse_leeway = "10s"');
    const bed = await authBed(lines);
    const { refresh_token: spent } = (await bed.register()).body;
    const first = await refresh(bed, spent);
    const second = await refresh(bed, spent);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await refresh(bed, first.body.refresh_token)).status).toBe(200);
    bed.clock.pass(11_000);
    expect((await refresh(bed, spent)).body.error.code).toBe('token_reused');
    const stolen = await authBed(lines);
    const { refresh_token: token } = (await stolen.register()).body;
    await refresh(stolen, token);
    expect((await refresh(stolen, token, 'another')).body.error.code).toBe('token_reused');
  });

  test('without rotation stays good, unless replays are refused', async () => {
    const open = await authBed(quick('', 'relaxed'));
    const { refresh_token: token } = (await open.register()).body;
    expect((await refresh(open, token)).status).toBe(200);
    expect((await refresh(open, token)).status).toBe(200);
    const guarded = await authBed(quick('security {\n replay_protection {\n window = "1m"\n }\n }', 'relaxed'));
    const { refresh_token: other, access_token: access } = (await guarded.register()).body;
    expect((await refresh(guarded, other)).status).toBe(200);
    expect((await refresh(guarded, other)).body.error.code).toBe('token_reused');
    expect(await guarded.caller(access)).toMatchObject({ email: ana });
    guarded.clock.pass(61_000);
    expect((await refresh(guarded, other)).status).toBe(200);
  });

  test('S-15: opens no flow, and an access token refreshes nothing', async () => {
    const bed = await authBed(quick());
    const { refresh_token: token, access_token: access } = (await bed.register()).body;
    expect(await bed.caller(token)).toBeUndefined();
    expect((await refresh(bed, access)).body.error.code).toBe('invalid_token');
    for (const text of ['', 'x', 'a.b.c', `${token}x`])
      expect((await refresh(bed, text)).body.error.code).toBe(text === '' ? 'invalid_request' : 'invalid_token');
  });

  test('costs no one a session while the store of accounts is unavailable', async () => {
    const bed = await authBed(quick());
    const { refresh_token: token } = (await bed.register()).body;
    const byId = bed.system.accounts.byId.bind(bed.system.accounts);
    bed.system.accounts.byId = () => Promise.reject(new Error('unavailable'));
    expect((await refresh(bed, token)).status).toBe(500);
    bed.system.accounts.byId = byId;
    expect((await refresh(bed, token)).status).toBe(200);
  });
});

test('A-09: the clock of the machine, set forward or back, ends no session and prolongs none', async () => {
  const { clock, register, system } = await authBed(sessions('idle_timeout = "10m"'));
  const { refresh_token: token } = (await register()).body;
  const claims = await system.tokens.check(token, 'refresh');
  clock.set(60 * minute);
  expect(await system.sessions.use(claims?.sessionId as string)).toBeDefined();
  clock.set(-120 * minute);
  expect(await system.sessions.use(claims?.sessionId as string)).toBeDefined();
  clock.pass(11 * minute);
  expect(await system.sessions.use(claims?.sessionId as string)).toBeUndefined();
});
