import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../support/proxy.ts';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario;
let catalog: Upstream;
let account: Upstream;
let identity: Upstream;
let live: Upstream;
let archive: Upstream;
let east: Upstream;

/** A number for each token that was given out. */
let given = 0;
const tokens = () => ({ body: { access_token: `t${++given}`, token_type: 'Bearer', expires_in: 3600 } });

const all = () => [catalog, account, identity, live, archive, east];

beforeAll(async () => {
  [catalog, account, identity, live, archive, east] = (await Promise.all(
    Array.from({ length: 6 }, () => startUpstream()),
  )) as [Upstream, Upstream, Upstream, Upstream, Upstream, Upstream];
  identity.react = tokens;
  service = await startScenario(import.meta.dirname, {
    env: {
      CATALOG_URL: `${catalog.address}/v1`,
      PROTECTED_URL: account.address,
      TOKEN_URL: `${identity.address}/token`,
      LIVE_URL: live.address,
      ARCHIVE_URL: archive.address,
      EAST_URL: east.address,
    },
  });
});

afterAll(async () => {
  await service?.end();
  await Promise.all(all().map((upstream) => upstream?.close()));
});

beforeEach(() => {
  for (const upstream of all()) {
    upstream.received.length = 0;
    upstream.react = () => ({ body: {} });
  }
  identity.react = tokens;
});

const statusAndBody = ({ status, body }: Answer) => ({ status, body });
const get = async (path: string) => statusAndBody(await service.ask('GET', path));
const urls = (upstream: Upstream) => upstream.received.map(({ method, url }) => `${method} ${url}`);

describe('what is sent', () => {
  test('a named operation, with parameters in path and query', async () => {
    catalog.react = () => ({ body: { name: 'Compass', parts: [1, 2.5, null] } });
    expect(await get('/products/7?lang=de')).toEqual({
      status: 200,
      body: { name: 'Compass', parts: [1, 2.5, null] },
    });
    await get('/products/7');
    expect(urls(catalog)).toEqual(['GET /v1/products/7?lang=de', 'GET /v1/products/7']);
    expect(catalog.received[0]!.headers).toMatchObject({ 'x-team': 'gateway', accept: 'application/json' });
  });

  test('S-53: parameters stay in their segment', async () => {
    for (const id of ['../../admin', 'a/b', '%2e%2e', '..', '?x=1', '#', ';a=1', '//evil.test', 'ü '])
      await get(`/products/${encodeURIComponent(id)}`);
    for (const url of urls(catalog)) expect(url).toMatch(/^GET \/v1\/products\/[^/?#]+$/);
  });

  test('S-53: a target from the message never leaves the address that is written', async () => {
    expect((await get('/anything?path=/products/9')).status).toBe(200);
    expect(urls(catalog)).toEqual(['GET /v1/products/9']);
    catalog.received.length = 0;
    const attacks = [
      '//evil.test/x',
      `http://127.0.0.1:${new URL(live.address).port}/stolen`,
      '@evil.test/',
      '.evil.test/',
      '/../../admin',
      '/%2e%2e/admin',
      '/..%2fadmin',
      '\\\\evil.test\\x',
      'file:///etc/passwd',
    ];
    for (const path of attacks) await get(`/anything?path=${encodeURIComponent(path)}`);
    for (const url of urls(catalog)) expect(url).toMatch(/^GET \/v1\//);
    for (const url of urls(catalog)) expect(url).not.toMatch(/\.\.|%2e%2e/i);
    expect(all().slice(1).flatMap(urls)).toEqual([]);
  });

  test('S-52: line breaks never enter a header', async () => {
    const send = (body: object) => service.ask('POST', '/tagged', body);
    expect((await send({ tag: 'plain', team: 'other' })).status).toBe(200);
    expect(catalog.received[0]!.headers).toMatchObject({ 'x-tag': 'plain', 'x-team': 'other' });
    catalog.received.length = 0;
    for (const tag of ['a\r\nX-Admin: 1', 'a\nX-Admin: 1', 'snow ☃'])
      expect((await send({ tag })).status, JSON.stringify(tag)).toBe(400);
    expect(catalog.received).toEqual([]);
  });
});

describe('R-91: trying again', () => {
  test('a GET is repeated, and so is a PUT', async () => {
    catalog.react = () => ({ status: catalog.received.length < 3 ? 503 : 200, body: { ok: true } });
    expect(await get('/products/1')).toEqual({ status: 200, body: { ok: true } });
    catalog.received.length = 0;
    expect((await service.ask('PUT', '/orders/1', { a: 1 })).status).toBe(200);
    expect(catalog.received.map(({ body }) => body)).toEqual(Array(3).fill('{"a":1}'));
  });

  test('a POST is not, unless its key makes it safe', async () => {
    catalog.react = () => ({ status: 503, body: {} });
    expect((await service.ask('POST', '/orders', {})).status).toBe(500);
    expect(catalog.received.length).toBe(1);
    catalog.received.length = 0;
    catalog.react = () => ({ status: catalog.received.length < 2 ? 503 : 201, body: { number: 7 } });
    const keyed = await service.ask('POST', '/orders', {}, { 'idempotency-key': 'k1' });
    expect(statusAndBody(keyed)).toEqual({ status: 201, body: { number: 7 } });
    expect(catalog.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['k1', 'k1']);
  });

  test('a refusal is final', async () => {
    for (const status of [400, 401, 403, 404, 409, 422]) {
      catalog.received.length = 0;
      catalog.react = () => ({ status, body: { error: 'no' } });
      expect(await get('/products/1')).toMatchObject({ status: 500, body: { code: 'upstream_error' } });
      expect(catalog.received.length, String(status)).toBe(1);
    }
  });

  test('Retry-After is waited for', async () => {
    const times: number[] = [];
    catalog.react = () => {
      times.push(performance.now());
      return times.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { body: { ok: true } };
    };
    expect((await get('/products/1')).status).toBe(200);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  });

  test('all tries together end with the time of the operation', async () => {
    catalog.react = () => () => undefined;
    const began = performance.now();
    expect(await get('/brief')).toMatchObject({ status: 500, body: { code: 'connector_timeout' } });
    expect(performance.now() - began).toBeLessThan(1_900);
  });
});

describe('credentials', () => {
  test('one token serves many requests, and is fetched again when it is refused', async () => {
    account.react = ({ headers }) => ({ body: { seen: headers.authorization } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => get('/account')));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toEqual(new Set(['{"seen":"Bearer t1"}']));
    expect(identity.received.length).toBe(1);

    account.react = ({ headers }) =>
      headers.authorization === 'Bearer t1' ? { status: 401 } : { body: { seen: headers.authorization } };
    expect((await get('/account')).body).toEqual({ seen: 'Bearer t2' });
    const form = new URLSearchParams(identity.received[0]!.body);
    expect([form.get('grant_type'), form.get('scope')]).toEqual(['client_credentials', 'read write']);
    expect(identity.received.length).toBe(2);
    // One that has just replaced another is not replaced itself.
    account.react = () => ({ status: 401 });
    expect((await get('/account')).status).toBe(500);
    expect(identity.received.length).toBe(2);
  });

  test('S-76: they do not follow a redirect to another origin', async () => {
    account.react = () => ({ status: 302, headers: { location: `${live.address}/stolen` } });
    expect((await get('/account')).status).toBe(500);
    expect(live.received).toEqual([]);
  });

  test('they are in no answer and no log', async () => {
    identity.react = () => ({ status: 400, body: { error: 'invalid_client' } });
    account.react = () => ({ status: 401 });
    const { text } = await service.ask('GET', '/account');
    for (const secret of ['s3cret', Buffer.from('gateway:s3cret').toString('base64'), 'Bearer t'])
      expect(text + service.log).not.toContain(secret);
  });
});

describe('answers', () => {
  test('S-79: are bounded', async () => {
    catalog.react = () => ({ body: { text: 'x'.repeat(70_000) } });
    expect(await get('/products/1')).toMatchObject({
      status: 500,
      body: { code: expect.stringMatching(/^connector_/) },
    });
    catalog.react = () => (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      response.on('error', () => undefined);
      more();
    };
    expect((await get('/products/1')).status).toBe(500);
  });

  test('that break off, or are absent, are failures that name the connector', async () => {
    catalog.react = () => (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    };
    expect(await get('/products/1')).toMatchObject({ status: 500, body: { code: 'connector_refused' } });
    catalog.react = () => (response) => response.socket?.end('no HTTP at all\r\n\r\n');
    expect((await get('/products/1')).status).toBe(500);
    expect(await service.metric('svc_connector_errors_total{service="gateway",connector="catalog"}')).toBeGreaterThan(
      2,
    );
  });
});

describe('profiles', () => {
  test('the selected one is asked, by what the message says', async () => {
    live.react = () => ({ body: { amount: 12 } });
    east.react = () => ({ body: { amount: 13 } });
    expect((await get('/prices/a')).body).toEqual({ amount: 12 });
    expect((await get('/prices/a?region=east')).body).toEqual({ amount: 13 });
    expect((await get('/prices/a?region=nowhere')).body).toEqual({ amount: 12 });
    expect([urls(live), urls(east), urls(archive)]).toEqual([
      ['GET /prices/a', 'GET /prices/a'],
      ['GET /prices/a'],
      [],
    ]);
  });

  test('R-38: 5xx and silence fall over to the next, whose answer is shaped in the same way', async () => {
    archive.react = () => ({ body: { value: 40, other: 1 } });
    live.react = () => ({ status: 503, body: {} });
    expect(await get('/prices/b')).toEqual({ status: 200, body: { amount: 40, from: 'archive' } });
    live.react = () => () => undefined;
    expect(await get('/prices/b')).toEqual({ status: 200, body: { amount: 40, from: 'archive' } });
    expect(
      await service.metric('svc_connector_profile_fallback_total{connector="prices",from="live",to="archive"}'),
    ).toBe(2);
    expect(await service.metric('svc_connector_profile_requests_total{connector="prices",profile="archive"}')).toBe(2);
    archive.react = () => ({ status: 500, body: {} });
    expect((await get('/prices/b')).status).toBe(500);
  });

  test('R-38: a refusal never falls over, for reads and writes', async () => {
    for (const status of [400, 401, 403, 404, 409, 422]) {
      live.react = () => ({ status, body: { error: 'no' } });
      expect(await get('/prices/c')).toMatchObject({ status: 500, body: { code: 'upstream_error' } });
      expect((await service.ask('PUT', '/prices/c', { amount: 1 })).status).toBe(500);
    }
    expect(live.received.length).toBe(12);
    expect(archive.received).toEqual([]);
  });
});

test('a service that is not there is reported as such, and asked again when it is back', async () => {
  const proxy = await faultProxy({ port: Number(new URL(catalog.address).port) });
  proxy.fault = 'refuse';
  const own = await startScenario(import.meta.dirname, {
    env: { CATALOG_URL: `http://127.0.0.1:${proxy.port}/v1`, TOKEN_URL: `${identity.address}/token` },
    isUnhealthy: true,
  });
  try {
    expect(statusAndBody(await own.ask('GET', '/products/1'))).toMatchObject({
      status: 500,
      body: { code: 'connector_refused' },
    });
    expect((await own.ask('GET', '/health/live')).body).toEqual({ status: 'alive' });
    proxy.fault = 'pass';
    catalog.react = () => ({ body: { back: true } });
    expect(statusAndBody(await own.ask('GET', '/products/1'))).toEqual({ status: 200, body: { back: true } });
  } finally {
    await own.end();
    await proxy.close();
  }
});
