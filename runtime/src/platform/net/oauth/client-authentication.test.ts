import { constants, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { methodOf, type OAuthClient, proveClient } from './client-authentication.ts';
import { ClientKey } from './client-key.ts';
import { clientProblem } from './spec.ts';

const now = 1_700_000_000_000;
const url = 'https://id.example.test/token';
const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
const keys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'rsa-pss': generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ed25519: generateKeyPairSync('ed25519'),
};

async function proved(client: Partial<OAuthClient>, endpoint: object = {}) {
  const form = new URLSearchParams();
  const proof = await proveClient(
    form,
    { clientId: 'shop', clientSecret: undefined, ...client },
    { url, ...endpoint },
    now,
  );
  return { ...proof, form: form.toString() };
}

const basic = (text: string) => ['authorization', `Basic ${Buffer.from(text).toString('base64')}`];

describe('a client proves itself by one method', () => {
  test.each([
    ['basic', 'shop', 's', 'shop:s'],
    ['a secret of base64', 'shop', 'q+Zt/8w=', 'shop:q%2BZt%2F8w%3D'],
    ['what looks encoded', 'shop', '%41', 'shop:%2541'],
    ['colons, spaces and other letters', 'a:b c', 'é ~*', 'a%3Ab+c:%C3%A9+%7E*'],
    ['an empty secret', 'shop', '', 'shop:'],
  ])('by a header: %s', async (_what, clientId, clientSecret, text) => {
    expect(await proved({ clientId, clientSecret })).toMatchObject({ method: 'basic', headers: basic(text), form: '' });
  });

  test('by fields of the form, which encodes them once', async () => {
    expect(await proved({ clientId: 'a:b', clientSecret: '+%41 é', authentication: 'post' })).toMatchObject({
      headers: [],
      form: 'client_id=a%3Ab&client_secret=%2B%2541+%C3%A9',
    });
  });

  test.each(['tls', 'none'] as const)('by its name alone: %s', async (authentication) => {
    expect(await proved({ authentication })).toEqual({
      method: authentication,
      headers: [],
      secrets: [],
      form: 'client_id=shop',
    });
  });

  test.each([
    ['what is written', 'post', 's', ['basic'], 'post'],
    ['the header, where nothing is said', undefined, 's', undefined, 'basic'],
    ['the header, where both are offered', undefined, 's', ['post', 'basic'], 'basic'],
    ['the form, where it alone is offered', undefined, 's', ['private_key_jwt', 'post'], 'post'],
    ['none without a secret', undefined, undefined, ['basic'], 'none'],
    ['no method, where no secret is taken', undefined, 's', ['tls'], undefined],
  ] as const)('%s', (_what, authentication, clientSecret, offered, method) => {
    expect(methodOf({ authentication, clientSecret }, offered)).toBe(method);
  });
});

describe('a client key', () => {
  test.each([
    ['rsa', undefined, 'RS256'],
    ['rsa', ['ES256', 'PS256'], 'PS256'],
    ['P-256', undefined, 'ES256'],
    ['P-384', undefined, 'ES384'],
    ['ed25519', undefined, 'EdDSA'],
  ] as const)('%s signs for a provider that names %j by %s', async (kind, algorithms, alg) => {
    const clientKey = await ClientKey.read(pem(keys[kind].privateKey), '.');
    const client = { authentication: 'private_key_jwt', clientKey } as const;
    const { form, headers, secrets } = await proved(client, { algorithms });
    const fields = new URLSearchParams(form);
    const assertion = fields.get('client_assertion') ?? '';
    expect([headers, secrets, [...fields.keys()], fields.get('client_assertion_type')]).toEqual([
      [],
      [assertion],
      ['client_id', 'client_assertion_type', 'client_assertion'],
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    ]);
    const verified = await jwtVerify(assertion, keys[kind].publicKey, {
      currentDate: new Date(now),
      algorithms: [alg],
    });
    const iat = now / 1000;
    expect(verified.payload).toEqual({
      iss: 'shop',
      sub: 'shop',
      aud: url,
      jti: expect.any(String),
      iat,
      exp: iat + 60,
    });
    const other = new URLSearchParams((await proved(client, { algorithms })).form).get('client_assertion') ?? '';
    expect(decodeJwt(other).jti).not.toBe(verified.payload.jti);
  });

  test('of RSA-PSS signs by PS256', async () => {
    const clientKey = await ClientKey.read(pem(keys['rsa-pss'].privateKey), '.');
    const assertion = clientKey.assertion({ clientId: 'shop', audience: url, accepted: undefined, now });
    const at = assertion.lastIndexOf('.');
    const key = createPublicKey(keys['rsa-pss'].privateKey);
    const how = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const signature = Buffer.from(assertion.slice(at + 1), 'base64url');
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'PS256' });
    expect(verify('sha256', Buffer.from(assertion.slice(0, at)), how, signature)).toBe(true);
  });

  test.each([
    ['is empty', '', 'client_key is empty'],
    [
      'is a public key',
      String(keys.rsa.publicKey.export({ type: 'spki', format: 'pem' })),
      'client_key is not a private key',
    ],
    [
      'is damaged',
      '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
      'client_key is not a private key',
    ],
    ['is too short', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey), 'fewer than 2048 bits'],
    ['cannot sign', pem(generateKeyPairSync('x25519').privateKey), 'client_key is not an RSA key, a key of the curve'],
  ])('that %s is refused', async (_what, written, message) => {
    const error = await ClientKey.read(written, '.').then(String, String);
    expect(error).toContain(message);
    expect(error).not.toContain('c2VjcmV0');
  });

  test('is not used where the provider takes none of its algorithms', async () => {
    const clientKey = await ClientKey.read(pem(keys['P-256'].privateKey), '.');
    await expect(proved({ authentication: 'private_key_jwt', clientKey }, { algorithms: ['RS256'] })).rejects.toThrow(
      'the provider takes signatures by RS256, which client_key does not make',
    );
  });
});

test.each([
  ['no certificate', { client_auth: 'tls' }, undefined, 'needs a certificate'],
  ['a block that is switched off', { client_auth: 'tls' }, { enabled: false, cert: 'a.pem' }, 'needs a certificate'],
  [
    'an address in clear',
    { client_auth: 'tls', token_url: 'http://a.test/' },
    { cert: 'a.pem' },
    'needs a provider at https',
  ],
  ['a public key', { client_key: '-----BEGIN PUBLIC KEY-----' }, undefined, 'is not a private key'],
  ['a certificate', { client_auth: 'tls', issuer: 'https://a.test' }, { cert: 'a.pem' }, undefined],
  ['a path', { client_auth: 'private_key_jwt', client_key: 'keys/a.pem' }, undefined, undefined],
] as const)('what cannot work is known before it runs: %s', (_what, client, tls, says) => {
  const problem = clientProblem(client, tls)?.says;
  if (says === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(says);
});
