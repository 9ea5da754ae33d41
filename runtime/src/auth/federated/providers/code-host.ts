import type { Grant, OpenIdClient } from '../../../oidc/client.ts';
import type { WrittenAuth } from '../../settings.ts';
import { addressClaim, type Claims, flagClaim, type ProviderProfile, pictureClaim, textClaim } from '../profile.ts';
import type { ConfiguredProvider } from './provider.ts';

type Written = NonNullable<NonNullable<WrittenAuth['social']>['code_host_idp']>;

const name = 'code_host_idp';
const usualScopes = ['read:user', 'user:email'];

/** The code host: OAuth 2.0 with a profile and a list of addresses. */
export function codeHostProvider(written: Written): ConfiguredProvider {
  const { client_id: clientId, client_secret: clientSecret, scopes = usualScopes } = written;
  const { auth_url: authorization, token_url: token, userinfo_url: userinfo, emails_url: emails } = written;
  return {
    name,
    family: 'social',
    settings: {
      name,
      provider: { endpoints: { authorization, token, userinfo, resources: [emails] } },
      clientId,
      clientSecret,
      scopes,
    },
    parameters: {},
    posts: false,
    profile: (grant, client, _said, signal) => profileOf(grant, client, new URL(userinfo).origin, emails, signal),
  };
}

async function profileOf(
  { accessToken }: Grant,
  client: OpenIdClient,
  issuer: string,
  emails: string,
  signal: AbortSignal,
): Promise<ProviderProfile> {
  const [profile, listed] = await Promise.all([
    client.userinfo({ accessToken, signal }),
    client.resource(emails, { accessToken, signal }),
  ]);
  const own = ownAddress(listed);
  return {
    issuer,
    // A number, which is exact here; names can be given to another person.
    subject: textClaim(profile, 'id'),
    email: own && addressClaim(own, 'email'),
    emailVerified: own !== undefined,
    name: textClaim(profile, 'name') || textClaim(profile, 'login'),
    picture: pictureClaim(profile, 'avatar_url'),
    further: {},
  };
}

/** The primary address, where it is verified; else the first one that is. */
function ownAddress(listed: unknown): Claims | undefined {
  const all = Array.isArray(listed)
    ? listed.filter((each): each is Claims => typeof each === 'object' && each !== null)
    : [];
  const verified = all.filter((each) => flagClaim(each, 'verified'));
  return verified.find((each) => flagClaim(each, 'primary')) ?? verified[0];
}
