import type { Grant } from '../../platform/oidc/client.ts';
import { flagClaim, type ProviderProfile, textClaim } from '../../platform/oidc/providers/profile.ts';

type Row = Readonly<Record<string, unknown>>;

/** Claims that are answered where the provider says them. */
const further = ['given_name', 'family_name', 'locale'] as const;

/** What `refresh` answers. An empty text is a token that was not given, 0 seconds a time that was not said. */
export function tokensOf({ accessToken, refreshToken = '', expiresIn = 0 }: Grant): Row {
  return { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn };
}

/** What `callback` answers. Texts that the provider does not say are empty. */
export function connectedAccount(provider: string, profile: ProviderProfile, grant: Grant): Row {
  const { subject, email, name, picture, claims } = profile;
  const said = further.map((claim) => [claim, textClaim(claims, claim)] as const).filter(([, value]) => value !== '');
  return {
    provider_id: subject,
    // Without one that is known to be verified, the one that the person shows to everyone.
    email: email || textClaim(claims, 'email'),
    name,
    picture,
    provider,
    ...tokensOf(grant),
    ...Object.fromEntries(said),
    ...verified(profile),
  };
}

/** Some providers write it as a text; others verify what they list, and do not say so of each profile. */
function verified({ emailVerified, claims }: ProviderProfile): Row {
  if (emailVerified) return { email_verified: true };
  return Object.hasOwn(claims, 'email_verified') ? { email_verified: flagClaim(claims, 'email_verified') } : {};
}
