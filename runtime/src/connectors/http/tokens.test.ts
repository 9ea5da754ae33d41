import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { client, failure, listen, recorder, run } from './testing/peer.ts';

/** A server that issues a token with each answer at `/token`, as `issue` says it, and takes every other request. */
async function provider(issue: (asked: number) => { status?: number; headers?: Record<string, string>; body: object }) {
  let asked = 0;
  const used: (string | undefined)[] = [];
  const { url } = await listen((request, response) => {
    request.resume().on('end', () => {
      if (request.url !== '/token') {
        used.push(request.headers.authorization);
        return response.setHeader('content-type', 'application/json').end('{}');
      }
      const { status = 200, headers = {}, body } = issue(++asked);
      return response.writeHead(status, headers).end(JSON.stringify(body));
    });
  });
  const auth = { type: 'client_credentials', token_url: `${url}/token`, client_id: 'id', client_secret: 's3cret' };
  return { url, auth, used, asked: () => asked };
}

const get = { operation: 'GET /' };

describe('an access token', () => {
  test('is fetched when it is first needed: a service starts while the provider is unreachable', async () => {
    const { url, seen } = await recorder();
    const auth = { type: 'client_credentials', token_url: 'http://127.0.0.1:1/token', client_id: 'id' };
    const api = await client({ base_url: url, auth });
    expect(await failure(run(api, get))).toMatchObject({ code: 'connector_refused', at: { connector: 'api' } });
    expect(seen).toEqual([]);
  });

  test('is waited for by each call no longer than its own timeout', async () => {
    let asked = 0;
    let release: (() => void) | undefined;
    const { url } = await listen((request, response) => {
      if (request.url !== '/token') return response.writeHead(200).end();
      asked++;
      release = () => response.end('{"access_token":"t"}');
    });
    const auth = { type: 'client_credentials', token_url: `${url}/token`, client_id: 'id' };
    const api = await client({ base_url: url, auth });
    const stop = new AbortController();
    const late = failure(run(api, { operation: 'GET /', timeout: 50 }));
    const cancelled = failure(run(api, get, { signal: stop.signal }));
    const waiting = run(api, get);
    expect((await late).code).toBe('connector_timeout');
    stop.abort();
    expect((await cancelled).code).toBe('cancelled');
    release?.();
    expect(await waiting).toEqual({ value: { data: null } });
    expect(asked).toBe(1);
  });

  test('A-11: that is refused fails the call, and no secret is repeated', async () => {
    const { url } = await recorder({ status: 400, body: { error: 'invalid_client', echo: 's3cret' } });
    const auth = { type: 'client_credentials', token_url: `${url}/token`, client_id: 'id', client_secret: 's3cret' };
    const refused = await failure(run(await client({ base_url: url, auth }), get));
    expect(refused.message).toBe(
      `no access token from ${url}/token: HTTP 400: invalid_client; the client proved itself by client_auth = "basic": check client_id and client_secret, or write client_auth = "post" where the provider expects them in the body`,
    );
  });

  test('is replaced in the background before its end, once for all requests', async () => {
    const clock = new ManualClock();
    const { url, auth, used, asked } = await provider((at) => ({ body: { access_token: `t${at}`, expires_in: 600 } }));
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    await run(api, get);
    await clock.pass(485_000);
    await run(api, get);
    expect(asked()).toBe(1);
    await clock.pass(5_000);
    await Promise.all([run(api, get), run(api, get), run(api, get)]);
    await expect.poll(asked).toBe(2);
    await expect.poll(() => run(api, get).then(() => used.at(-1))).toBe('Bearer t2');
    expect(used.slice(0, 5)).toEqual(Array(5).fill('Bearer t1'));
    expect(asked()).toBe(2);
  });

  test('serves to its end while its successor cannot be fetched', async () => {
    const clock = new ManualClock();
    const { url, auth, used, asked } = await provider((at) =>
      at === 1 ? { body: { access_token: 't1', expires_in: 600 } } : { status: 500, body: {} },
    );
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    await run(api, get);
    await clock.pass(500_000);
    await run(api, get);
    await expect.poll(asked).toBe(2);
    await run(api, get);
    expect(used).toEqual(Array(3).fill('Bearer t1'));
    await clock.pass(50_000);
    expect((await failure(run(api, get))).message).toBe(`no access token from ${url}/token: HTTP 500`);
  });

  test('A-09: ends by the time that passed, whatever becomes of the time of the day', async () => {
    const clock = new ManualClock();
    const { url, auth, asked } = await provider(() => ({ body: { access_token: 't', expires_in: 600 } }));
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    await run(api, get);
    clock.set(3_600_000);
    await run(api, get);
    clock.set(-7_200_000);
    await run(api, get);
    expect(asked()).toBe(1);
  });

  test.each([0, -5, 0.001])('that is said to end in %s s is not fetched with every request', async (lifetime) => {
    const clock = new ManualClock();
    const { url, auth, asked } = await provider(() => ({ body: { access_token: 't', expires_in: lifetime } }));
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    for (let i = 0; i < 5; i++) await run(api, get);
    expect(asked()).toBe(1);
  });
});

describe('a provider that fails', () => {
  test('is asked again after growing pauses; meanwhile calls fail at once', async () => {
    const clock = new ManualClock();
    const { url, auth, asked } = await provider(() => ({ status: 503, body: { error: 'temporarily_unavailable' } }));
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    const message = `no access token from ${url}/token: HTTP 503: temporarily_unavailable`;
    const attempts: number[] = [];
    for (const pause of [0, 249, 1, 499, 1, 999, 1]) {
      await clock.pass(pause);
      const refused = await Promise.all(Array.from({ length: 20 }, () => failure(run(api, get))));
      expect(new Set(refused.map((each) => each.message))).toEqual(new Set([message]));
      attempts.push(asked());
    }
    expect(attempts).toEqual([1, 1, 2, 2, 3, 3, 4]);
    for (let i = 0; i < 20; i++) {
      await clock.pass(30_000);
      await failure(run(api, get));
    }
    expect(asked()).toBe(24);
  });

  test('is asked no earlier than it says, up to 30 s', async () => {
    const clock = new ManualClock();
    const { url, auth, asked } = await provider(() => ({ status: 429, headers: { 'retry-after': '3600' }, body: {} }));
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    await failure(run(api, get));
    await clock.pass(29_999);
    expect(await failure(run(api, get))).toMatchObject({ retryAfter: 1 });
    expect(asked()).toBe(1);
    await clock.pass(1);
    await failure(run(api, get));
    expect(asked()).toBe(2);
  });

  test('is asked for one token when a peer refuses each of them, however often it is called', async () => {
    const clock = new ManualClock();
    let asked = 0;
    let calls = 0;
    const { url } = await listen((request, response) => {
      if (request.url !== '/token') return response.writeHead(401, { calls: ++calls }).end('{}');
      return response.end(`{"access_token":"t${++asked}"}`);
    });
    const auth = { type: 'client_credentials', token_url: `${url}/token`, client_id: 'id' };
    const api = await client({ base_url: url, auth }, connectorServices({ clock }));
    for (let i = 0; i < 10; i++) expect((await failure(run(api, get))).upstream?.status).toBe(401);
    expect([asked, calls]).toEqual([2, 11]);
    await clock.pass(10_000);
    await failure(run(api, get));
    expect([asked, calls]).toEqual([3, 13]);
  });
});
