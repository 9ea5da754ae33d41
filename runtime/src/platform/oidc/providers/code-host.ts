import type { Grant, OpenIdClient } from '../client.ts';
import { OpenIdFailure } from '../failure.ts';
import { type Claims, flagClaim, type ProviderProfile, pictureClaim, textClaim } from './profile.ts';
import type { ProviderDescription, WrittenClient } from './provider.ts';

interface Written extends WrittenClient {
  readonly auth_url: string;
  readonly token_url: string;
  readonly userinfo_url: string;
  readonly emails_url: string;
}

const usualScopes = ['read:user', 'user:email'];

/** The code host: OAuth 2.0 with a profile and a list of addresses. */
export function codeHostProvider(written: Written): ProviderDescription {
  const {
    name,
    client_id: clientId,
    client_secret: clientSecret,
    client_auth: authentication = 'post',
    scopes = usualScopes,
  } = written;
  const { auth_url: authorization, token_url: token, userinfo_url: userinfo, emails_url: emails } = written;
  return {
    settings: {
      name,
      provider: { endpoints: { authorization, token, userinfo, resources: [emails] } },
      clientId,
      clientSecret,
      authentication,
      scopes,
    },
    writtenKey: written.client_key,
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
  signal: AbortSignal | undefined,
): Promise<ProviderProfile> {
  const [profile, listed] = await Promise.all([
    client.userinfo({ accessToken, signal }),
    client.resource(emails, { accessToken, signal }).catch(refusedList),
  ]);
  const own = ownAddress(listed);
  return {
    issuer,
    // A number, which is exact here; names can be given to another person.
    subject: textClaim(profile, 'id'),
    email: own === undefined ? '' : textClaim(own, 'email'),
    emailVerified: own !== undefined,
    name: textClaim(profile, 'name') || textClaim(profile, 'login'),
    picture: pictureClaim(profile, 'avatar_url'),
    claims: profile,
  };
}

/** Scopes that leave addresses out are a choice of the configuration, not a failed sign-in. */
function refusedList(error: unknown): undefined {
  const status = error instanceof OpenIdFailure ? error.upstream?.status : undefined;
  if (status !== 403 && status !== 404) throw error;
}

/** The primary address, where it is verified; else the first one that is. */
function ownAddress(listed: unknown): Claims | undefined {
  const all = Array.isArray(listed)
    ? listed.filter((each): each is Claims => typeof each === 'object' && each !== null)
    : [];
  const verified = all.filter((each) => flagClaim(each, 'verified'));
  return verified.find((each) => flagClaim(each, 'primary')) ?? verified[0];
}
