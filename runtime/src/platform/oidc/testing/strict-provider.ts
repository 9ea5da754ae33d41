import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { Certificates } from '../../../../../test/support/certificates.ts';
import { OpenIdProvider, type OpenIdProviderOptions } from '../../../../../test/support/servers/openid/provider.ts';

type ClientMetadata = NonNullable<OpenIdProviderOptions['clients']>[number];
export type Written = Readonly<Record<string, unknown>>;

export const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** The secret of every client that has one, but of those with `oddSecrets`. */
export const plain = 'plain-secret-of-24-characters';

/** What is written for each method, and how the provider knows such a client. */
export const methods = {
  basic: [{ client_secret: plain, client_auth: 'basic' }, { token_endpoint_auth_method: 'client_secret_basic' }],
  'no method written': [{ client_secret: plain }, { token_endpoint_auth_method: 'client_secret_basic' }],
  post: [{ client_secret: plain, client_auth: 'post' }, { token_endpoint_auth_method: 'client_secret_post' }],
  'private_key_jwt by RSA': [
    { client_auth: 'private_key_jwt', client_key: pem(rsa.privateKey) },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [rsa.publicKey.export({ format: 'jwk' })] } },
  ],
  'private_key_jwt by an EC key in a file': [
    { client_auth: 'private_key_jwt', client_key: 'ec.pem' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [ec.publicKey.export({ format: 'jwk' })] } },
  ],
  tls: [
    { client_auth: 'tls' },
    { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: 'CN=shop' },
  ],
} as const satisfies Record<string, readonly [Written, Partial<ClientMetadata>]>;

/** Secrets that are another one where they are not encoded, or encoded twice. */
export const oddSecrets = ['q+Zt/8w4eR1+Kc0=', '100%25sure', '%41', 'p@ss:w+rd %/=&~x'];

/** The name of the client of a method. */
export const clientOf = (method: string) => method.replaceAll(' ', '-');
/** The name of a client with an odd secret. */
export const oddClientOf = (index: number, method: 'basic' | 'post') => `odd:name+x %41 ${index} ${method}`;

/** A certified provider over TLS that holds each client to the one method that it is registered with. Needs openssl. */
export interface StrictProvider {
  readonly provider: OpenIdProvider;
  /** Has `ca.pem`, `server.pem`, `server.key`, the certificate `client.pem` and `client.key` of the client, and `ec.pem`. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** `redirectUris`: where sign-ins come back. */
export async function strictProvider(redirectUris: readonly string[]): Promise<StrictProvider> {
  const registered = (id: string, known: object): ClientMetadata => ({
    client_id: id,
    client_secret: plain,
    redirect_uris: [...redirectUris],
    response_types: ['code'],
    grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
    ...known,
  });
  const folder = mkdtempSync(join(tmpdir(), 'strict-provider-'));
  const certificates = new Certificates(folder);
  certificates.authority('ca');
  certificates.signed('server', '/CN=server', 'subjectAltName=DNS:localhost');
  certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
  // The browser of a person trusts it.
  setDefaultCACertificates([...getCACertificates(), readFileSync(join(folder, 'ca.pem'), 'utf8')]);
  writeFileSync(join(folder, 'ec.pem'), pem(ec.privateKey));
  const read = (name: string) => readFileSync(join(folder, name));
  const certificateOf = ({ req }: { readonly req: IncomingMessage }) =>
    (req.socket as TLSSocket).getPeerX509Certificate();
  const provider = await OpenIdProvider.start({
    host: 'localhost',
    tls: {
      cert: read('server.pem'),
      key: read('server.key'),
      ca: read('ca.pem'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    clients: [
      ...Object.entries(methods).map(([method, [, known]]) => registered(clientOf(method), known)),
      {
        ...registered('none', { token_endpoint_auth_method: 'none' }),
        grant_types: ['authorization_code', 'refresh_token'],
      },
      ...oddSecrets.flatMap((secret, index) =>
        (['basic', 'post'] as const).map((method) =>
          registered(oddClientOf(index, method), {
            client_secret: secret,
            token_endpoint_auth_method: `client_secret_${method}`,
          }),
        ),
      ),
    ],
    configuration: {
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth', 'none'],
      scopes: ['openid', 'offline_access', 'email', 'profile', 'read'],
      features: {
        devInteractions: { enabled: true },
        clientCredentials: { enabled: true },
        mTLS: {
          enabled: true,
          tlsClientAuth: true,
          getCertificate: (context) => certificateOf(context)?.toString(),
          certificateAuthorized: (context) => (context.req.socket as TLSSocket).authorized,
          certificateSubjectMatches: (context, _property, expected) =>
            new X509Certificate(String(certificateOf(context))).subject === expected,
        },
      },
    },
  });
  return {
    provider,
    folder,
    stop: async () => {
      await provider.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
