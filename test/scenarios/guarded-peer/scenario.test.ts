import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { ask, copyConfiguration, type Scenario, startScenario } from '../scenario.ts';
import { type Reaction, startUpstream, type Upstream } from '../upstream.ts';

const folder = import.meta.dirname;
const secret = 'secret-of-the-shop';
const flows = readFileSync(join(folder, 'flows.hcl'), 'utf8');

describe('a peer behind a circuit breaker, a cache and an identity provider', () => {
  let shop: Upstream;
  let service: Scenario;
  let count = 0;
  /** What the identity provider answers; the shop is asked otherwise. */
  let token: Reaction = { status: 503 };
  let react: Upstream['react'] = () => ({});

  beforeAll(async () => {
    shop = await startUpstream((request) => (request.url === '/token' ? token : react(request)));
    service = await startScenario(folder, { env: { SHOP_URL: shop.address, SHOP_SECRET: secret } });
  });

  afterAll(async () => {
    await service?.end();
    await shop?.close();
  });

  const asked = () => shop.received.map(({ method, url }) => `${method} ${url}`);
  const priced = () => ({ body: { n: ++count }, headers: { 'cache-control': 'max-age=600' } });
  const reload = async (n: number) => {
    const reloads = async () => (await service.metric('svc_reloads_total')) ?? 0;
    const before = await reloads();
    service.write('flows.hcl', flows.replace('step.prices.n"', `step.prices.n + ${n}"`));
    await until(async () => (await reloads()) > before);
  };
  const health = async () => {
    const { body } = await ask('GET', `${service.admin}/health`);
    return (body as { components: Record<string, { status: string; message?: string }> }).components['shop'];
  };

  test('the service starts and is ready while the provider fails, and serves when it does not', async () => {
    expect(asked()).toEqual([]);
    expect((await service.ask('GET', '/prices')).status).toBe(500);
    token = { body: { access_token: 'token-of-the-shop', expires_in: 3600 } };
    react = priced;
    await until(async () => (await service.ask('GET', '/prices')).status === 200);
    expect(shop.received.at(-1)?.headers.authorization).toBe('Bearer token-of-the-shop');
  });

  test('token and answers outlive a reload', async () => {
    shop.received.length = 0;
    await reload(100);
    expect((await service.ask('GET', '/prices')).body).toEqual({ n: 101 });
    await reload(0);
    expect((await service.ask('GET', '/prices')).body).toEqual({ n: 1 });
    expect(asked()).toEqual([]);
    expect(await service.metric('svc_cache_hits_total{cache="shop"}')).toBe(2);
  });

  test('an open breaker answers 503 with Retry-After at once, and outlives a reload', async () => {
    react = () => ({ status: 500 });
    const order = () => service.ask('POST', '/orders', { id: 1 });
    expect([(await order()).status, (await order()).status]).toEqual([500, 500]);
    shop.received.length = 0;
    const refused = await order();
    expect(refused).toMatchObject({ status: 503, body: { code: 'peer_unavailable' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3590);
    await reload(1);
    expect((await order()).status).toBe(503);
    expect(asked()).toEqual([]);
    expect(await service.metric('svc_connector_circuit_state{connector="shop"}')).toBe(2);
    expect(await service.metric('svc_connector_circuit_refusals_total{connector="shop"}')).toBe(2);
    await until(async () => (await health())?.status === 'degraded');
    expect((await health())?.message).toBe('the circuit breaker is open');
    expect(service.log).toContain('the circuit breaker changed its state');
  });

  test('A-11: no output has the secret or the token', async () => {
    const outputs = [service.log, (await ask('GET', `${service.admin}/metrics`)).text, JSON.stringify(await health())];
    expect(outputs.join('\n')).not.toMatch(/secret-of-the-shop|token-of-the-shop/);
  });
});

const environment = { SHOP_URL: 'https://shop.example.test', SHOP_SECRET: 's', PORT: '0', ADMIN_PORT: '0' };

/** What `svc validate` says of the configuration with another connector of this type. */
async function validated(type: string, written: string, scheme = 'https') {
  const directory = copyConfiguration(folder);
  const address = type === 'http' ? 'base_url' : type === 'graphql' ? 'driver = "client"\n  endpoint' : 'endpoint';
  const text = `connector "other" {\n  type = "${type}"\n  ${address} = "${scheme}://peer.example.test"\n  ${written}\n}\n`;
  writeFileSync(join(directory, 'other.hcl'), text);
  try {
    const { code, stdout, stderr } = await runCommand(['validate', '-c', directory], environment);
    return { code, says: stdout + stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('svc validate', () => {
  test.each([
    [
      'operation "buy" {\n  method = "POST"\n  path = "/buy"\n  hedge {\n    after = "1s"\n  }\n}',
      'hedge has no effect',
    ],
    ['hedge {\n  max = 3\n}', 'after'],
    ['circuit_breaker {\n  failures = 0\n}', 'failures'],
    ['cache {\n  storage = "nothing"\n}', 'nothing'],
    ['cache {\n  storage = "api"\n}', 'api'],
    ['auth {\n  type = "digest"\n}', 'username'],
  ])('refuses %s', async (written, what) => {
    const { code, says } = await validated('http', written);
    expect([code, says]).toEqual([1, expect.stringContaining('other.hcl')]);
    expect(says).toContain(what);
  });

  test('takes `http2` where there is a TLS handshake, and refuses it elsewhere', async () => {
    expect((await validated('http', 'http2 = true')).code).toBe(0);
    const { code, says } = await validated('http', 'http2 = true', 'http');
    expect([code, says]).toEqual([1, expect.stringContaining('other.hcl:4')]);
    expect(says).toContain('`http2 = true` needs an https:// address');
    expect(says).toContain('Write base_url with https://, or remove http2.');
  });

  test.each(['graphql', 'soap'])('refuses what %s clients do not have', async (type) => {
    const words = [
      'circuit_breaker {\n}',
      'hedge {\n  after = "1s"\n}',
      'cache {\n}',
      'auth {\n  type = "digest"\n  username = "u"\n}',
      'http2 = true',
    ];
    const codes = await Promise.all(words.map(async (written) => (await validated(type, written)).code));
    expect([codes, (await validated(type, '')).code]).toEqual([[1, 1, 1, 1, 1], 0]);
  });
});
