import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { JwtCheck } from '../../../platform/identity/jwt.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { MemoryStateStore } from '../store/memory/state.ts';
import { AccountScope } from '../store/scope.ts';
import { type AuthBed, ana, authBed, cheapHash, goodPassword, LeapingClock } from '../testing/bed.ts';

const secret = 'a secret of at least thirty-two bytes';
const named = 'issuer = "https://shop.test"\n audience = ["web"]';
const pems = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = { format: 'pem' } as const;
  return {
    private: privateKey.export({ type: 'pkcs8', ...pem }) as string,
    former: privateKey.export({ type: 'pkcs1', ...pem }) as string,
    public: publicKey.export({ type: 'spki', ...pem }) as string,
  };
};
const [one, two] = [pems(), pems()];
const pair = (key: typeof one, more = '') =>
  `algorithm = "RS256"\n private_key = ${JSON.stringify(key.private)}\n ${more}`;
const written = (jwt: string, more = '') => `jwt {\n ${jwt}\n }\n password {\n ${cheapHash}\n }\n ${more}`;

/** What a verifier of another maker has: the published keys, or the secret. */
const keysOf = async (bed: AuthBed): Promise<(token: string, options: JWTVerifyOptions) => Promise<unknown>> => {
  const { status, body } = await bed.ask('jwks');
  if (status !== 200) return (token, options) => jwtVerify(token, createSecretKey(secret, 'utf8'), options);
  return (token, options) => jwtVerify(token, createLocalJWKSet(body), options);
};
const refreshed = async (bed: AuthBed, token: string) =>
  (await bed.ask('refresh', { body: { refresh_token: token } })).status;

describe.each([
  ['a secret', `secret = "${secret}"`],
  ['a longer digest', `secret = "${secret}"\n algorithm = "HS512"`],
  ['a configured key pair', pair(one)],
  ['keys that the service makes', 'algorithm = "RS256"'],
])('S-15: tokens of %s', (_, key) => {
  test.each([
    ['issuer and audience', named],
    ['neither', ''],
    ['the profile of RFC 9068', `${named}\n access_typ = "at+jwt"`],
  ])('with %s: others take the access token, and no refresh token', async (_, more) => {
    const bed = await authBed(written(`${key}\n ${more}`));
    const { access_token: access, refresh_token: refresh } = (await bed.register()).body;
    const verify = await keysOf(bed);
    const { exp, iat, aud, iss, typ } = { ...decodeJwt(access), ...decodeProtectedHeader(access) };
    const base = { currentDate: new Date(bed.clock.now()) };
    const rules: JWTVerifyOptions[] = [
      base,
      { ...base, typ: String(typ) },
      { ...base, algorithms: ['HS256', 'RS256', 'HS512'] },
    ];
    if (iss !== undefined && aud !== undefined) rules.push({ ...base, issuer: iss, audience: aud });
    for (const rule of rules) {
      expect(await verify(access, rule)).toMatchObject({ payload: { exp, iat } });
      await expect(verify(refresh, rule)).rejects.toThrow();
    }
    expect(decodeProtectedHeader(refresh)).toMatchObject({ typ: 'refresh+jwt', alg: 'HS256' });
    expect(decodeJwt(refresh)).toMatchObject({ aud: [iss ?? 'refresh'], token_type: 'refresh' });
    expect(await bed.caller(access)).toMatchObject({ email: ana });
    expect(await bed.caller(refresh)).toBeUndefined();
    expect(await bed.system.tokens.isOwn(refresh)).toBe(true);
    expect([await refreshed(bed, access), await refreshed(bed, refresh)]).toEqual([401, 200]);
  });

  test('are refreshed by processes of before and after, and a refresh token of before is not an access token', async () => {
    const clock = new LeapingClock();
    const [upgraded, made] = [new AccountScope('one', clock.now()), new AccountScope('one')];
    const now = { scope: upgraded };
    const accounts = Object.defineProperty(new MemoryAccountStore(), 'scope', { get: () => now.scope });
    const bed = await authBed(written(key), { accounts, clock });
    const { access_token: access, refresh_token: old } = (await bed.register()).body;
    expect(decodeProtectedHeader(old)).toEqual(decodeProtectedHeader(access));
    now.scope = made;
    expect(await bed.caller(old)).toBeUndefined();
    const { status, body } = await bed.ask('refresh', { body: { refresh_token: old } });
    expect([status, decodeProtectedHeader(body.refresh_token).typ]).toEqual([200, 'refresh+jwt']);
    now.scope = upgraded;
    const back = await bed.ask('refresh', { body: { refresh_token: body.refresh_token } });
    expect([back.status, decodeProtectedHeader(back.body.refresh_token).typ]).toEqual([200, 'JWT']);
    clock.pass(8 * 86_400_000);
    expect(await refreshed(bed, back.body.refresh_token), 'it has ended').toBe(401);
  });
});

test('S-15: a connector of another service, with the same secret, takes no refresh token of this one', async () => {
  const bed = await authBed(written(`secret = "${secret}"`));
  const { access_token: access, refresh_token: refresh } = (await bed.register()).body;
  const settings = { secret, require_exp: true, scheme: 'Bearer' } as never;
  const check = new JwtCheck(settings, { clock: bed.clock, log: memoryLog().log }, 'api');
  await check.prepare();
  const asked = (token: string) => check.check({ request: { headers: { authorization: `bEARER ${token}` } } } as never);
  expect(await asked(access)).toMatchObject({ email: ana });
  expect(await asked(refresh)).toMatchObject({ refused: { code: 'authentication_required' } });
});

test('S-15: a token of another kind that the key signed is neither', async () => {
  const bed = await authBed(written(`secret = "${secret}"`));
  const { access_token: access, refresh_token: refresh } = (await bed.register()).body;
  const signed = (claims: object, typ: string) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ }).sign(createSecretKey(secret, 'utf8'));
  for (const typ of ['refresh+jwt', 'id+jwt', 'logout+jwt', 'dpop+jwt', 'application/refresh+jwt'])
    for (const claims of [decodeJwt(access), decodeJwt(refresh)]) {
      const token = await signed(claims, typ);
      expect([await bed.caller(token), await refreshed(bed, token)], typ).toEqual([undefined, 401]);
    }
  expect(await bed.caller(await signed(decodeJwt(access), 'application/at+jwt'))).toMatchObject({ email: ana });
  // A refresh token of before has the type of an access token, and no other one.
  expect(await refreshed(bed, await signed(decodeJwt(refresh), 'at+jwt'))).toBe(401);
});

test('S-15: a token comes as Bearer, in any case of letters, and in no other way', async () => {
  const bed = await authBed(written(`secret = "${secret}"`));
  const { access_token: token } = (await bed.register()).body;
  const me = async (headers: Record<string, string>, query: Record<string, string> = {}) =>
    (await bed.ask('me', { headers, query })).status;
  for (const word of ['Bearer', 'bearer', 'BEARER']) expect(await me({ authorization: `${word} ${token}` })).toBe(200);
  for (const value of [
    token,
    ` ${token}`,
    `Token ${token}`,
    `JWT ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token},${token}`,
  ])
    expect(await me({ authorization: value }), value.slice(0, 20)).toBe(401);
  for (const name of ['x-access-token', 'x-authorization', 'proxy-authorization', 'access_token'])
    expect(await me({ [name]: `Bearer ${token}` }), name).toBe(401);
  expect(await me({}, { access_token: token })).toBe(401);
});

describe('keys of before', () => {
  const hmac = (now: string, former = '') => written(`secret = "${now}"\n ${former}`);
  const other = 'another secret of thirty-two bytes';
  const moved = async (from: string, to: string) => {
    const clock = new LeapingClock();
    const parts = { accounts: new MemoryAccountStore(), state: new MemoryStateStore(clock), clock };
    const before = await authBed(from, parts);
    const { body } = await before.register();
    const after = await authBed(to, parts);
    const caller = await after.caller(body.access_token);
    const answer = await after.ask('refresh', { body: { refresh_token: body.refresh_token } });
    return { after, before, said: [caller !== undefined, answer.status], body: answer.body };
  };

  test('a secret of before checks its tokens, and signs none', async () => {
    const { before, said, body } = await moved(hmac(secret), hmac(other, `previous_secrets = ["${secret}"]`));
    expect(said).toEqual([true, 200]);
    expect(await before.caller(body.access_token)).toBeUndefined();
    expect(await refreshed(before, body.refresh_token)).toBe(401);
    expect((await moved(hmac(secret), hmac(other))).said).toEqual([false, 401]);
  });

  test('a public key of before checks access tokens, and a private one refresh tokens too', async () => {
    const former = (pem: string) => `previous_public_keys = [${JSON.stringify(pem)}]`;
    const to = (pem: string) => written(pair(two, former(pem)));
    expect((await moved(written(pair(one)), to(one.public))).said).toEqual([true, 401]);
    expect((await moved(written(pair(one)), to(one.former))).said).toEqual([true, 200]);
    expect((await moved(written(pair(one)), written(pair(two)))).said).toEqual([false, 401]);
    const own = written(`algorithm = "RS256"\n ${former(one.private)}`);
    const { after, said } = await moved(written(pair(one)), own);
    expect(said).toEqual([true, 200]);
    const { keys } = (await after.ask('jwks')).body;
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  test('a secret of before opens the keys that were kept with it', async () => {
    const own = (now: string, more = '') => written(`algorithm = "RS256"\n secret = "${now}"\n ${more}`);
    expect((await moved(own(secret), own(other, `previous_secrets = ["${secret}"]`))).said).toEqual([true, 200]);
  });

  test('a text that is not a key is refused', async () => {
    const key = (bits: number): KeyObject => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey;
    const weak = key(1024).export({ type: 'spki', format: 'pem' }) as string;
    for (const [pem, said] of [
      ['no key', 'auth: `previous_public_keys` is not a key in PEM'],
      [weak, 'auth: the RSA key of `previous_public_keys` has 1024 bits, fewer than 2048'],
    ] as const)
      await expect(authBed(written(pair(one, `previous_public_keys = [${JSON.stringify(pem)}]`)))).rejects.toThrow(
        said,
      );
    await expect(authBed(hmac(secret, 'previous_secrets = [""]'))).rejects.toThrow(
      'an element of `previous_secrets` is empty',
    );
  });
});

test('a rotated key checks the refresh tokens that it signed until they end', async () => {
  const bed = await authBed(
    written(
      'algorithm = "RS256"\n key_rotation = "1h"\n refresh_lifetime = "3h"',
      'sessions {\n idle_timeout = "1d"\n }',
    ),
  );
  const { refresh_token: token } = (await bed.register()).body;
  bed.clock.pass(2 * 3_600_000);
  const { access_token: later, refresh_token: second } = (await bed.login(goodPassword)).body;
  expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(token).kid);
  expect(decodeProtectedHeader(second).kid).toBe(`refresh-${decodeProtectedHeader(later).kid}`);
  expect([await refreshed(bed, token), await refreshed(bed, second)]).toEqual([200, 200]);
});

test('an access token of RFC 9068 has what the profile requires', async () => {
  const bed = await authBed(written(`${pair(one)}\n ${named}\n access_typ = "at+jwt"`));
  const { access_token: token } = (await bed.register()).body;
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
  expect(Object.keys(decodeJwt(token))).toEqual(
    expect.arrayContaining(['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti']),
  );
  await expect(authBed(written(`${pair(one)}\n access_typ = "at+jwt"`))).rejects.toThrow(
    'name an issuer and an audience',
  );
});
