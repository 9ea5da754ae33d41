import { Failure } from '../../../foundation/errors/failure.ts';
import type { ClientKey } from './client-key.ts';
import { formEncoded } from './provider-error.ts';
import type { ClientAuthentication } from './spec.ts';

/** A client of OAuth, and how it proves itself to token endpoints. */
export interface OAuthClient {
  readonly clientId: string;
  /** A secret, or what makes one for each request, such as a signed token. Undefined: a public client, or one that proves itself by a key or a certificate. */
  readonly clientSecret: string | (() => string | Promise<string>) | undefined;
  /** Default: what the provider names, else `basic` with a secret and `none` without one. */
  readonly authentication?: ClientAuthentication | undefined;
  /** The key of `private_key_jwt`. */
  readonly clientKey?: ClientKey | undefined;
}

/** Where a client proves itself. */
export interface ProvingEndpoint {
  readonly url: string;
  /** Methods that the provider names; absent: it says nothing. */
  readonly methods?: readonly ClientAuthentication[] | undefined;
  /** Algorithms of signatures that the provider names; absent: it says nothing. */
  readonly algorithms?: readonly string[] | undefined;
}

/** A client that has proved itself. */
export interface Proof {
  readonly method: ClientAuthentication;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** What was sent that is never shown. */
  readonly secrets: readonly string[];
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** How a client proves itself; undefined where the provider takes no secret, and nothing else is written. */
export function methodOf(
  { authentication, clientSecret }: Pick<OAuthClient, 'authentication' | 'clientSecret'>,
  methods: readonly ClientAuthentication[] = ['basic'],
): ClientAuthentication | undefined {
  if (authentication !== undefined) return authentication;
  if (clientSecret === undefined) return 'none';
  return (['basic', 'post'] as const).find((method) => methods.includes(method));
}

/**
 * Adds to a request what proves the client to the endpoint, by one method: a header, or fields of the form (RFC 6749,
 * 2.3). The certificate of `tls` is shown by the connection. Rejects with a Failure that shows no secret.
 */
export async function proveClient(
  form: URLSearchParams,
  client: OAuthClient,
  { url, methods, algorithms }: ProvingEndpoint,
  now: number,
): Promise<Proof> {
  const { clientId } = client;
  const method = methodOf(client, methods);
  if (method === undefined)
    throw new Failure('connector_failed', 'its token endpoint takes no client secret', { retriable: false });
  if (method === 'basic') {
    const secret = await secretOf(client);
    const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
    return { method, headers: ['authorization', `Basic ${credentials}`], secrets: [secret, credentials] };
  }
  form.set('client_id', clientId);
  if (method === 'post') {
    const secret = await secretOf(client);
    form.set('client_secret', secret);
    return { method, headers: [], secrets: [secret] };
  }
  if (method !== 'private_key_jwt') return { method, headers: [], secrets: [] };
  if (client.clientKey === undefined)
    throw new Failure('connector_failed', 'client_auth = "private_key_jwt" has no client_key', { retriable: false });
  const assertion = client.clientKey.assertion({ clientId, audience: url, accepted: algorithms, now });
  form.set('client_assertion_type', assertionType);
  form.set('client_assertion', assertion);
  return { method, headers: [], secrets: [assertion] };
}

/** What is wrong with the key of a secret that is made is not said: the error may show a part of it. */
async function secretOf({ clientSecret = '' }: OAuthClient): Promise<string> {
  if (typeof clientSecret === 'string') return clientSecret;
  try {
    return await clientSecret();
  } catch {
    throw new Failure('connector_failed', 'the client secret cannot be signed', { retriable: false });
  }
}

const remedies: Readonly<Record<ClientAuthentication, string>> = {
  basic: 'check client_id and client_secret, or write client_auth = "post" where the provider expects them in the body',
  post: 'check client_id and client_secret, or write client_auth = "basic" where the provider expects them in the header',
  private_key_jwt: 'check that the provider has the public key of client_key, and that this method is registered',
  tls: 'check that the provider knows the certificate of tls { cert }, and that this method is registered',
  none: 'write client_secret, or another client_auth, where the provider does not know it as a public client',
};

/** What to do about a client that a provider does not accept; undefined where its answer is about something else. */
export function remedyOf(
  method: ClientAuthentication | undefined,
  status: number,
  code: string | undefined,
): string | undefined {
  if (method === undefined || (code !== 'invalid_client' && !(code === undefined && status === 401))) return undefined;
  return `the client proved itself by client_auth = "${method}": ${remedies[method]}`;
}
