import { Failure } from '../../../foundation/errors/failure.ts';
import { headerProblem } from '../headers.ts';
import type { OAuthClient } from '../oauth/client-authentication.ts';
import { ClientKey } from '../oauth/client-key.ts';
import type { AuthConfig } from './access-spec.ts';
import type { DigestUser } from './digest/session.ts';
import { basic, type TokenGrant } from './token.ts';

/** What the `auth` block adds to requests. */
export type Credentials =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  | { readonly kind: 'digest'; readonly user: DigestUser }
  | { readonly kind: 'token'; readonly grant: TokenGrant };

/**
 * Decides how requests identify themselves. Without an `auth` block a name and password in the address of the client count. Rejects
 * with a Failure when a part is missing, cannot be read or could not be sent. `directory` is that of the configuration.
 */
export async function credentials(
  auth: AuthConfig | undefined,
  base: URL,
  directory: string,
): Promise<Credentials | undefined> {
  if (auth === undefined) {
    if (base.username === '' && base.password === '') return undefined;
    return authorization(basic(plain(base.username), plain(base.password)));
  }
  switch (auth.type) {
    case 'bearer':
      return authorization(`Bearer ${needed('token', auth.token)}`);
    case 'basic':
      return authorization(basic(needed('username', auth.username), auth.password));
    case 'api_key': {
      const value = needed('api_key', auth.api_key ?? auth.token);
      if (auth.api_key_query) return { kind: 'query', name: auth.api_key_query, value };
      return header(auth.api_key_header, value);
    }
    case 'digest':
      return { kind: 'digest', user: { username: needed('username', auth.username), password: auth.password } };
    case 'oauth2':
    case 'client_credentials':
      return { kind: 'token', grant: await grantOf(auth, directory) };
  }
}

/** `oauth2` refreshes when there is something to refresh with, and otherwise acts for the client itself. */
async function grantOf(auth: AuthConfig, directory: string): Promise<TokenGrant> {
  const implied = auth.type === 'oauth2' && auth.refresh_token ? 'refresh_token' : 'client_credentials';
  const grant = auth.grant_type ?? implied;
  return {
    url: needed('token_url', auth.token_url),
    grant,
    client: await clientOf(auth, grant === 'client_credentials', directory),
    scopes: auth.scopes ?? [],
    refreshToken: grant === 'refresh_token' ? needed('refresh_token', auth.refresh_token) : undefined,
  };
}

/** A refresh token may do without a client. */
async function clientOf(auth: AuthConfig, isNeeded: boolean, directory: string): Promise<OAuthClient | undefined> {
  const { client_id: id, client_secret: clientSecret, client_auth: authentication, client_key: key } = auth;
  if (!isNeeded && id === undefined) return undefined;
  const clientKey = key === undefined ? undefined : await ClientKey.read(key, directory);
  return { clientId: needed('client_id', id), clientSecret, authentication, clientKey };
}

function authorization(value: string): Credentials {
  return header('Authorization', value);
}

function header(name: string, value: string): Credentials {
  const problem = headerProblem(name, value);
  if (problem !== undefined) throw new Failure('connector_failed', `auth: ${problem}`);
  return { kind: 'header', name: name.toLowerCase(), value };
}

/** Environment variables that are not set arrive as empty texts. */
function needed(name: string, value: string | undefined): string {
  if (value) return value;
  throw new Failure('connector_failed', `auth: "${name}" is empty`);
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
