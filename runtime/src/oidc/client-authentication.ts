import { Failure } from '../errors/failure.ts';
import { formEncoded, type ProviderFailures } from './failure.ts';
import type { ProviderMetadata } from './metadata.ts';
import type { ClientAuthentication, OpenIdSettings } from './settings.ts';

/** A client that has proved itself. */
export interface Proof {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** What was sent that is never shown. */
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
  const secret = typeof clientSecret === 'string' ? clientSecret : await made(clientSecret);
  if (method === 'client_secret_post') {
    form.set('client_id', clientId);
    form.set('client_secret', secret);
    return { headers: [], secrets: [secret] };
  }
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
  return {
    headers: ['authorization', `Basic ${credentials}`],
    secrets: [secret, credentials],
  };
}

/** What is wrong with its key is not said: the error may show a part of it. */
async function made(make: () => string | Promise<string>): Promise<string> {
  try {
    return await make();
  } catch {
    throw new Failure('connector_failed', 'the client secret cannot be signed', { retriable: false });
  }
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
