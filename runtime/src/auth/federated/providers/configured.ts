import type { Clock } from '../../../observe/clock.ts';
import type { AuthSettings } from '../../settings.ts';
import { codeHostProvider } from './code-host.ts';
import { deviceProvider } from './device.ts';
import { oidcProvider, webProvider } from './oidc.ts';
import type { ConfiguredProvider } from './provider.ts';

/** Every identity provider of a configuration, by its name. */
export function configuredProviders(
  { social, oidc }: Pick<AuthSettings, 'social' | 'oidc'>,
  clock: Clock,
): ReadonlyMap<string, ConfiguredProvider> {
  const all = [
    ...(social?.web_idp === undefined ? [] : [webProvider(social.web_idp)]),
    ...(social?.code_host_idp === undefined ? [] : [codeHostProvider(social.code_host_idp)]),
    ...(social?.device_idp === undefined ? [] : [deviceProvider(social.device_idp, clock)]),
    ...oidc.map(oidcProvider),
  ];
  return new Map(all.map((provider) => [provider.name, provider]));
}
