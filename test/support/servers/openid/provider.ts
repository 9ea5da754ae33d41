import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';
import { Browser } from './browser.ts';

export interface OpenIdProviderOptions {
  /** Who may use it. Default: `app` with the secret `secret of app`, and every redirect address of `redirectUri`. */
  readonly clients?: readonly ClientMetadata[];
  /** Certificate and key; absent: it speaks in clear. */
  readonly tls?: ServerOptions;
  /** The host that its issuer names. Default: `127.0.0.1`. */
  readonly host?: string;
  /** The port that it listens on. Default: a free one. */
  readonly port?: number;
  /** Further settings of the library. */
  readonly configuration?: Configuration;
}

/** Where sign-ins come back, unless a client is registered with another address. Nothing listens there. */
export const redirectUri = 'http://127.0.0.1:9/callback';

export const app: ClientMetadata = {
  client_id: 'app',
  client_secret: 'secret of app',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

/** A real OpenID provider, certified, in the process of the test. Anyone signs in, by any name, with any password. */
export class OpenIdProvider {
  readonly issuer: string;
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  static async start(options: OpenIdProviderOptions = {}): Promise<OpenIdProvider> {
    const { clients = [app], tls, host = '127.0.0.1', port = 0, configuration } = options;
    const server = tls === undefined ? createServer() : createSecure(tls);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const scheme = tls === undefined ? 'http' : 'https';
    const issuer = `${scheme}://${host}:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, { ...(await settings()), clients: [...clients], ...configuration });
    server.on('request', provider.callback() as RequestListener);
    return new OpenIdProvider(issuer, server);
  }

  /** Signs in as a person does in a browser of their own, and gives what the last redirect carries. */
  async signIn(url: string, account = 'ana'): Promise<Record<string, string>> {
    const end = await new Browser().signIn(url, account);
    return Object.fromEntries(end.searchParams);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

async function settings(): Promise<Configuration> {
  const keys = await Promise.all(
    ['RS256', 'ES256'].map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg };
    }),
  );
  return {
    jwks: { keys },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    scopes: ['openid', 'offline_access', 'email', 'profile'],
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.test`,
        email_verified: true,
        name: `Name of ${id}`,
        picture: `https://pictures.example.test/${id}.png`,
      }),
    }),
    // Claims of scopes are in the id_token too.
    conformIdTokenClaims: false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Grant: 600,
      Session: 600,
      RefreshToken: 600,
    },
  };
}
