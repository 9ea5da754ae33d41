import { type BodyRule, oneOf, text } from '@svc/protocol/schema';

/** How clients of OAuth prove themselves (docs/specification/oauth.md#authentication-of-clients). */
export const clientAuthentications = ['basic', 'post', 'private_key_jwt', 'tls', 'none'] as const;

export type ClientAuthentication = (typeof clientAuthentications)[number];

/** What blocks of every client of OAuth say of how it proves itself. */
export const clientAuthAttributes = {
  client_auth: oneOf(
    'How the client proves itself to the token address: `basic` by a header, `post` by fields of the form, `private_key_jwt` by what `client_key` signs, `tls` by the certificate of the `tls` block, `none` by its name alone. Default: what the provider names, else `basic`; without a secret `none`.',
    clientAuthentications,
    {
      synonyms: {
        client_secret_basic: 'basic',
        client_secret_post: 'post',
        tls_client_auth: 'tls',
        self_signed_tls_client_auth: 'tls',
      },
    },
  ),
  client_key: text(
    'Private key of `private_key_jwt`: PEM (RSA, EC or Ed25519), or the path of its file. The provider has the public one.',
    { secret: true },
  ),
} as const;

/** What cannot work, or would have no effect. */
export const clientAuthRules = [
  { rule: 'requiredWhen', name: 'client_key', when: 'client_auth', is: ['private_key_jwt'] },
  { rule: 'onlyWhen', name: 'client_key', when: 'client_auth', is: ['private_key_jwt'] },
  { rule: 'requiredWhen', name: 'client_secret', when: 'client_auth', is: ['basic', 'post'] },
  { rule: 'onlyWhen', name: 'client_secret', when: 'client_auth', is: [undefined, 'basic', 'post'] },
] as const satisfies readonly BodyRule[];

/** Why a client cannot prove itself as it is written, beyond what rules of one block say, and what to write instead. */
export interface ClientProblem {
  readonly attribute: 'client_auth' | 'client_key';
  readonly says: string;
  readonly help: string;
}

/** `client`: what the block of a client says. `tls`: the block whose certificate it shows. */
export function clientProblem(client: object, tls: unknown): ClientProblem | undefined {
  const { client_auth: method, client_key: key, token_url: url, issuer } = client as Readonly<Record<string, unknown>>;
  if (typeof key === 'string' && key.includes('-----BEGIN ') && !/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(key))
    return {
      attribute: 'client_key',
      says: '`client_key` is not a private key in PEM without a passphrase',
      help: 'Write client_key = file("keys/client.pem"), the private key whose public key the provider has.',
    };
  if (method !== 'tls') return undefined;
  const { enabled, cert } = (tls ?? {}) as { readonly enabled?: unknown; readonly cert?: unknown };
  if (enabled === false || typeof cert !== 'string' || cert === '')
    return {
      attribute: 'client_auth',
      says: '`client_auth = "tls"` needs a certificate to show',
      help: 'Write tls { cert = "./certs/client.pem" key = "./certs/client.key" }.',
    };
  if ([url, issuer].some((address) => typeof address === 'string' && /^http:/i.test(address)))
    return {
      attribute: 'client_auth',
      says: '`client_auth = "tls"` needs a provider at https://: a certificate is shown over TLS alone',
      help: 'Write an address that begins with https://, or another client_auth.',
    };
  return undefined;
}
