import type { TlsConfig } from '../../../../platform/net/tls-spec.ts';
import type { ProviderDescription } from '../../../../platform/oidc/providers/provider.ts';

/** Which endpoints a provider is usually named in; each finds every provider. */
export type Family = 'social' | 'sso';

/** An identity provider that is configured. */
export interface ConfiguredProvider extends ProviderDescription {
  readonly name: string;
  readonly family: Family;
  readonly tls: TlsConfig | undefined;
  /** Further claims that an account keeps when it is made, by the names that it gives them. */
  readonly kept: Readonly<Record<string, string>>;
}
