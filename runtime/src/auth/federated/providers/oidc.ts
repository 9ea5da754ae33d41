import type { Grant, OpenIdClient } from '../../../oidc/client.ts';
import type { WrittenAuth } from '../../settings.ts';
import { addressClaim, type Claims, flagClaim, type ProviderProfile, pictureClaim, textClaim } from '../profile.ts';
import { usualClaims } from '../spec.ts';
import type { ConfiguredProvider, Family } from './provider.ts';

type WrittenOidc = NonNullable<WrittenAuth['oidc']>[number];
type WrittenWeb = NonNullable<NonNullable<WrittenAuth['social']>['web_idp']>;

const usualScopes = ['openid', 'email', 'profile'];

/** A provider of an `oidc` block. */
export function oidcProvider(written: WrittenOidc): ConfiguredProvider {
  return openIdProvider(written.label, 'sso', written, { ...usualClaims, ...written.claims });
}

/** The large web provider. */
export function webProvider(written: WrittenWeb): ConfiguredProvider {
  return openIdProvider('web_idp', 'social', written, usualClaims);
}

function openIdProvider(
  name: string,
  family: Family,
  written: Pick<WrittenOidc, 'issuer' | 'client_id' | 'client_secret' | 'scopes'>,
  mapped: Readonly<Record<string, string>>,
): ConfiguredProvider {
  const { issuer, client_id: clientId, client_secret: clientSecret, scopes = usualScopes } = written;
  return {
    name,
    family,
    settings: { name, provider: { issuer }, clientId, clientSecret, scopes },
    parameters: {},
    posts: false,
    profile: (grant, client, _said, signal) => openIdProfile(grant, client, mapped, signal),
  };
}

/** The claims of the id_token, and where it says no address, those of the profile too. */
async function openIdProfile(
  grant: Grant,
  client: OpenIdClient,
  mapped: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ProviderProfile> {
  const { claims, accessToken } = grant;
  if (claims === undefined) throw new Error('a provider of OpenID Connect gave no id_token');
  const wanted = Object.values(mapped);
  const isWhole = wanted.every((name) => name in claims) || textClaim(claims, mapped['email'] as string) !== '';
  // Names of the id_token win: they are signed for this service.
  const all: Claims = isWhole
    ? claims
    : { ...(await client.userinfo({ accessToken, subject: claims.sub, signal })), ...claims };
  return profileOf(String(claims['iss']), all, mapped);
}

export function profileOf(issuer: string, claims: Claims, mapped: Readonly<Record<string, string>>): ProviderProfile {
  const of = (name: keyof typeof usualClaims) => mapped[name] as string;
  const further = Object.entries(mapped).filter(([name]) => !Object.hasOwn(usualClaims, name));
  return {
    issuer,
    subject: textClaim(claims, of('id')),
    email: addressClaim(claims, of('email')),
    emailVerified: flagClaim(claims, of('email_verified')),
    name: textClaim(claims, of('name')),
    picture: pictureClaim(claims, of('picture')),
    further: Object.fromEntries(
      further.flatMap(([name, claim]) => {
        const value = textClaim(claims, claim);
        return value === '' ? [] : [[name, value] as const];
      }),
    ),
  };
}
