import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { ana, authBed, LeapingClock, quick } from '../testing/bed.ts';
import { OwnKeys } from './own-keys.ts';

const secret = 'a secret of at least thirty-two bytes';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const jwt = (lines: string, more = '') => `${quick(more).replace(/jwt \{[^}]*\}/, `jwt {\n ${lines}\n }`)}`;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = (header: unknown, payload: unknown, key: string) => forgedText(header, JSON.stringify(payload), key);
/** The payload as a text, since not every JSON that can be sent can be written by JavaScript. */
const forgedText = (header: unknown, payload: string, key: string) => {
  const text = `${base64url(header)}.${Buffer.from(payload).toString('base64url')}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
};

describe('an access token', () => {
  test('says who, for what and until when', async () => {
    const lines = `secret = "${secret}"\n issuer = "shop"\n audience = ["web"]\n access_lifetime = "30m"`;
    const bed = await authBed(jwt(lines, 'roles = { admin = ["orders:*", "users:read"] }'));
    const { body } = await bed.register();
    await bed.system.accounts.update(body.user.id, { roles: ['admin'] }, 0);
    const { access_token: token } = (await bed.login('Correct-Horse-7')).body;
    const now = bed.clock.now() / 1000;
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decodeJwt(token)).toEqual({
      jti: expect.stringMatching(/^[0-9a-f]{32}$/),
      sub: body.user.id,
      user_id: body.user.id,
      iss: 'shop',
      aud: ['web'],
      iat: now,
      nbf: now,
      exp: now + 1_800,
      email: ana,
      roles: ['admin'],
      permissions: ['orders:*', 'users:read'],
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      token_type: 'access',
    });
    expect(await bed.caller(token)).toMatchObject({
      roles: ['admin'],
      claims: { permissions: ['orders:*', 'users:read'] },
    });
    bed.clock.pass(1_800_000);
    expect(await bed.caller(token), 'to the second').toBeUndefined();
  });

  test('S-12, S-14: of another key, algorithm, issuer, audience or time is refused', async () => {
    const bed = await authBed(jwt(`secret = "${secret}"\n issuer = "shop"\n audience = ["web"]`));
    const { access_token: token } = (await bed.register()).body;
    const claims = decodeJwt(token);
    const key = new TextEncoder().encode(secret);
    const signed = (payload: Record<string, unknown>, alg = 'HS256') =>
      new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg }).sign(key);
    expect(await bed.caller(await signed({}))).toMatchObject({ email: ana });
    const now = bed.clock.now() / 1000;
    const wrong = [
      ...(await Promise.all([
        signed({ iss: 'other' }),
        signed({ iss: undefined }),
        signed({ aud: 'other' }),
        signed({ exp: undefined }),
        signed({ exp: now - 1 }),
        signed({ nbf: now + 60 }),
        signed({ exp: String(now + 60) }),
        signed({ token_type: 'refresh' }),
        signed({ token_type: undefined }),
        signed({ session_id: 'f'.repeat(32) }),
        signed({ session_id: undefined }),
        signed({ sub: 'f'.repeat(32) }),
        signed({}, 'HS512'),
      ])),
      forged({ alg: 'HS256' }, claims, 'another secret of the same length'),
      forgedText({ alg: 'HS256' }, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e309'), secret),
      ...['none', 'None', 'nOnE', ''].map((alg) => `${base64url({ alg })}.${base64url(claims)}.`),
      forged({ alg: 'none' }, claims, secret),
      `${token}x`,
      token.slice(0, -2),
      `${token}.${token}`,
      'a'.repeat(100_000),
    ];
    for (const each of wrong) expect(await bed.caller(each), each.slice(0, 200)).toBeUndefined();
  });

  test('S-12: of a service that signs with RSA is not one that its public key signs as a secret', async () => {
    const store = new MemoryAccountStore();
    const bed = await authBed(jwt('algorithm = "RS256"'), { accounts: store });
    const { access_token: token } = (await bed.register()).body;
    expect(await bed.caller(token)).toMatchObject({ email: ana });
    const [published] = (await bed.ask('jwks')).body.keys;
    const claims = decodeJwt(token);
    for (const alg of ['HS256', 'RS256'])
      for (const key of [rsaPem, JSON.stringify(published), published.n])
        expect(await bed.caller(forged({ alg, kid: published.kid }, claims, key))).toBeUndefined();
  });

  test('S-13: names its key, and no address of one', async () => {
    const bed = await authBed(jwt('algorithm = "RS256"'));
    const { access_token: token } = (await bed.register()).body;
    const claims = decodeJwt(token);
    for (const kid of ['../../etc/passwd', "' OR 1=1 --", '', undefined]) {
      const header = {
        alg: 'RS256',
        ...(kid !== undefined && { kid }),
        jku: 'http://127.0.0.1:1/keys',
        x5u: 'http://127.0.0.1:1',
      };
      const other = await new SignJWT(claims).setProtectedHeader(header).sign(rsa.privateKey);
      expect(await bed.caller(other)).toBeUndefined();
    }
  });
});

describe('keys that the service makes', () => {
  const lifetime = 3_600_000;
  const options = (store: MemoryAccountStore, clock: LeapingClock, rotation?: number, passphrase?: string) =>
    ({ store, clock, rotation, lifetime, passphrase }) as const;

  test('are one, however many processes begin at the same time', async () => {
    const store = new MemoryAccountStore();
    const clock = new LeapingClock();
    const processes = [1, 2, 3].map(() => new OwnKeys(options(store, clock)));
    const keys = await Promise.all(processes.map((each) => each.signing()));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(await store.signingKeys()).toHaveLength(1);
  });

  test('are replaced at their age, and published until their last token has ended', async () => {
    const store = new MemoryAccountStore();
    const clock = new LeapingClock();
    const [one, two] = [
      new OwnKeys(options(store, clock, 2 * lifetime)),
      new OwnKeys(options(store, clock, 2 * lifetime)),
    ];
    const first = await one.signing();
    clock.pass(2 * lifetime + 1);
    const second = await one.signing();
    expect(second.id).not.toBe(first.id);
    expect((await one.published()).map(({ kid }) => kid)).toEqual([second.id, first.id]);
    expect(await two.checking(first.id)).toHaveLength(1);
    expect((await two.signing()).id).toBe(second.id);
    clock.pass(lifetime + 60_001);
    expect((await two.published()).map(({ kid }) => kid)).toEqual([second.id]);
    expect(await two.checking(first.id)).toEqual([]);
  });

  test('of another process are found by the tokens that name them, not once for every token', async () => {
    const store = new MemoryAccountStore();
    const clock = new LeapingClock();
    const [one, two] = [new OwnKeys(options(store, clock)), new OwnKeys(options(store, clock))];
    await one.signing();
    await two.signing();
    await one.rotate();
    let reads = 0;
    const signingKeys = store.signingKeys.bind(store);
    store.signingKeys = () => {
      reads++;
      return signingKeys();
    };
    const { id } = await one.signing();
    clock.pass(5_000);
    expect(await two.checking(id)).toHaveLength(1);
    await Promise.all(Array.from({ length: 100 }, (_, n) => two.checking(`unknown ${n}`)));
    expect(reads).toBeLessThanOrEqual(2);
  });

  test('S-92: are encrypted where there is a secret, and publish no private part', async () => {
    const store = new MemoryAccountStore();
    const clock = new LeapingClock();
    const keys = new OwnKeys(options(store, clock, undefined, 'a secret'));
    await keys.signing();
    const [kept] = await store.signingKeys();
    expect(kept?.privateKey).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    const [published] = await keys.published();
    expect(Object.keys(published ?? {}).sort()).toEqual(['e', 'kid', 'kty', 'n', 'use']);
    const other = new OwnKeys(options(store, clock, undefined, 'another secret'));
    await expect(other.signing()).rejects.toMatchObject({ code: 'connector_failed' });
  });
});

test('preset strict makes its key itself', async () => {
  const bed = await authBed(
    `preset = "strict"\n password {\n memory = 19456\n iterations = 1\n breach_check = false\n }`,
  );
  const made = await bed.register(ana, 'Correct-Horse-Battery-7');
  expect(made.status).toBe(201);
  expect(await bed.caller(made.body.access_token)).toMatchObject({ email: ana });
  const { body, headers } = await bed.ask('jwks');
  expect(body.keys).toEqual([
    { alg: 'RS256', e: 'AQAB', kid: expect.any(String), kty: 'RSA', n: expect.any(String), use: 'sig' },
  ]);
  expect(headers['cache-control']).toBe('public, max-age=60');
});
