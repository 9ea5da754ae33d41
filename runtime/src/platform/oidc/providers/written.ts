import type { Grant, OpenIdClient } from '../client.ts';
import { profileOf } from './openid.ts';
import { type ProviderProfile, pictureClaim, textClaim } from './profile.ts';
import type { ProviderDescription, WrittenClient } from './provider.ts';
import { usualClaims } from './spec.ts';

interface Written extends WrittenClient {
  readonly auth_url: string;
  readonly token_url: string;
  /** Absent: nothing is known of who signed in. */
  readonly userinfo_url?: string | undefined;
}

/** A provider of OAuth 2.0 whose endpoints the configuration writes. */
export function writtenProvider(written: Written): ProviderDescription {
  const { name, client_id: clientId, client_secret: clientSecret, client_auth: authentication, scopes = [] } = written;
  const { auth_url: authorization, token_url: token, userinfo_url: userinfo } = written;
  const issuer = new URL(userinfo ?? token).origin;
  return {
    settings: {
      name,
      provider: { endpoints: { authorization, token, userinfo } },
      clientId,
      clientSecret,
      authentication,
      scopes,
    },
    writtenKey: written.client_key,
    parameters: {},
    posts: false,
    profile: async (grant, client, _said, signal) =>
      userinfo === undefined ? profileOf(issuer, {}, usualClaims) : readProfile(grant, client, issuer, signal),
  };
}

/** Names of OpenID Connect, and those that others write instead. */
async function readProfile(
  { accessToken }: Grant,
  client: OpenIdClient,
  issuer: string,
  signal: AbortSignal | undefined,
): Promise<ProviderProfile> {
  const claims = await client.userinfo({ accessToken, signal });
  const profile = profileOf(issuer, claims, usualClaims);
  return {
    ...profile,
    subject: profile.subject || textClaim(claims, 'id'),
    picture: profile.picture || pictureClaim(claims, 'avatar_url'),
  };
}
