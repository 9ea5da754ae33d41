import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { TlsConfig } from '../../../../platform/net/tls-spec.ts';
import { codeHostProvider } from '../../../../platform/oidc/providers/code-host.ts';
import { deviceProvider } from '../../../../platform/oidc/providers/device.ts';
import { openIdProvider } from '../../../../platform/oidc/providers/openid.ts';
import type { ProviderDescription } from '../../../../platform/oidc/providers/provider.ts';
import { usualClaims } from '../../../../platform/oidc/providers/spec.ts';
import type { AuthSettings } from '../../settings.ts';
import type { ConfiguredProvider, Family } from './provider.ts';

/** Every identity provider of a configuration, by its name. */
export function configuredProviders(
  { social, oidc }: Pick<AuthSettings, 'social' | 'oidc'>,
  clock: Clock,
): ReadonlyMap<string, ConfiguredProvider> {
  const { web_idp: web, code_host_idp: host, device_idp: device } = social ?? {};
  const all = [
    ...(web === undefined ? [] : [named('social', web.tls, openIdProvider({ ...web, name: 'web_idp' }))]),
    ...(host === undefined ? [] : [named('social', host.tls, codeHostProvider({ ...host, name: 'code_host_idp' }))]),
    ...(device === undefined
      ? []
      : [named('social', undefined, deviceProvider({ ...device, name: 'device_idp' }, clock))]),
    ...oidc.map((written) => {
      const { label: name, claims = {} } = written;
      const kept = Object.entries(claims).filter(([claim]) => !Object.hasOwn(usualClaims, claim));
      return named('sso', written.tls, openIdProvider({ ...written, name }, claims), Object.fromEntries(kept));
    }),
  ];
  return new Map(all.map((provider) => [provider.name, provider]));
}

function named(
  family: Family,
  tls: TlsConfig | undefined,
  provider: ProviderDescription,
  kept: ConfiguredProvider['kept'] = {},
): ConfiguredProvider {
  return { ...provider, name: provider.settings.name, family, tls, kept };
}
