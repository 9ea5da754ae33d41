import type { AuthSettings } from '../../settings.ts';

/** For whom passkeys are made (WebAuthn Level 3, section 4). */
export interface RelyingParty {
  /** A domain. */
  readonly id: string;
  /** Undefined: that of the service. */
  readonly name: string | undefined;
  /** Of the pages that may ask. */
  readonly origins: readonly string[];
}

/** Undefined where passkeys are not offered, or nothing says for which domain they are. */
export function relyingPartyOf({
  mfa,
  base_url: base,
}: Pick<AuthSettings, 'mfa' | 'base_url'>): RelyingParty | undefined {
  if (!mfa.enabled || !mfa.methods.includes('webauthn')) return undefined;
  const address = base === undefined ? undefined : (URL.parse(base) ?? undefined);
  const id = mfa.webauthn?.rp_id ?? address?.hostname;
  const origins = mfa.webauthn?.rp_origins ?? (address === undefined ? [] : [address.origin]);
  if (id === undefined || origins.length === 0) return undefined;
  return { id, name: mfa.webauthn?.rp_name, origins };
}
