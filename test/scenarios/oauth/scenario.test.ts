import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { app, OpenIdProvider } from '../../support/servers/openid/provider.ts';
import { OpenIdStandIn } from '../../support/servers/openid/stand-in.ts';
import { type RedisNode, startRedisNode } from '../../support/servers/redis-node.ts';
import { until } from '../../support/until.ts';
import { type Answer, migrate, type Scenario, startScenario } from '../scenario.ts';

const secret = 'secret of app';
const by = (name: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:password of ${name}`).toString('base64')}`,
});

let redis: RedisNode;
let provider: OpenIdProvider;
let other: OpenIdStandIn;
beforeAll(async () => {
  const clients = [{ ...app, redirect_uris: ['https://shop.example.test/callback'] }];
  [redis, provider, other] = await Promise.all([
    startRedisNode(),
    OpenIdProvider.start({ clients }),
    OpenIdStandIn.start(),
  ]);
});
afterAll(async () => {
  await Promise.all([redis?.stop(), provider?.stop(), other?.stop()]);
});

const environment = () => ({
  REDIS: redis.address,
  COMPANY_ISSUER: provider.issuer,
  COMPANY_SECRET: secret,
  OTHER_AUTH_URL: `${other.issuer}/authorize`,
  OTHER_TOKEN_URL: `${other.issuer}/token`,
  OTHER_USERINFO_URL: `${other.issuer}/userinfo`,
  SVC_LOG_LEVEL: 'debug',
  SVC_LOG_FORMAT: 'json',
});

async function connect(service: Scenario, name = 'ana'): Promise<string> {
  const { status, headers, body } = await service.ask('GET', '/connect', undefined, by(name));
  expect([status, headers['cache-control'], headers['x-nothing'], body]).toEqual([
    302,
    'no-store',
    undefined,
    { to: 'company' },
  ]);
  return headers['location'] ?? '';
}

const comeBack = (service: Scenario, back: Readonly<Record<string, string>>, name = 'ana'): Promise<Answer> =>
  service.ask('GET', `/callback?${new URLSearchParams(back)}`, undefined, by(name));

const account = (name: string) => ({
  provider_id: name,
  email: `${name}@example.test`,
  name: `Name of ${name}`,
  picture: `https://pictures.example.test/${name}.png`,
  provider: 'oidc',
  access_token: expect.any(String),
  refresh_token: expect.any(String),
  expires_in: 600,
  email_verified: true,
});

describe('a service that connects accounts', () => {
  let service: Scenario;
  const secrets = [secret];
  beforeAll(async () => {
    service = await startScenario(import.meta.dirname, { env: environment() });
  });
  afterAll(() => service?.end());

  test('sends the browser to a certified provider, and is given the account, its profile and new tokens', async () => {
    const back = await provider.signIn(await connect(service), 'ana');
    const { status, body } = await comeBack(service, back);
    expect([status, body]).toEqual([200, account('ana')]);
    const { access_token, refresh_token } = body as Record<string, string>;
    const profile = await service.ask('POST', '/profile', { access_token }, by('ana'));
    expect([profile.status, profile.body]).toMatchObject([200, { sub: 'ana', email: 'ana@example.test' }]);
    const renewed = await service.ask('POST', '/renew', { refresh_token }, by('ana'));
    expect([renewed.status, renewed.body]).toEqual([
      200,
      { access_token: expect.any(String), refresh_token: expect.any(String), expires_in: 600 },
    ]);
    const tokens = [body, renewed.body].flatMap((each) => Object.entries(each as Record<string, string>));
    secrets.push(...tokens.flatMap(([name, value]) => (name.endsWith('_token') ? [value] : [])), back['code'] ?? '');
  });

  test('S-41: what another person began, was used, or comes without a state, connects nothing', async () => {
    const stolen = await provider.signIn(await connect(service, 'ben'), 'ben');
    expect((await comeBack(service, stolen)).status).toBe(400);
    expect((await comeBack(service, stolen, 'ben')).status).toBe(400);
    const back = await provider.signIn(await connect(service), 'ana');
    const answers = await Promise.all([1, 2, 3].map(() => comeBack(service, back)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await comeBack(service, back)).status).toBe(400);
    const { code = '' } = await provider.signIn(await connect(service), 'ana');
    expect((await comeBack(service, { code })).status).toBe(400);
    expect((await comeBack(service, { code, state: 'guessed' })).status).toBe(400);
    expect((await comeBack(service, { state: back['state'] ?? '', error: 'access_denied' })).status).toBe(400);
  });

  test('a refusal of the person and a grant that has ended are 401', async () => {
    const { searchParams } = new URL(await connect(service));
    const denied = { state: searchParams.get('state') ?? '', error: 'access_denied', iss: provider.issuer };
    expect((await comeBack(service, denied)).status).toBe(401);
    const renewed = await service.ask('POST', '/renew', { refresh_token: 'never given' }, by('ana'));
    expect([renewed.status, JSON.stringify(renewed.body)]).toEqual([401, expect.stringContaining('invalid_grant')]);
    expect((await service.ask('POST', '/profile', { access_token: 'never-given' }, by('ana'))).status).toBe(401);
  });

  test('a destination is given what the browser brings: by a query, and by a form that is posted', async () => {
    const begin = async () => {
      const { status, body } = await service.ask('GET', '/plain/connect', undefined, by('ana'));
      expect([status, body]).toEqual([200, { auth_url: expect.any(String), state: expect.any(String) }]);
      return new URLSearchParams(other.signIn((body as { auth_url: string }).auth_url, 'ana'));
    };
    const row = {
      provider_id: 'ana',
      email: 'ana@example.test',
      name: '',
      picture: '',
      provider: 'plain',
      access_token: 'access of ana',
      refresh_token: 'refresh of ana',
      expires_in: 300,
      email_verified: true,
    };
    const queried = await service.ask('GET', `/plain/callback?${await begin()}`, undefined, by('ana'));
    expect([queried.status, queried.body]).toEqual([200, row]);
    const form = { ...by('ana'), 'content-type': 'application/x-www-form-urlencoded' };
    const posted = await service.ask('POST', '/plain/callback', String(await begin()), form);
    expect([posted.status, posted.body]).toEqual([200, row]);
  });

  test('a provider that is silent, cut or endless in the middle ends that sign-in, and no other one', async () => {
    const faults = ['nothing', 'cut', 'endless'] as const;
    other.instead.set('/token', ({ form }) => faults.find((fault) => form['code'] === `code of ${fault}`) ?? 'usual');
    const back = async (name: string) => {
      const { body } = await service.ask('GET', '/plain/connect', undefined, by('ana'));
      const query = new URLSearchParams(other.signIn((body as { auth_url: string }).auth_url, name));
      return (await service.ask('GET', `/plain/callback?${query}`, undefined, by('ana'))).status;
    };
    expect(await Promise.all([...faults, 'ana'].map(back))).toEqual([503, 503, 500, 200]);
  });

  test('what is not a header is not sent', async () => {
    const to = (text: string) => service.ask('GET', `/redirect?to=${encodeURIComponent(text)}`, undefined, by('ana'));
    const good = await to('/there?a=b');
    expect([good.status, good.headers['location']]).toEqual([302, '/there?a=b']);
    for (const hostile of ['/a\r\nset-cookie: b=c', '/a\nb', '/a\u2028b']) {
      const { status, headers } = await to(hostile);
      expect([status, headers['location'], headers['set-cookie']]).toEqual([500, undefined, undefined]);
    }
  });

  test('a reload in the middle keeps what was begun', async () => {
    const url = await connect(service);
    const text = readFileSync(join(service.directory, 'flows.hcl'), 'utf8');
    service.write('flows.hcl', text.replace('GET /redirect"', 'GET /redirected"'));
    await until(async () => (await service.ask('GET', '/redirect?to=/', undefined, by('ana'))).status === 404);
    const { status, body } = await comeBack(service, await provider.signIn(url, 'ana'));
    expect([status, body]).toEqual([200, account('ana')]);
  });

  test('A-11: no client secret, code or token is in the log', async () => {
    expect(secrets.length).toBeGreaterThan(4);
    for (const each of secrets) expect(service.log).not.toContain(each);
    expect(service.log).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });
});

describe('A-08: two processes that share a cache', () => {
  let [a, b]: Scenario[] = [];
  beforeAll(async () => {
    const start = () => startScenario(import.meta.dirname, { env: environment() });
    [a, b] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all([a?.end(), b?.end()]);
  });

  test('S-41: what begins on one ends on the other, once, though the first one is killed', async () => {
    const [first, second] = [a!, b!];
    const [one, two] = [await connect(first), await connect(first)];
    const [backOne, backTwo] = [await provider.signIn(one, 'ana'), await provider.signIn(two, 'ana')];
    const both = await Promise.all([first, second, first, second].map((service) => comeBack(service, backOne)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    await first.stop('SIGKILL');
    const { status, body } = await comeBack(second, backTwo);
    expect([status, body]).toEqual([200, account('ana')]);
    expect((await comeBack(second, backTwo)).status).toBe(400);
  });

  test('S-92: the cache holds no state, no secret and no name of a person', async () => {
    await redis.client.flushall();
    const url = await connect(b!);
    const keys = await redis.client.keys('*oauth:company:*');
    expect(keys).toHaveLength(1);
    const kept = `${keys[0]} ${await redis.client.get(keys[0]!)}`;
    const state = new URL(url).searchParams.get('state') ?? '';
    for (const each of [state, secret, '"ana"']) expect(kept).not.toContain(each);
    const ttl = await redis.client.pttl(keys[0]!);
    expect(ttl > 590_000 && ttl <= 600_000).toBe(true);
  });

  test('S-96: without the cache both ends refuse', async () => {
    const url = await connect(b!);
    const back = await provider.signIn(url, 'ana');
    await redis.stop();
    const { status } = await b!.ask('GET', '/connect', undefined, by('ana'));
    expect([status, (await comeBack(b!, back)).status]).toEqual([503, 503]);
  });
});

test('the example connects an account, keeps its tokens in a database and renews them', async () => {
  const folder = join(import.meta.dirname, '../../../examples/connect-account');
  const clients = [
    {
      ...app,
      client_id: 'connect-account',
      client_secret: 'only-for-this-machine',
      redirect_uris: ['http://localhost:3000/callback'],
    },
  ];
  const company = await OpenIdProvider.start({ clients });
  const data = folderWith();
  const env = { ISSUER: company.issuer, DATABASE: join(data, 'connections.db') };
  const service = await startScenario(folder, { env, prepare: (directory) => migrate(directory, ['db'], env) });
  const as = (name: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:only-for-this-machine`).toString('base64')}`,
  });
  const ask = (method: string, path: string, name = 'ana') =>
    service.ask(method, path, method === 'POST' ? {} : undefined, as(name));
  try {
    const { headers, status } = await ask('GET', '/connect');
    expect(status).toBe(302);
    const back = await company.signIn(headers['location'] ?? '', 'ana');
    const query = new URLSearchParams(back);
    expect((await ask('GET', `/callback?${query}`, 'ben')).status).toBe(400);
    const again = await company.signIn((await ask('GET', '/connect')).headers['location'] ?? '', 'ana');
    const connected = await ask('GET', `/callback?${new URLSearchParams(again)}`);
    expect([connected.status, connected.headers['location'], connected.body]).toEqual([
      303,
      '/connection',
      { connected: true },
    ]);
    const kept = (await ask('GET', '/connection')).body as Record<string, unknown>;
    expect(kept).toEqual({ provider_id: 'ana', email: 'ana@example.test', expires_at: expect.any(Number) });
    expect((await ask('GET', '/profile')).body).toMatchObject({ sub: 'ana', name: 'Name of ana' });
    const renewals = await Promise.all([1, 2, 3].map(() => ask('POST', '/renew')));
    expect(renewals.map(({ status, body }) => [status, body])).toEqual(renewals.map(() => [200, { expires_in: 600 }]));
    expect((await ask('GET', '/profile')).body).toMatchObject({ sub: 'ana' });
    expect((await ask('GET', '/profile', 'ben')).status).toBe(400);
  } finally {
    await service.end();
    await company.stop();
  }
});
