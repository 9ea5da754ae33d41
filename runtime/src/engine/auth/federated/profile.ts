import { type ProviderProfile, textClaim } from '../../../platform/oidc/providers/profile.ts';
import { normalisedEmail } from '../accounts/email.ts';
import type { ConfiguredProvider } from './providers/provider.ts';

/** Who a person is at a provider, as accounts are found and made by it. */
export interface IdentityProfile extends Omit<ProviderProfile, 'email' | 'claims'> {
  /** Normalised; undefined where the provider gives none that is an address. */
  readonly email: string | undefined;
  /** What the account keeps besides, when it is made. */
  readonly further: Readonly<Record<string, string>>;
}

/** What a provider says of a person, without what accounts do not take. */
export function identityProfile(
  { claims, email, ...profile }: ProviderProfile,
  { kept }: Pick<ConfiguredProvider, 'kept'>,
): IdentityProfile {
  const further = Object.entries(kept).map(([name, claim]) => [name, textClaim(claims, claim)] as const);
  return {
    ...profile,
    email: normalisedEmail(email),
    further: Object.fromEntries(further.filter(([, value]) => value !== '')),
  };
}
