import type { AuthSettings } from '../../settings.ts';
import { webauthn } from '../spec.ts';

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

/** The same, where its endpoints are served. */
export function requiredRelyingParty(settings: Pick<AuthSettings, 'mfa' | 'base_url'>): RelyingParty {
  const party = relyingPartyOf(settings);
  if (party === undefined) throw new Error('passkeys are not offered');
  return party;
}

type WebauthnSettings = Pick<
  NonNullable<AuthSettings['mfa']['webauthn']>,
  'attestation' | 'user_verification' | 'timeout'
>;

/** What is written of ceremonies, or usual. */
export function webauthnSettings({ mfa }: Pick<AuthSettings, 'mfa'>): WebauthnSettings {
  return mfa.webauthn ?? usual;
}

const usual: WebauthnSettings = Object.fromEntries(
  Object.entries(webauthn.attributes).map(([name, attribute]) => [
    name,
    'default' in attribute ? attribute.default : undefined,
  ]),
) as unknown as WebauthnSettings;
