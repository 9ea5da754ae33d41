import { createHmac } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import * as second from 'openid-client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type OpenIdStandIn, signingKey } from '../../../../test/support/servers/openid/stand-in.ts';
import { clientOf, failureOf, redirectUri, secret, signIn, standIn } from './testing/bed.ts';

/** A key that is not the provider's; it costs time to make. */
const other = signingKey('k1');

/** Claims of a table; their times are seconds from now. */
function withTimes(claims: Record<string, unknown>): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === 'number' && name !== 'sub' ? now + value : value,
    ]),
  );
}
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function bed() {
  const provider = await standIn();
  const { client } = clientOf({ issuer: provider.issuer });
  client.open();
  return { provider, client };
}

const unacceptable = (check: string) => ({
  code: 'connector_failed',
  reason: 'unacceptable',
  check,
  retriable: false,
  message: `the identity provider "idp" answered what is not accepted: an id_token that does not pass the check of: ${check}`,
});

/** What of the claims is wrong, and the check that it does not pass. */
const refused: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['of another issuer', { iss: 'https://idp.example.test' }, 'iss'],
  ['without an issuer', { iss: undefined }, 'iss'],
  ['for another client', { aud: 'other' }, 'aud'],
  ['for several clients without this one', { aud: ['other', 'third'] }, 'aud'],
  ['without an audience', { aud: undefined }, 'aud'],
  ['for several clients that says not for whom it was made', { aud: ['app', 'other'] }, 'azp'],
  ['for several clients that was made for another', { aud: ['app', 'other'], azp: 'other' }, 'azp'],
  ['that was made for another client', { azp: 'other' }, 'azp'],
  ['that has ended', { exp: -60 }, 'exp'],
  ['that never ends', { exp: undefined }, 'exp'],
  ['that ends at what is not a time', { exp: 'tomorrow' }, 'exp'],
  ['that is not valid yet', { nbf: 600 }, 'nbf'],
  ['that is of the future', { iat: 600 }, 'iat'],
  ['without the time it was made at', { iat: undefined }, 'iat'],
  ['with another nonce', { nonce: 'another' }, 'nonce'],
  ['without a nonce', { nonce: undefined }, 'nonce'],
  ['with a nonce that is not a text', { nonce: ['a'] }, 'nonce'],
  ['of another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'at_hash'],
  ['without a subject', { sub: undefined }, 'sub'],
  ['with an empty subject', { sub: '' }, 'sub'],
  ['with a subject that is not a text', { sub: 7 }, 'sub'],
];

/** What is right, though unusual. */
const accepted: readonly (readonly [string, Record<string, unknown>])[] = [
  ['for several clients that was made for this one', { aud: ['other', 'app'], azp: 'app' }],
  ['that ended within the leeway', { exp: -10 }],
  ['of a clock that is a little ahead', { iat: 10 }],
  ['without a digest of the access token', { at_hash: undefined }],
];

describe('S-39: an id_token', () => {
  test('that is right gives its claims, as exact as they were written', async () => {
    const { provider, client } = await bed();
    provider.claims = { groups: ['a'], big: 1 };
    provider.idToken = async (claims) => {
      const [head, body] = (await provider.sign(claims)).split('.');
      const exact = Buffer.from(body!, 'base64url').toString().replace('"big":1', '"big":12345678901234567890');
      return signedAgain(provider, `${head}.${Buffer.from(exact).toString('base64url')}`);
    };
    const { claims } = await signIn(client, provider);
    expect(claims).toMatchObject({ sub: 'ana', aud: 'app', groups: ['a'], big: 12_345_678_901_234_567_890n });
  });

  test.each(refused)('%s is refused', async (_what, claims, check) => {
    const { provider, client } = await bed();
    provider.claims = withTimes(claims);
    expect(await failureOf(signIn(client, provider))).toEqual(unacceptable(check));
  });

  test.each(accepted)('%s is accepted', async (_what, claims) => {
    const { provider, client } = await bed();
    provider.claims = withTimes(claims);
    expect((await signIn(client, provider)).claims?.sub).toBe('ana');
  });

  test.each<[string, (provider: OpenIdStandIn, claims: Record<string, unknown>) => string | Promise<string>, string]>([
    ['signed by another key of the same name', async (p, claims) => p.sign(claims, await other), 'signature'],
    [
      'signed by a key that is not published',
      async (p, claims) => p.sign(claims, { ...(await other), kid: 'k2' }),
      'key',
    ],
    [
      'whose header brings a key of its own',
      async (p, claims) => {
        const key = { ...(await other), kid: 'evil' };
        return p.sign(claims, key, { jwk: key.jwk, jku: `${p.issuer}/evil` });
      },
      'key',
    ],
    ['that is not signed', (_, claims) => new UnsecuredJWT(claims).encode(), 'alg'],
    [
      'whose signature was taken away',
      async (p, claims) => `${(await p.sign(claims)).split('.', 2).join('.')}.`,
      'signature',
    ],
    [
      'whose claims were changed',
      async (p, claims) => {
        const [head, , signature] = (await p.sign(claims)).split('.');
        return `${head}.${part({ ...claims, sub: 'root' })}.${signature}`;
      },
      'signature',
    ],
    ['signed with the secret of the client', (_, claims) => hmac(claims, secret), 'alg'],
    ['signed with the public key as a secret', (p, claims) => hmac(claims, JSON.stringify(p.keys[0]!.jwk)), 'alg'],
    [
      'signed by an algorithm that the document does not name',
      async (p, claims) => {
        const key = await signingKey('k3', 'ES256');
        p.keys.push(key);
        return p.sign(claims, key);
      },
      'alg',
    ],
    [
      'with an extension that must be understood',
      async (p, claims) =>
        p
          .sign(claims, undefined, { crit: ['x'], x: 1 } as never)
          .catch(() => `${part({ alg: 'RS256', kid: 'k1', crit: ['x'], x: 1 })}.${part(claims)}.AAAA`),
      'form',
    ],
    [
      'whose claims are too deep',
      async (p, claims) => p.sign({ ...claims, deep: JSON.parse('['.repeat(500) + ']'.repeat(500)) }),
      'form',
    ],
    ['that is encrypted', () => 'a.b.c.d.e', 'form'],
    ['that is not a token', () => 'nonsense', 'form'],
    ['that is not JSON', () => `${part({ alg: 'RS256', kid: 'k1' })}.!!!.AAAA`, 'signature'],
  ])('%s is refused', async (_what, make, check) => {
    const { provider, client } = await bed();
    provider.idToken = (claims) => make(provider, claims);
    expect(await failureOf(signIn(client, provider))).toEqual(unacceptable(check));
  });

  test.each(['RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'])(
    'signed by %s is accepted where the document names it',
    async (alg) => {
      const { provider } = await bed();
      const key = await signingKey('k9', alg);
      provider.keys = [key];
      provider.document['id_token_signing_alg_values_supported'] = [alg, 'HS256', 'none'];
      // The digest of the access token is as long as that of the signature.
      provider.claims = { at_hash: undefined };
      const { client } = clientOf({ issuer: provider.issuer });
      client.open();
      expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    },
  );

  test('that is missing is refused', async () => {
    const { provider, client } = await bed();
    provider.tokens = { id_token: undefined };
    expect(await failureOf(signIn(client, provider))).toMatchObject({ reason: 'unacceptable', check: 'id_token' });
  });

  test('after a refresh names the same person, and needs no nonce', async () => {
    const { provider, client } = await bed();
    await signIn(client, provider);
    const refreshed = await client.refresh({ refreshToken: 'refresh of ana', subject: 'ana' });
    expect(refreshed.claims?.sub).toBe('ana');
    expect(await failureOf(client.refresh({ refreshToken: 'refresh of eve', subject: 'ana' }))).toEqual(
      unacceptable('sub'),
    );
  });
});

test('S-39: what is right though unusual is accepted by another client too', async () => {
  const provider = await standIn();
  const { client } = clientOf({ issuer: provider.issuer });
  client.open();
  const config = await second.discovery(new URL(provider.issuer), 'app', secret, undefined, {
    execute: [second.allowInsecureRequests, second.enableNonRepudiationChecks],
  });
  const decides = async (claims: Record<string, unknown>) => {
    const pkceCodeVerifier = second.randomPKCECodeVerifier();
    const expectedState = second.randomState();
    const expectedNonce = second.randomNonce();
    const url = second.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await second.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    });
    const answer = new URL(`${redirectUri}?${new URLSearchParams(provider.signIn(url.href))}`);
    provider.claims = withTimes(claims);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce };
    const theirs = await second.authorizationCodeGrant(config, answer, checks).then(
      () => 'accepted',
      () => 'refused',
    );
    const ours = await signIn(client, provider).then(
      () => 'accepted',
      () => 'refused',
    );
    return { ours, theirs };
  };
  for (const [, claims] of accepted)
    expect({ claims, ...(await decides(claims)) }).toEqual({ claims, ours: 'accepted', theirs: 'accepted' });
});

describe('keys of an issuer', () => {
  test('S-13: are fetched again for a name that is not known, once in 30 s however many names come', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { provider, client } = await bed();
    await signIn(client, provider);
    const storm = async () => {
      for (let times = 0; times < 20; times++) {
        provider.idToken = async (claims) => provider.sign(claims, { ...(await other), kid: `unknown ${times}` });
        expect(await failureOf(signIn(client, provider))).toEqual(unacceptable('key'));
      }
    };
    await storm();
    expect(provider.count('GET /keys')).toBe(1);
    vi.setSystemTime(Date.now() + 31_000);
    await storm();
    expect(provider.count('GET /keys')).toBe(2);
  });

  test('that are replaced are fetched again, with and without a name', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { provider, client } = await bed();
    for (const name of ['k1', 'k2', undefined, undefined]) {
      provider.keys = [await signingKey(name)];
      vi.setSystemTime(Date.now() + 31_000);
      expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    }
    expect(provider.count('GET /keys')).toBe(4);
    provider.idToken = async (claims) => provider.sign(claims, await signingKey(undefined));
    for (let times = 0; times < 5; times++)
      expect(await failureOf(signIn(client, provider))).toEqual(unacceptable('signature'));
    expect(provider.count('GET /keys')).toBe(4);
  });

  test('without a name check tokens without one, as long as there is one alone', async () => {
    const { provider, client } = await bed();
    provider.keys = [await signingKey(undefined)];
    expect((await signIn(client, provider)).claims?.sub).toBe('ana');
    provider.keys = [await signingKey(undefined), await signingKey(undefined)];
    const { client: later } = clientOf({ issuer: provider.issuer });
    later.open();
    expect(await failureOf(signIn(later, provider))).toEqual(unacceptable('key'));
  });

  test('that cannot be read are a provider that is unavailable', async () => {
    const { provider, client } = await bed();
    provider.instead.set('/keys', { status: 500 });
    expect(await failureOf(signIn(client, provider))).toEqual({
      code: 'provider_unavailable',
      reason: 'unavailable',
      retriable: true,
      retryAfter: 1_000,
      message: 'the identity provider "idp" is unavailable: its keys cannot be read',
    });
  });
});

function hmac(claims: Record<string, unknown>, key: string): string {
  const text = `${part({ alg: 'HS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

async function signedAgain(provider: OpenIdStandIn, text: string): Promise<string> {
  const { privateKey } = provider.keys[0]!;
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(text));
  return `${text}.${Buffer.from(signature).toString('base64url')}`;
}
