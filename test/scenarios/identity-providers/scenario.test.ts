import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { app, OpenIdProvider } from '../../support/servers/openid/provider.ts';
import { OpenIdStandIn } from '../../support/servers/openid/stand-in.ts';
import { type RedisNode, startRedisNode } from '../../support/servers/redis-node.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';
import { bearer, begin, beginLink, comeBack, refusalOf, signIn, tokenOf } from './browser.ts';

/** A signal sets the clock of the service ahead by half a minute, in which keys are not fetched again. */
const settableClock = `--import=data:text/javascript,${encodeURIComponent(
  'const now = Date.now; let ahead = 0; process.on("SIGUSR2", () => { ahead += 30_001; }); Date.now = () => now() + ahead;',
)}`;

const clients = [{ ...app, redirect_uris: ['https://library.example.test/auth/sso/callback'] }];
const password = 'Correct-Horse-7';

/** What a faulty provider does with these codes. */
const faults = new Map<string, 'nothing' | 'cut' | 'endless'>([
  ['code of silent', 'nothing'],
  ['code of cut', 'cut'],
  ['code of endless', 'endless'],
]);

let port: number;
let folder: string;
let other: OpenIdStandIn;
let provider: OpenIdProvider;

/** The certified provider, with a key of its own that signs. */
async function startProvider(kid: string): Promise<OpenIdProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid }];
  return OpenIdProvider.start({ port, clients, configuration: { jwks: { keys } } });
}

beforeAll(async () => {
  [port, folder, other] = [await freePort(), folderWith(), await OpenIdStandIn.start()];
});
afterAll(async () => {
  await Promise.all([provider?.stop(), other?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const environment = (database: string) => ({
  COMPANY_ISSUER: `http://127.0.0.1:${port}`,
  OTHER_ISSUER: other.issuer,
  DATABASE: join(folder, database),
  SVC_LOG_LEVEL: 'debug',
  SVC_LOG_FORMAT: 'json',
});
const register = async (service: Scenario, email: string): Promise<string> => {
  const answer = await service.ask('POST', '/auth/register', { email, password });
  expect(answer.status).toBe(201);
  return tokenOf(answer);
};
const linked = async (service: Scenario, token: string): Promise<readonly string[]> => {
  const { body } = await service.ask('GET', '/auth/linked-accounts', undefined, bearer(token));
  return (body as { linked_accounts: { email: string }[] }).linked_accounts.map(({ email }) => email);
};
/** That an answer has tokens which a flow accepts, of the person with this address. */
const expectSignedIn = async (service: Scenario, answer: Answer, action: string, email: string) => {
  expect(answer).toMatchObject({ status: 200, body: { action, user: { email } } });
  expect((await service.ask('GET', '/profile', undefined, bearer(tokenOf(answer)))).body).toEqual({ email });
};

describe('a service with identity providers', () => {
  let service: Scenario;
  const secrets = ['secret of app', password];
  /** A sign-in whose code is exchanged with a provider that does not answer, for as long as the service waits. */
  let silent: Promise<Answer>;

  beforeAll(async () => {
    const env = { ...environment('one.db'), NODE_OPTIONS: settableClock };
    service = await startScenario(import.meta.dirname, { env });
    other.instead.set('/token', ({ form }) => faults.get(form['code'] ?? '') ?? 'usual');
    const { url, cookie } = await begin(service, 'other');
    silent = comeBack(service, other.signIn(url, 'silent'), cookie);
    await until(() => other.count('POST /token') === 1);
  });
  afterAll(() => service?.end());

  test('starts while a provider is down, says when to come back, and signs in as soon as its document was read', async () => {
    const answer = await service.ask('GET', '/auth/sso/company');
    expect(refusalOf(answer)).toEqual([503, 'provider_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    const token = await register(service, 'early@example.test');
    const link = await service.ask('POST', '/auth/link/company', undefined, bearer(token));
    expect(refusalOf(link)).toEqual([503, 'provider_unavailable']);
    // Another provider is used meanwhile.
    const { url, cookie } = await begin(service, 'other');
    const returned = await comeBack(service, other.signIn(url, 'olga'), cookie);
    await expectSignedIn(service, returned, 'created', 'olga@example.test');

    provider = await startProvider('first');
    await until(async () => (await service.ask('GET', '/auth/sso/company')).status === 302);
    await expectSignedIn(service, await signIn(service, provider, 'ana'), 'created', 'ana@example.test');
    await expectSignedIn(service, await signIn(service, provider, 'ana'), 'existing', 'ana@example.test');
    const said = service.log
      .split('\n')
      .flatMap((line) => (line.includes('"provider":"company"') ? JSON.parse(line) : []));
    expect(said.filter(({ level }) => level !== 'DEBUG').map(({ msg }) => msg)).toEqual([
      'the document of an identity provider cannot be read; trying again in the background',
      'the identity provider is available again',
    ]);
  });

  test('S-42: links an identity to who is signed in, signs in by it, and ends the link, but not the last way in', async () => {
    const token = await register(service, 'bea@example.test');
    // The address of the account is not verified: the provider does not open it.
    expect(refusalOf(await signIn(service, provider, 'bea'))).toEqual([401, 'sso_failed']);
    const { url, cookie } = await beginLink(service, token);
    const answer = await comeBack(service, await provider.signIn(url, 'bea'), cookie);
    expect([answer.status, answer.body]).toEqual([
      200,
      { action: 'linked', provider: 'company', user: { id: expect.any(String), email: 'bea@example.test' } },
    ]);
    expect(await linked(service, token)).toEqual(['bea@example.test']);
    await expectSignedIn(service, await signIn(service, provider, 'bea'), 'existing', 'bea@example.test');

    const carl = await register(service, 'carl@example.test');
    const stolen = await beginLink(service, carl);
    expect(refusalOf(await comeBack(service, await provider.signIn(stolen.url, 'bea'), stolen.cookie))).toEqual([
      409,
      'identity_taken',
    ]);

    const unlink = (by: string) => service.ask('DELETE', '/auth/unlink/company', undefined, bearer(by));
    expect((await unlink(token)).body).toEqual({ unlinked: 'company' });
    expect(refusalOf(await unlink(token))).toEqual([404, 'unlink_failed']);
    expect(refusalOf(await signIn(service, provider, 'bea'))).toEqual([401, 'sso_failed']);
    const ana = tokenOf(await signIn(service, provider, 'ana'));
    expect(refusalOf(await unlink(ana))).toEqual([400, 'unlink_failed']);
    expect(await linked(service, ana)).toEqual(['ana@example.test']);
  });

  test('S-41: two tabs of one browser end what each began; what another browser began is refused', async () => {
    const [one, two] = [await begin(service), await begin(service)];
    const cookies = [one.cookie, two.cookie];
    const [fromOne, fromTwo] = [await provider.signIn(one.url, 'dan'), await provider.signIn(two.url, 'dan')];
    secrets.push(fromOne['code'] ?? '', fromTwo['code'] ?? '');
    await expectSignedIn(service, await comeBack(service, fromTwo, ...cookies), 'created', 'dan@example.test');
    await expectSignedIn(service, await comeBack(service, fromOne, ...cookies), 'existing', 'dan@example.test');
    // The page is loaded again.
    expect(refusalOf(await comeBack(service, fromOne, ...cookies))).toEqual([401, 'sso_failed']);

    const [own, foreign] = [await begin(service), await begin(service)];
    const returned = await provider.signIn(foreign.url, 'eve');
    expect(refusalOf(await comeBack(service, returned, own.cookie))).toEqual([401, 'sso_failed']);
    expect(refusalOf(await comeBack(service, returned))).toEqual([401, 'sso_failed']);
    // Both at once are one sign-in.
    const dan = await provider.signIn(own.url, 'dan');
    const both = await Promise.all([comeBack(service, dan, own.cookie), comeBack(service, dan, own.cookie)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('a reload of the configuration in the middle of a sign-in keeps what was begun', async () => {
    const { url, cookie } = await begin(service);
    const returned = await provider.signIn(url, 'fay');
    const text = readFileSync(join(service.directory, 'service.hcl'), 'utf8');
    service.write('service.hcl', text.replace('GET /profile"', 'GET /profile/:more"'));
    await until(async () => (await service.ask('GET', '/profile/x')).status === 401);
    expect(await comeBack(service, returned, cookie)).toMatchObject({ status: 200, body: { action: 'created' } });
    service.write('service.hcl', text.replace('client_secret = "secret of app"', 'client_secret = "another secret"'));
    await until(async () => (await service.ask('GET', '/profile')).status === 401);
    // The client of the provider is another one now, and the provider does not accept its secret.
    const refused = await begin(service);
    const answer = await comeBack(service, await provider.signIn(refused.url, 'fay'), refused.cookie);
    expect(refusalOf(answer)).toEqual([401, 'sso_failed']);
    const begun = await begin(service);
    service.write('service.hcl', text);
    await until(async () => {
      const { status } = await signIn(service, provider, 'fay');
      return status === 200;
    });
    const ended = await comeBack(service, await provider.signIn(begun.url, 'fay'), begun.cookie);
    await expectSignedIn(service, ended, 'existing', 'fay@example.test');
  });

  test('S-79: a provider that is silent, cut or endless in the middle of the exchange ends that sign-in, and no other one', async () => {
    // All that was done meanwhile waited for nothing.
    expect(other.count('POST /token')).toBe(2);
    const tabs = await Promise.all(
      ['cut', 'endless'].map(async (account) => ({ account, ...(await begin(service, 'other')) })),
    );
    const back = ({ url, cookie, account }: (typeof tabs)[number]) =>
      comeBack(service, other.signIn(url, account), cookie);
    const answers = await Promise.all([silent, ...tabs.map(back)]);
    expect(answers.map(refusalOf)).toEqual([
      [503, 'provider_unavailable'],
      [503, 'provider_unavailable'],
      [401, 'sso_failed'],
    ]);
    // What was begun is over: the code may have been spent.
    expect(refusalOf(await back(tabs[0]!))).toEqual([401, 'sso_failed']);
    const { url, cookie } = await begin(service, 'other');
    const olga = await comeBack(service, other.signIn(url, 'olga'), cookie);
    await expectSignedIn(service, olga, 'existing', 'olga@example.test');
  });

  test('S-39: keys of a provider that are replaced while the service runs are fetched again', async () => {
    await provider.stop();
    const begun = await begin(service);
    provider = await startProvider('second');
    // The set was fetched a moment ago: nothing that is said by a key which is not in it makes it be fetched again.
    expect(refusalOf(await comeBack(service, await provider.signIn(begun.url, 'ana'), begun.cookie))).toEqual([
      401,
      'sso_failed',
    ]);
    process.kill(service.pid, 'SIGUSR2');
    await expectSignedIn(service, await signIn(service, provider, 'ana'), 'existing', 'ana@example.test');
  });

  test('A-11: no client secret, password or code is in the log', async () => {
    expect(secrets).toHaveLength(4);
    for (const secret of secrets) expect(service.log).not.toContain(secret);
    expect(service.log).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });
});

describe('two processes that share accounts and a store', () => {
  let redis: RedisNode;
  let [a, b]: Scenario[] = [];

  beforeAll(async () => {
    redis = await startRedisNode();
    const prepare = (directory: string) => {
      const file = join(directory, 'service.hcl');
      const storage = `storage {\n    driver = "redis"\n    url    = "${redis.address}"\n  }`;
      writeFileSync(file, readFileSync(file, 'utf8').replace('  users {', `  ${storage}\n  users {`));
    };
    const start = () => startScenario(import.meta.dirname, { env: environment('two.db'), prepare });
    [a, b] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all([a?.end(), b?.end()]);
    await redis?.stop();
  });

  test('X-11: what begins on one ends on the other, once, though the first one is killed', async () => {
    const [first, second] = [a!, b!];
    const token = await register(first, 'gil@example.test');
    const link = await beginLink(first, token);
    const returned = await provider.signIn(link.url, 'gil');
    expect((await comeBack(second, returned, link.cookie)).body).toMatchObject({ action: 'linked' });
    expect(refusalOf(await comeBack(first, returned, link.cookie))).toEqual([401, 'sso_failed']);

    const begun = await begin(first);
    const gil = await provider.signIn(begun.url, 'gil');
    const both = await Promise.all([first, second].map((on) => comeBack(on, gil, begun.cookie)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);

    const last = await begin(first);
    const again = await provider.signIn(last.url, 'gil');
    expect(await first.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await expectSignedIn(second, await comeBack(second, again, last.cookie), 'existing', 'gil@example.test');
  });
});
