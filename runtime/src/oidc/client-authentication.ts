import type { ProviderFailures } from './failure.ts';
import type { ProviderMetadata } from './metadata.ts';
import type { ClientAuthentication, OpenIdSettings } from './settings.ts';

/** A client that has proved itself. */
export interface Proof {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The secret in every form in which it was sent: it is never shown. */
  readonly secrets: readonly string[];
}

/**
 * Adds to a request what proves the client to the token endpoint: a header, or fields of the form (RFC 6749, 2.3.1).
 */
export async function proveClient(
  form: URLSearchParams,
  settings: Pick<OpenIdSettings, 'clientId' | 'clientSecret' | 'authentication'>,
  metadata: ProviderMetadata,
  failures: ProviderFailures,
): Promise<Proof> {
  const { clientId, clientSecret } = settings;
  const method = methodOf(settings, metadata, failures);
  if (method === 'none' || clientSecret === undefined) {
    form.set('client_id', clientId);
    return { headers: [], secrets: [] };
  }
  const secret = typeof clientSecret === 'string' ? clientSecret : await clientSecret();
  if (method === 'client_secret_post') {
    form.set('client_id', clientId);
    form.set('client_secret', secret);
    return { headers: [], secrets: [secret, formEncoded(secret)] };
  }
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
  return {
    headers: ['authorization', `Basic ${credentials}`],
    secrets: [secret, formEncoded(secret), credentials],
  };
}

function methodOf(
  { clientSecret, authentication }: Pick<OpenIdSettings, 'clientSecret' | 'authentication'>,
  { authentications }: ProviderMetadata,
  failures: ProviderFailures,
): ClientAuthentication {
  if (authentication !== undefined) return authentication;
  if (clientSecret === undefined) return 'none';
  const offered = authentications.find((method) => method !== 'none');
  if (offered !== undefined) return offered;
  throw failures.unacceptable('discovery', 'its token endpoint takes no client secret');
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
