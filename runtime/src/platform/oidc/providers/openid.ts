import type { Grant, OpenIdClient } from '../client.ts';
import { type Claims, flagClaim, type ProviderProfile, pictureClaim, textClaim } from './profile.ts';
import type { ProviderDescription, WrittenClient } from './provider.ts';
import { usualClaims } from './spec.ts';

const usualScopes = ['openid', 'email', 'profile'];

/** Names of claims that a person is read from, by what they mean. */
export type ClaimNames = Readonly<Record<keyof typeof usualClaims, string>>;

/** A provider of OpenID Connect. `names`: claims that differ from those that are usual. */
export function openIdProvider(
  written: WrittenClient & { readonly issuer: string },
  names: Readonly<Record<string, string>> = {},
): ProviderDescription {
  const {
    name,
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    client_auth: authentication,
    scopes = usualScopes,
  } = written;
  const claimNames: ClaimNames = { ...usualClaims, ...names };
  return {
    settings: { name, provider: { issuer }, clientId, clientSecret, authentication, scopes },
    writtenKey: written.client_key,
    parameters: {},
    posts: false,
    profile: (grant, client, _said, signal) => openIdProfile(grant, client, claimNames, signal),
  };
}

/** The claims of the id_token, and where it says no address, those of the profile too. */
async function openIdProfile(
  grant: Grant,
  client: OpenIdClient,
  names: ClaimNames,
  signal: AbortSignal | undefined,
): Promise<ProviderProfile> {
  const { claims, accessToken } = grant;
  if (claims === undefined) throw new Error('a provider of OpenID Connect gave no id_token');
  const isWhole =
    Object.values(names).every((name) => name in claims) ||
    textClaim(claims, names.email) !== '' ||
    !(await client.hasProfiles(signal));
  // Names of the id_token win: they are signed for this service.
  const all: Claims = isWhole
    ? claims
    : { ...(await client.userinfo({ accessToken, subject: claims.sub, signal })), ...claims };
  return profileOf(String(claims['iss']), all, names);
}

export function profileOf(issuer: string, claims: Claims, names: ClaimNames): ProviderProfile {
  return {
    issuer,
    subject: textClaim(claims, names.id),
    email: textClaim(claims, names.email),
    emailVerified: flagClaim(claims, names.email_verified),
    name: textClaim(claims, names.name),
    picture: pictureClaim(claims, names.picture),
    claims,
  };
}
