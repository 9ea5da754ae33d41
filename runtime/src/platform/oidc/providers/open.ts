import { ClientKey } from '../../net/oauth/client-key.ts';
import { OpenIdClient } from '../client.ts';
import type { OpenIdServices, OpenIdSettings } from '../settings.ts';
import type { ProviderDescription } from './provider.ts';

/** Makes the client of a provider, and reads its key. Rejects with a Failure where the key cannot be used. */
export async function openIdClient(
  { settings, writtenKey }: Pick<ProviderDescription, 'settings' | 'writtenKey'>,
  connection: Pick<OpenIdSettings, 'tls' | 'timeout'>,
  services: OpenIdServices & { readonly directory: string },
): Promise<OpenIdClient> {
  const clientKey = writtenKey === undefined ? undefined : await ClientKey.read(writtenKey, services.directory);
  return new OpenIdClient({ ...settings, clientKey, ...connection }, services);
}
