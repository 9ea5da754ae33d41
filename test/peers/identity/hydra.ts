import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openssl } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder, startProgram } from '../../support/servers/program.ts';
import { GoModule, missingGo } from '../go.ts';
import type { Peer } from '../peer.ts';
import { Browser } from './browser.ts';
import { checkProvider } from './checks.ts';
import { type Client, clients } from './clients.ts';
import { account, type Ground, type Provider } from './provider.ts';

const version = '2.3.0';

const program = new GoModule({
  name: 'hydra',
  module: 'github.com/ory/hydra/v2',
  version,
  programs: { hydra: '.' },
  tags: 'sqlite',
  // A folder that is a module of its own, so that the archive is without it: the same is released by its name.
  edits: ['-dropreplace', 'github.com/ory/hydra-client-go/v2'],
});

/** It knows no client by a certificate, and takes no assertion of Ed25519. */
const known = clients.filter(({ method, signature }) => method !== 'tls' && signature !== 'EdDSA');

const machine = { id: 'machine', secret: 'of-the-checks-themselves' } as const;

async function start({ publicKeys, returns }: Ground): Promise<Provider> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const issuer = `http://127.0.0.1:${port}`;
  const admin = `http://127.0.0.1:${adminPort}/admin`;
  const folder = makeFolder('hydra');
  // Its pages for people are another program: here the browser answers in its place.
  const pages = `${issuer}/pages`;
  const settings = {
    dsn: 'memory',
    serve: { public: { host: '127.0.0.1', port }, admin: { host: '127.0.0.1', port: adminPort } },
    urls: { self: { issuer }, login: `${pages}/login`, consent: `${pages}/consent` },
    strategies: { access_token: 'jwt' },
    oauth2: { hashers: { algorithm: 'pbkdf2' } },
    secrets: { system: ['only-for-this-machine-32-bytes-long'] },
  };
  writeFileSync(join(folder, 'hydra.json'), JSON.stringify(settings));
  const server = await startProgram({
    program: await program.path('hydra'),
    args: ['serve', 'all', '--dev', '--sqa-opt-out', '-c', join(folder, 'hydra.json')],
    folder,
    address: issuer,
    signal: 'SIGTERM',
    within: 300_000,
    answers: async (address) => (await fetch(`${address}/health/ready`).catch(() => undefined))?.ok === true,
  });
  try {
    for (const client of known) await ask('POST', `${admin}/clients`, registered(client, returns, publicKeys));
    await ask('POST', `${admin}/clients`, {
      client_id: machine.id,
      client_secret: machine.secret,
      grant_types: ['client_credentials'],
      audience: ['account'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const token = `${issuer}/oauth2/token`;
    return {
      issuer,
      endpoints: { authorize: `${issuer}/oauth2/auth`, token, profile: `${issuer}/userinfo` },
      keySet: `${issuer}/.well-known/jwks.json`,
      audience: 'account',
      clients: known,
      signIn: (url) => new Browser().leave(url, async (page) => ({ address: await accepted(admin, page) })),
      machineToken: async () => {
        const fields = { grant_type: 'client_credentials', client_id: machine.id, client_secret: machine.secret };
        const body = new URLSearchParams({ ...fields, audience: 'account' });
        const answer = (await (await fetch(token, { method: 'POST', body })).json()) as Record<string, unknown>;
        return String(answer['access_token']);
      },
      rotate: async () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const key = { ...privateKey.export({ format: 'jwk' }), kid: 'next', use: 'sig', alg: 'RS256' };
        await ask('PUT', `${admin}/keys/hydra.jwt.access-token/next`, key);
      },
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** What the pages of a service do where Hydra sends a browser: they accept the person, and what is asked for. */
async function accepted(admin: string, page: URL): Promise<string> {
  const kind = page.pathname.endsWith('/login') ? 'login' : 'consent';
  const challenge = `${kind}_challenge=${page.searchParams.get(`${kind}_challenge`)}`;
  const at = `${admin}/oauth2/auth/requests/${kind}`;
  const asked = await ask('GET', `${at}?${challenge}`);
  const consent = {
    grant_scope: asked['requested_scope'],
    grant_access_token_audience: asked['requested_access_token_audience'],
    session: { id_token: { email: account.email, email_verified: true, name: account.fullName } },
  };
  const body = kind === 'login' ? { subject: account.name } : consent;
  const { redirect_to: to } = await ask('PUT', `${at}/accept?${challenge}`, body);
  return String(to);
}

const methods = {
  default: 'client_secret_basic',
  basic: 'client_secret_basic',
  post: 'client_secret_post',
  private_key_jwt: 'private_key_jwt',
  tls: 'tls_client_auth',
  none: 'none',
} as const;

function registered(
  { id, method, secret, signature }: Client,
  returns: readonly string[],
  publicKeys: ReadonlyMap<string, object>,
): object {
  return {
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    ...(signature !== undefined && {
      jwks: { keys: [publicKeys.get(id)] },
      token_endpoint_auth_signing_alg: signature,
    }),
    token_endpoint_auth_method: methods[method],
    grant_types: ['authorization_code', 'refresh_token', ...(method === 'none' ? [] : ['client_credentials'])],
    response_types: ['code'],
    scope: 'openid offline_access email profile',
    redirect_uris: returns,
  };
}

async function ask(method: string, url: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: HTTP ${response.status} ${text.replaceAll('\n', ' ')}`);
  return JSON.parse(text) as Record<string, unknown>;
}

export const hydra: Peer = {
  name: 'Hydra',
  version,
  ran: 'the same as with Keycloak, but for `tls` and keys of Ed25519, which it does not know',
  needs: [],
  missing: () => missingGo() ?? (openssl === undefined ? 'openssl (apt-get install openssl)' : undefined),
  run: (tell) => checkProvider(start, tell),
  differs: [],
};
