import type { Grant, OpenIdClient } from '../../../oidc/client.ts';
import type { OpenIdSettings } from '../../../oidc/settings.ts';
import type { ProviderProfile } from '../profile.ts';

/** Which endpoints a provider is usually named in; each finds every provider. */
export type Family = 'social' | 'sso';

/** An identity provider that is configured. */
export interface ConfiguredProvider {
  readonly name: string;
  readonly family: Family;
  readonly settings: OpenIdSettings;
  /** Further parameters of the address that a sign-in begins with. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether it posts its answer, from its own page, so that the cookie of the sign-in must come along. */
  readonly posts: boolean;
  /** Who signed in. `said`: what the browser brought back. Rejects with an OpenIdFailure. */
  profile(grant: Grant, client: OpenIdClient, said: ProviderAnswer, signal: AbortSignal): Promise<ProviderProfile>;
}

/** What the browser brought back; a parameter that came twice is a list. */
export type ProviderAnswer = Readonly<Record<string, unknown>>;
