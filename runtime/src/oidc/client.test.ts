import * as second from 'openid-client';
import { expect, onTestFinished, test } from 'vitest';
import { OpenIdProvider, redirectUri } from '../../../test/support/servers/openid/provider.ts';
import { clientOf } from './testing/bed.ts';

test('a certified provider: sign-in, profile, refresh; another client sees the same', async () => {
  const provider = await OpenIdProvider.start();
  onTestFinished(() => provider.stop());
  const { issuer } = provider;
  const { client, lines } = clientOf({ issuer }, { scopes: ['email', 'profile', 'offline_access'] });
  client.open();
  const { url, attempt } = await client.authorizationUrl({ redirectUri, parameters: { prompt: 'consent' } });
  const grant = await client.exchange({ answer: await provider.signIn(url), attempt });
  expect(grant).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresIn: 600,
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    claims: expect.any(Object),
  });
  const profile = await client.userinfo({ accessToken: grant.accessToken, subject: 'ana' });
  const refreshed = await client.refresh({ refreshToken: grant.refreshToken!, subject: 'ana' });

  const other = await second.discovery(new URL(issuer), 'app', 'secret of app', undefined, {
    execute: [second.allowInsecureRequests],
  });
  const verifier = second.randomPKCECodeVerifier();
  const nonce = second.randomNonce();
  const state = second.randomState();
  const otherUrl = second.buildAuthorizationUrl(other, {
    redirect_uri: redirectUri,
    scope: 'openid email profile offline_access',
    prompt: 'consent',
    code_challenge: await second.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  const answer = await provider.signIn(otherUrl.href);
  const otherGrant = await second.authorizationCodeGrant(
    other,
    new URL(`${redirectUri}?${new URLSearchParams(answer)}`),
    { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
  );
  const passing = { iat: 0, exp: 0, nonce: '', at_hash: '' };
  expect({ ...grant.claims, ...passing }).toEqual({ ...otherGrant.claims(), ...passing });
  expect(profile).toEqual(await second.fetchUserInfo(other, otherGrant.access_token, 'ana'));
  expect(refreshed.claims?.sub).toBe('ana');
  expect(refreshed.accessToken).not.toBe(grant.accessToken);
  expect(lines).toEqual([]);

  const names = (address: string) => [...new URL(address).searchParams.keys()].toSorted();
  expect(names(url)).toEqual(names(otherUrl.href).toSorted());
});
