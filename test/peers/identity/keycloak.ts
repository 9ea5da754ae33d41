import { openssl } from '../../support/certificates.ts';
import type { Peer } from '../peer.ts';
import { Browser } from './browser.ts';
import { checkProvider } from './checks.ts';
import { type Client, clients } from './clients.ts';
import { administrator, missingKeycloak, startKeycloak, version } from './keycloak-server.ts';
import { account, type Ground, type Provider } from './provider.ts';

const realm = 'shop';

async function start({ folder, publicKeys, returns }: Ground): Promise<Provider> {
  const { address, stop } = await startKeycloak(folder);
  try {
    const api = (path: string, body: object) => post(`${address}/admin/realms${path}`, body, address);
    await api('', { realm, enabled: true });
    await api(`/${realm}/users`, person);
    for (const client of clients) await api(`/${realm}/clients`, registered(client, returns, publicKeys));
    await api(`/${realm}/clients`, { ...common(machine.id, []), secret: machine.secret });
    const issuer = `${address}/realms/${realm}`;
    const at = `${issuer}/protocol/openid-connect`;
    return {
      issuer,
      endpoints: { authorize: `${at}/auth`, token: `${at}/token`, profile: `${at}/userinfo` },
      keySet: `${at}/certs`,
      audience: 'account',
      clients,
      signIn: (url) =>
        new Browser().leave(url, async (page, text) => {
          const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
          if (action === undefined) throw new Error(`${page.pathname} has no form`);
          return { address: action, fields: { username: account.name, password: account.password } };
        }),
      machineToken: () =>
        granted(`${at}/token`, {
          grant_type: 'client_credentials',
          client_id: machine.id,
          client_secret: machine.secret,
        }),
      rotate: () =>
        api(`/${realm}/components`, {
          name: 'next',
          providerId: 'rsa-generated',
          providerType: 'org.keycloak.keys.KeyProvider',
          config: { priority: ['1000'] },
        }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const machine = { id: 'machine', secret: 'of-the-checks-themselves' } as const;

const person = {
  username: account.name,
  email: account.email,
  emailVerified: true,
  enabled: true,
  firstName: account.fullName.split(' ')[0],
  lastName: account.fullName.split(' ')[1],
  credentials: [{ type: 'password', value: account.password, temporary: false }],
};

const common = (clientId: string, redirectUris: readonly string[]) => ({
  clientId,
  enabled: true,
  protocol: 'openid-connect',
  publicClient: false,
  serviceAccountsEnabled: true,
  standardFlowEnabled: true,
  redirectUris,
});

/** The client as its API takes one. */
function registered(
  { id, method, secret, signature }: Client,
  returns: readonly string[],
  publicKeys: ReadonlyMap<string, object>,
): object {
  const base = common(id, returns);
  if (method === 'none') return { ...base, publicClient: true, serviceAccountsEnabled: false };
  if (method === 'tls') {
    const attributes = { 'x509.subjectdn': 'CN=shop', 'x509.allow.regex.pattern.comparison': 'false' };
    return { ...base, clientAuthenticatorType: 'client-x509', attributes };
  }
  if (method !== 'private_key_jwt') return { ...base, secret };
  const attributes = {
    'use.jwks.string': 'true',
    'jwks.string': JSON.stringify({ keys: [publicKeys.get(id)] }),
    'token.endpoint.auth.signing.alg': signature,
  };
  return { ...base, clientAuthenticatorType: 'client-jwt', attributes };
}

async function post(url: string, body: object, address: string): Promise<void> {
  const token = await granted(`${address}/realms/master/protocol/openid-connect/token`, {
    grant_type: 'password',
    client_id: 'admin-cli',
    username: administrator.name,
    password: administrator.password,
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status} ${await response.text()}`);
}

async function granted(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`${url}: HTTP ${response.status}, no token`);
  return token;
}

export const keycloak: Peer = {
  name: 'Keycloak',
  version,
  ran: 'sign-in, `oauth`, client credentials, and its tokens at servers',
  needs: [],
  missing: () => missingKeycloak() ?? (openssl === undefined ? 'openssl (apt-get install openssl)' : undefined),
  run: (tell) => checkProvider(start, tell),
  differs: [],
};
