import { describe, expect, test } from 'vitest';
import { ana, authBed, goodPassword, quick } from '../testing/bed.ts';

const usual = [
  'register: POST /auth/register',
  'login: POST /auth/login',
  'logout: POST /auth/logout',
  'refresh: POST /auth/refresh',
  'me: GET /auth/me',
  'sessions_list: GET /auth/sessions',
  'sessions_revoke: DELETE /auth/sessions/:id',
  'password_change: POST /auth/change-password',
  'password_change: POST /auth/password/change',
  'password_forgot: POST /auth/forgot-password',
  'password_forgot: POST /auth/password/reset',
  'password_reset: POST /auth/reset-password',
  'password_reset: POST /auth/password/reset/confirm',
  'mfa_setup: POST /auth/mfa/setup',
  'mfa_verify: POST /auth/mfa/verify',
  'mfa_disable: POST /auth/mfa/disable',
  'mfa_disable: DELETE /auth/mfa/disable',
  'mfa_recovery: POST /auth/mfa/recovery',
  'mfa_recovery_codes: POST /auth/mfa/recovery-codes',
];

const placesWith = async (endpoints: string) => (await authBed(quick(endpoints))).places();
/** The usual places, with those of some endpoints replaced; an empty list means that it is not served. */
const usualExcept = (changed: Readonly<Record<string, readonly string[]>>) => {
  const names = [...new Set(usual.map((place) => place.split(':')[0] as string))];
  return names.flatMap((name) => changed[name] ?? usual.filter((place) => place.startsWith(`${name}:`)));
};

describe('R-30: a written `endpoints` changes what it names and nothing else', () => {
  test.each([
    ['no block', ''],
    ['an empty block', 'endpoints {}'],
    ['a block of one endpoint that is empty', 'endpoints {\n login {}\n}'],
    ['what is on already, turned on', 'endpoints {\n password_forgot {\n enabled = true\n }\n}'],
    ['the usual prefix', 'endpoints {\n prefix = "/auth"\n}'],
  ])('%s: every endpoint is where it usually is', async (_, endpoints) => {
    expect(await placesWith(endpoints)).toEqual(usual);
  });

  test.each([
    ['turned off', 'register {\n enabled = false\n}', { register: [] }],
    ['moved', 'login {\n path = "/enter"\n}', { login: ['login: POST /auth/enter'] }],
    [
      'moved with its parameter',
      'sessions_revoke {\n path = "/devices/:id/end"\n method = "POST"\n}',
      { sessions_revoke: ['sessions_revoke: POST /auth/devices/:id/end'] },
    ],
    ['given a method', 'logout {\n method = "DELETE"\n}', { logout: ['logout: DELETE /auth/logout'] }],
    [
      'moved, which its other spellings do not survive',
      'password_change {\n path = "/new"\n}',
      { password_change: ['password_change: POST /auth/new'] },
    ],
    [
      'given a method in every spelling',
      'password_change {\n method = "PUT"\n}',
      { password_change: ['/change-password', '/password/change'].map((path) => `password_change: PUT /auth${path}`) },
    ],
    [
      'named by its other spelling',
      'forgot_password {\n path = "/lost"\n}',
      { password_forgot: ['password_forgot: POST /auth/lost'] },
    ],
    [
      'two of them',
      'me {\n path = "/self"\n}\nsessions_list {\n enabled = false\n}',
      { me: ['me: GET /auth/self'], sessions_list: [] },
    ],
  ] as const)('one that is %s: the others are where they usually are', async (_, written, changed) => {
    expect(await placesWith(`endpoints {\n${written}\n}`)).toEqual(usualExcept(changed));
  });

  test('a prefix moves all of them, and the keys of tokens not', async () => {
    const keys = await authBed('preset = "strict"\nendpoints {\n prefix = "/account"\n}');
    expect(keys.places()).toEqual([
      ...usual.map((place) => place.replace('/auth/', '/account/')),
      'jwks: GET /.well-known/jwks.json',
    ]);
  });

  test('what is beside the named one answers as ever: a password is forgotten and reset', async () => {
    const bed = await authBed(
      quick('endpoints {\n register {\n path = "/join"\n }\n}\nhooks {\n on_password_reset {\n flow = flow.f\n }\n}'),
    );
    expect((await bed.register()).status).toBe(201);
    expect((await bed.ask('password_forgot', { body: { email: ana } })).status).toBe(200);
    const token = bed.hooked[0]?.[1]['reset_token'];
    const wanted = `${goodPassword}-again`;
    expect((await bed.ask('password_reset', { body: { token, new_password: wanted } })).status).toBe(200);
    expect((await bed.login(wanted)).status).toBe(200);
  });
});
