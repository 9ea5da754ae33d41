import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Certificates } from '../../support/certificates.ts';
import { folderWith } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { Checks } from '../checks.ts';
import type { Outcome } from '../peer.ts';
import { Browser } from './browser.ts';
import { type Client, clients, secrets, writeKeys } from './clients.ts';
import { configuration, drivers, isMachine, machines, returns } from './configuration.ts';
import { account, type Ground, type Provider } from './provider.ts';
import { proto, startReceivers } from './receivers.ts';

/** Runs a service that does everything with the provider that it does with providers. */
export async function checkProvider(
  start: (ground: Ground) => Promise<Provider>,
  tell: (line: string) => void,
): Promise<readonly Outcome[]> {
  const folder = folderWith({ 'proto/machine.proto': proto });
  const trusted = getCACertificates('default');
  try {
    certify(folder);
    setDefaultCACertificates([...trusted, readFileSync(join(folder, 'ca.pem'), 'utf8')]);
    const [port, guardedPort] = [await freePort(), await freePort()];
    const self = `http://127.0.0.1:${port}`;
    tell('starts');
    const provider = await start({ folder, publicKeys: writeKeys(folder), returns: returns(self, clients) });
    try {
      const receivers = await startReceivers(provider, folder);
      try {
        const places = { self, port, guardedPort };
        writeFileSync(join(folder, 'service.hcl'), configuration(provider, receivers, places));
        return await withService(folder, provider, { self, guarded: `http://127.0.0.1:${guardedPort}` }, tell);
      } finally {
        await receivers.stop();
      }
    } finally {
      await provider.stop();
    }
  } finally {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true, force: true });
  }
}

function certify(folder: string): void {
  const certificates = new Certificates(folder);
  certificates.authority('ca');
  certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
}

interface Places {
  readonly self: string;
  readonly guarded: string;
}

async function withService(
  directory: string,
  provider: Provider,
  { self, guarded }: Places,
  tell: (line: string) => void,
): Promise<readonly Outcome[]> {
  const env = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') };
  const service = await startService({ directory, env, args: ['--log-level', 'debug'] });
  const checks = new Checks();
  try {
    const known = provider.clients;
    for (const client of known.filter(isMachine)) {
      tell(`machine ${client.id}`);
      await checkMachine(checks, self, client);
    }
    for (const client of known) {
      tell(`person by ${client.id}`);
      for (const driver of drivers) await checkConnection(checks, provider, self, driver, client);
      await checkSignIn(checks, provider, self, `sso/${client.label}`);
    }
    await checkSignIn(checks, provider, self, 'social/web_idp');
    tell('what is refused');
    await checkRefusals(checks, provider, self);
    tell('tokens of the provider');
    await checkTokens(checks, provider, guarded);
    await checks.same('no secret, key or token is in the log', [], () => leaked(service.log));
    return checks.outcomes;
  } finally {
    await service.stop();
  }
}

async function checkMachine(checks: Checks, self: string, { id, label }: Client): Promise<void> {
  for (const [kind, { answers }] of Object.entries(machines)) {
    const expected = { status: 200, body: { body: answers(id) } };
    await checks.same(`client credentials of ${kind}: ${id}`, expected, () => ask(`${self}/machine/${kind}_${label}`));
  }
}

/** The profile of the account, as each way to it gives it. */
const person = { email: account.email, email_verified: true, name: account.fullName };

/** The provider and back, the profile, new tokens, and a caller that shows the token here. */
async function checkConnection(
  checks: Checks,
  provider: Provider,
  self: string,
  driver: (typeof drivers)[number],
  { id, label }: Client,
): Promise<void> {
  const name = `${driver}_${label}`;
  const expected = { connected: person, renewed: person, caller: { status: 200, email: account.email }, isSame: true };
  await checks.same(`oauth ${driver}: ${id}`, expected, async () => {
    const begun = await of(ask(`${self}/begin/${name}`));
    const connected = await of(ask(await provider.signIn(String(begun['auth_url']))));
    const tokens = await of(ask(`${self}/renew/${name}`, { refresh_token: connected['refresh_token'] }));
    const profile = await of(ask(`${self}/profile/${name}`, { access_token: tokens['access_token'] }));
    const caller = await ask(`${self}/who`, undefined, String(tokens['access_token']));
    const { id: caller_id, email } = caller.body as { readonly id?: string; readonly email?: string };
    const ids = new Set([connected['provider_id'], profile['sub'], caller_id]);
    return {
      connected: said(connected),
      renewed: said(profile),
      caller: { status: caller.status, email },
      isSame: ids.size === 1,
    };
  });
}

const said = ({ email, email_verified, name }: Record<string, unknown>) => ({ email, email_verified, name });

async function checkSignIn(checks: Checks, provider: Provider, self: string, path: string): Promise<void> {
  const expected = { status: 200, provider: path.split('/')[1], me: { status: 200, email: account.email } };
  await checks.same(`sign-in at ${path}`, expected, async () => {
    const browser = new Browser();
    const begun = await browser.open(`${self}/auth/${path}`);
    const back = await browser.open(await provider.signIn(begun.headers.get('location') ?? ''));
    const answer = (await back.json()) as Record<string, unknown>;
    const me = await ask(`${self}/auth/me`, undefined, String(answer['access_token']));
    const { email } = me.body as { readonly email?: string };
    return { status: back.status, provider: answer['provider'], me: { status: me.status, email } };
  });
}

/** What the provider does not accept, and what a service never asks it again. */
async function checkRefusals(checks: Checks, provider: Provider, self: string): Promise<void> {
  const refused = { status: 401, code: 'authentication_required' };
  await checks.same('a refresh token that the provider did not give', refused, async () =>
    codeOf(await ask(`${self}/renew/oidc_basic`, { refresh_token: 'none-of-the-provider' })),
  );
  await checks.same('a person who refuses', refused, async () => {
    const begun = await of(ask(`${self}/begin/oidc_basic`));
    const back = new URLSearchParams({
      state: String(begun['state']),
      error: 'access_denied',
      iss: provider.issuer,
    });
    return codeOf(await ask(`${self}/callback/oidc_basic?${back}`));
  });
  await checks.same('a code that was exchanged already', { status: 400, code: 'input_refused' }, async () => {
    const begun = await of(ask(`${self}/begin/oidc_basic`));
    const back = await provider.signIn(String(begun['auth_url']));
    await of(ask(back));
    return codeOf(await ask(back));
  });
  await checks.same('a credential that the provider does not know', 401, async () => {
    const { status } = await ask(`${self}/who`, undefined, 'none-of-the-provider');
    return status;
  });
}

const codeOf = ({ status, body }: Reply) => ({ status, code: (body as { readonly code?: string }).code });

/** A server that takes tokens of the provider takes those of a new key at once, and no changed one. */
async function checkTokens(checks: Checks, provider: Provider, guarded: string): Promise<void> {
  const answer = { status: 200, body: { issuer: provider.issuer } };
  const show = (token: string) => ask(`${guarded}/guarded`, undefined, token);
  const first = await provider.machineToken();
  await checks.same('a token of the provider opens a server', answer, () => show(first));
  await checks.same('a token with another payload opens none', 401, async () => {
    const [head, , signature] = first.split('.');
    const payload = Buffer.from(JSON.stringify({ ...decodeJwt(first), sub: 'another' })).toString('base64url');
    return (await show([head, payload, signature].join('.'))).status;
  });
  await provider.rotate();
  const next = await provider.machineToken();
  await checks.same('the provider signs with another key', true, () => keyOf(first) !== keyOf(next));
  // An unknown key has the key set fetched again, once in 30 s.
  await checks.same('a token of the new key opens it', answer, () =>
    until(async () => {
      const shown = await show(next);
      return shown.status === 200 ? shown : undefined;
    }, AbortSignal.timeout(60_000)),
  );
  await checks.same('a token of the old key opens it still', answer, () => show(first));
}

const keyOf = (token: string): string | undefined => decodeProtectedHeader(token).kid;

/** What of the credentials is written in the log. */
function leaked(log: string): string[] {
  const found = secrets.filter((secret) => log.includes(secret));
  return [...found, ...(log.match(/BEGIN [A-Z ]*PRIVATE|eyJ[\w-]{20}/g) ?? [])];
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function ask(url: string, body?: object, token?: string): Promise<Reply> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** What a flow answered, when it did. */
async function of(asked: Promise<Reply>): Promise<Record<string, unknown>> {
  const { status, body } = await asked;
  if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly body: Record<string, unknown> }).body;
}
