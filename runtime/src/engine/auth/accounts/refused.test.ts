import { describe, expect, test } from 'vitest';
import { type AuthBed, ana, authBed, goodPassword, quick } from '../testing/bed.ts';

const hook = 'hooks {\n on_failed_login {\n flow = flow.f\n }\n }';

/** What the records and the hook say of sign-ins that were refused. */
function refusals({ recorded, hooked }: AuthBed) {
  return {
    recorded: recorded
      .filter(({ event }) => event === 'failed_login')
      .map(({ reason, email, user_id: id }) => ({ reason, email, known: id !== undefined })),
    notified: hooked.filter(([name]) => name === 'on_failed_login').map(([, { code, email }]) => ({ code, email })),
  };
}

const once = (code: string, { reason = code, email = ana, known = true } = {}) => ({
  recorded: [{ reason, email, known }],
  notified: [{ code, email }],
});

describe('a sign-in that is refused is recorded once, and the hook runs', () => {
  test('for its password, or its address', async () => {
    const bed = await authBed(quick(hook));
    await bed.register();
    await bed.login('Wrong-Horse-7');
    expect(refusals(bed)).toEqual(once('invalid_credentials', { reason: 'wrong_password' }));
    const other = await authBed(quick(hook));
    await other.login('Wrong-Horse-7');
    expect(refusals(other)).toEqual(once('invalid_credentials', { reason: 'unknown_account', known: false }));
  });

  test('by too many sessions', async () => {
    const bed = await authBed(quick(`sessions {\n max_active = 1\n on_max_reached = "reject_new"\n }\n${hook}`));
    await bed.register();
    expect((await bed.login(goodPassword)).body.error.code).toBe('max_sessions');
    expect(refusals(bed)).toEqual(once('max_sessions'));
  });

  test('by its hook', async () => {
    const lines = `hooks {\n before_login {\n flow = flow.g\n on_error = "fail"\n }\n on_failed_login {\n flow = flow.f\n }\n }`;
    const bed = await authBed(quick(lines), { failing: ['before_login'] });
    await bed.register();
    expect((await bed.login(goodPassword)).body.error.code).toBe('login_refused');
    expect(refusals(bed)).toEqual(once('login_refused', { known: false }));
  });

  test('by an administrator', async () => {
    const bed = await authBed(quick(hook));
    const { user } = (await bed.register()).body;
    await bed.system.accounts.update(user.id, { locked: true }, bed.clock.now());
    expect((await bed.login(goodPassword)).body.error.code).toBe('account_disabled');
    expect(refusals(bed)).toEqual(once('account_disabled'));
  });

  test('by an unknown device', async () => {
    const devices =
      'security {\n device_binding {\n on_new_device = "block"\n }\n brute_force {\n fail_delay = "0s"\n }\n }';
    const bed = await authBed(quick(`${devices}\n${hook}`));
    await bed.register();
    expect((await bed.login(goodPassword, { agent: 'another' })).body.error.code).toBe('unknown_device');
    expect(refusals(bed)).toEqual(once('unknown_device'));
  });

  test('by a token of no sign-in that waits', async () => {
    const bed = await authBed(quick(`mfa {\n }\n${hook}`));
    await bed.ask('mfa_verify', { body: { mfa_token: 'none', code: '123456' } });
    expect(refusals(bed)).toEqual(once('invalid_mfa_token', { email: '', known: false }));
  });

  test('and one that a factor completes is not', async () => {
    const bed = await authBed(quick(`mfa {\n }\n${hook}`));
    const { user } = (await bed.register()).body;
    await bed.system.accounts.factors.setRecoveryCodes(user.id, []);
    expect((await bed.login(goodPassword)).status).toBe(200);
    expect(refusals(bed)).toEqual({ recorded: [], notified: [] });
  });
});
