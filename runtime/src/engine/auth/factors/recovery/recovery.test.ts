import { describe, expect, test } from 'vitest';
import { PasswordHashes } from '../../passwords/hash.ts';
import { type AuthBed, ana, authBed, goodPassword, quick } from '../../testing/bed.ts';
import { enrolled, nextCode, outcome, waiting } from '../testing/app.ts';
import { hashesOfCodes, hashOfCode, newCode, spelledCode } from './code.ts';
import { bitsOf } from './strength.ts';

const hashes = new PasswordHashes({ memory: 19_456, iterations: 1, parallelism: 1, max_waiting: 100 });
const recover = (bed: AuthBed, code: string, over: object = {}) =>
  bed.ask('mfa_recovery', { body: { email: ana, password: goodPassword, code, ...over } });

describe('S-28: recovery codes', () => {
  test('are of letters and digits that are not read as one another, in groups of four', () => {
    expect([4, 5, 8, 10, 23].map((length) => newCode(length).replaceAll(/[A-Z2-7]/g, 'x'))).toEqual([
      'xxxx',
      'xxxx-x',
      'xxxx-xxxx',
      'xxxx-xxxx-xx',
      'xxxx-xxxx-xxxx-xxxx-xxxx-xxx',
    ]);
    expect([bitsOf(4), bitsOf(8)]).toEqual([20, 40]);
    const seen = new Set(
      Array.from({ length: 200 }, () => newCode(32))
        .join('')
        .replaceAll('-', ''),
    );
    expect([...seen].sort().join('')).toBe('234567ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  });

  test('sign no account in that has no factor, whatever the code: a wrong one, counted and recorded', async () => {
    const bed = await authBed(quick());
    await bed.register();
    expect(outcome(await recover(bed, 'ABCD-EF23'))).toBe('401 invalid_mfa_code');
    expect(bed.recorded.at(-1)).toMatchObject({ event: 'failed_login', reason: 'invalid_mfa_code', email: ana });
    for (let attempt = 1; attempt < 5; attempt++)
      expect(outcome(await recover(bed, `ABCD-EF2${attempt + 2}`))).toBe('401 invalid_mfa_code');
    expect(outcome(await recover(bed, 'ABCD-EF23'))).toBe('429 account_locked');
    expect(outcome(await bed.login(goodPassword))).toBe('429 account_locked');
  });

  test('are compared without case, blanks and dashes', () => {
    for (const written of ['ABCD-EF23', 'abcd ef23', ' A b-C dEf2\t3 ']) expect(spelledCode(written)).toBe('ABCDEF23');
    for (const written of ['', ' - ', 'ABCD-EF21', 'ABCD_EF23', 'ÀBCD', 'A'.repeat(200)])
      expect(spelledCode(written)).toBeUndefined();
  });

  test.each([
    [8, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/],
    [22, /^\$argon2id\$/],
    // From 112 bits on no one can try all codes, however fast.
    [23, /^sha256\$[0-9a-f]{64}$/],
    [32, /^sha256\$[0-9a-f]{64}$/],
  ])('of %i characters are kept as hashes, each found by one computation', async (length, form) => {
    const codes = Array.from({ length: 3 }, () => newCode(length));
    const kept = await hashesOfCodes(codes, hashes);
    for (const hash of kept) expect(hash).toMatch(form);
    expect(new Set(kept).size).toBe(3);
    for (const [at, code] of codes.entries()) {
      expect(JSON.stringify(kept)).not.toContain(spelledCode(code));
      expect(await hashOfCode(code.toLowerCase(), kept, hashes)).toBe(kept[at]);
    }
    expect(await hashOfCode(newCode(length), kept, hashes)).toBeUndefined();
    expect(await hashOfCode(codes[0] as string, [], hashes)).toBeUndefined();
    const other = await hashesOfCodes(codes, hashes);
    // Two accounts with one code have two hashes, where codes can be tried at all.
    expect(other[0] === kept[0]).toBe(length >= 23);
  });

  test('are shown when the first factor is enrolled, as many and as long as they are configured', async () => {
    const bed = await authBed(quick('mfa {\n recovery {\n code_count = 3\n code_length = 12\n }\n }'));
    const { recoveryCodes, token } = await enrolled(bed);
    expect(recoveryCodes).toHaveLength(3);
    for (const code of recoveryCodes) expect(code).toMatch(/^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$/);
    const kept = JSON.stringify(
      await bed.system.accounts.factors.recoveryCodes((await bed.ask('me', { token })).body.id),
    );
    for (const code of recoveryCodes) expect(kept).not.toContain(spelledCode(code));
    expect(JSON.stringify([bed.recorded, bed.log, bed.hooked])).not.toContain(recoveryCodes[0]);
  });

  test('sign in once each, however they are spelled, and tell how many are left', async () => {
    const bed = await authBed(quick());
    const { recoveryCodes } = await enrolled(bed);
    const [one, two, three] = recoveryCodes as [string, string, string];
    const first = await recover(bed, one.toLowerCase());
    expect([first.status, first.body.recovery_codes_left]).toEqual([200, 9]);
    expect(outcome(await recover(bed, one))).toBe('401 invalid_mfa_code');
    const token = await waiting(bed);
    const second = await bed.ask('mfa_recovery', { body: { mfa_token: token, code: two.replace('-', ' ') } });
    expect([second.status, second.body.recovery_codes_left]).toEqual([200, 8]);
    const third = await bed.login(goodPassword, { body: { mfa_code: three } });
    expect([third.status, third.body.recovery_codes_left]).toEqual([200, 7]);
  });

  test('one that is spent by several at once signs one of them in', async () => {
    const bed = await authBed(quick());
    const { recoveryCodes } = await enrolled(bed);
    const answers = await Promise.all([0, 1, 2].map(() => recover(bed, recoveryCodes[0] as string)));
    expect(answers.map(outcome).sort()).toEqual(['200', '401 invalid_mfa_code', '401 invalid_mfa_code']);
  });

  test('are answered as a sign-in is: so are a wrong password, an unknown address and a lock', async () => {
    const bed = await authBed(quick());
    const { app, recoveryCodes } = await enrolled(bed);
    const code = recoveryCodes[0] as string;
    expect(outcome(await recover(bed, code, { password: 'Wrong-Horse-7' }))).toBe('401 invalid_credentials');
    expect(outcome(await recover(bed, code, { email: 'unknown@example.test' }))).toBe('401 invalid_credentials');
    // A code of the app is refused here.
    expect(outcome(await recover(bed, nextCode(bed, app)))).toBe('401 invalid_mfa_code');
    for (let attempt = 0; attempt < 3; attempt++)
      expect(outcome(await recover(bed, 'AAAA-AAAA'))).toBe('401 invalid_mfa_code');
    expect(outcome(await recover(bed, code))).toBe('429 account_locked');
    bed.clock.pass(15 * 60_000);
    expect(outcome(await recover(bed, code))).toBe('200');
  });

  test('are replaced with the password, or after a factor was proved lately: those before are void', async () => {
    const bed = await authBed(quick());
    const { app, recoveryCodes } = await enrolled(bed);
    bed.clock.pass(600_000);
    const { access_token: token } = (
      await bed.ask('mfa_verify', { body: { mfa_token: await waiting(bed), code: app.code() } })
    ).body;
    const renew = (body: object) => bed.ask('mfa_recovery_codes', { token, body });
    const fresh = await renew({});
    expect([fresh.status, fresh.body.recovery_codes.length]).toEqual([200, 10]);
    expect(outcome(await recover(bed, recoveryCodes[0] as string))).toBe('401 invalid_mfa_code');
    bed.clock.pass(600_000);
    expect(outcome(await renew({}))).toBe('400 invalid_request');
    expect(outcome(await renew({ password: 'Wrong-Horse-7' }))).toBe('401 invalid_password');
    const later = await renew({ password: goodPassword });
    expect(later.status).toBe(200);
    expect(outcome(await recover(bed, fresh.body.recovery_codes[0]))).toBe('401 invalid_mfa_code');
    expect((await recover(bed, later.body.recovery_codes[0])).body.recovery_codes_left).toBe(9);
  });

  test('are not made for an account without a factor, and do not count as one', async () => {
    const bed = await authBed(quick());
    const { access_token: token, user } = (await bed.register()).body;
    const refused = await bed.ask('mfa_recovery_codes', { token, body: { password: goodPassword } });
    expect(outcome(refused)).toBe('400 mfa_error');
    await bed.system.accounts.factors.setRecoveryCodes(user.id, ['sha256$x']);
    expect(outcome(await bed.login(goodPassword))).toBe('200');
  });

  test('are neither made nor accepted where they are turned off', async () => {
    const on = await authBed(quick());
    const { app, recoveryCodes } = await enrolled(on);
    const off = await authBed(quick('mfa {\n recovery {\n enabled = false\n }\n }'), {
      accounts: on.system.accounts,
      clock: on.clock,
    });
    expect((await off.login(goodPassword)).body.mfa_methods).toEqual(['totp']);
    const token = await waiting(off);
    expect(outcome(await off.ask('mfa_verify', { body: { mfa_token: token, code: recoveryCodes[0] } }))).toBe(
      '401 invalid_mfa_code',
    );
    expect((await off.ask('mfa_recovery', { body: {} })).status).toBe(404);
    const bens = await enrolled(off, 'ben@example.test');
    expect(bens.recoveryCodes).toEqual([]);
    expect(outcome(await off.ask('mfa_verify', { body: { mfa_token: token, code: nextCode(off, app) } }))).toBe('200');
  });
});
