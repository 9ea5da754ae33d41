import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { http } from './spec.ts';
import { client, failure, listen, recorder, run } from './testing/peer.ts';

describe('what is sent', () => {
  test('a call fills the path and sends the rest as JSON', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: `${url}/v2/`, headers: { 'X-Team': 'core' } });
    const call = { operation: 'POST /orders/:id/lines?full=1' };
    const result = await run(api, call, { params: { id: 'a/b c', sku: 'x', count: 2 }, traceparent: '00-a-b-01' });
    expect(result).toEqual({ value: { ok: true } });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/v2/orders/a%2Fb%20c/lines?full=1',
        body: '{"sku":"x","count":2}',
        headers: {
          host: new URL(url).host,
          connection: 'keep-alive',
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          'content-length': '21',
          'content-type': 'application/json',
          traceparent: '00-a-b-01',
          'user-agent': 'svc/0.1.0',
          'x-team': 'core',
        },
      },
    ]);
  });

  test('GET, DELETE and HEAD send data as a sorted query string without nulls', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: url });
    const data = { b: [1, { c: 2 }], a: 'x&y', n: null, z: true };
    await run(api, { verb: 'read', operation: 'GET', target: '/items?keep=1' }, { filters: data });
    await run(api, { verb: 'delete', target: '/items/:id' }, { filters: { id: 7 } });
    await run(api, { operation: 'HEAD /items' }, { params: { q: 1 } });
    expect(seen.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      { method: 'GET', url: '/items?keep=1&a=x%26y&b=%5B1%2C%7B%22c%22%3A2%7D%5D&z=true', body: '' },
      { method: 'DELETE', url: '/items/7', body: '' },
      { method: 'HEAD', url: '/items?q=1', body: '' },
    ]);
  });

  test('QUERY carries its data in the body, and envelope wraps it', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: url });
    await run(api, { verb: 'read', operation: 'QUERY /search' }, { filters: { q: 'a' } });
    await run(api, { verb: 'create', target: '/orders', words: { envelope: 'order' } }, { payload: { id: 1 } });
    expect(seen.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      { method: 'QUERY', url: '/search', body: '{"q":"a"}' },
      { method: 'POST', url: '/orders', body: '{"order":{"id":1}}' },
    ]);
  });

  test('the format that a step or a destination names wins over that of the connector', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: url });
    const call = { verb: 'create', target: '/orders' } as const;
    await run(api, call, { payload: { id: 1 } });
    await run(api, { ...call, words: { format: 'csv' } }, { payload: { id: 1 } });
    expect(seen.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/json', '{"id":1}'],
      ['text/csv', 'id\r\n1\r\n'],
    ]);
  });

  test('headers of a message win over those of the connector', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: url, headers: { 'X-Store': 'a', Accept: 'text/plain' } });
    await run(api, { operation: 'GET /' }, { headers: { 'x-STORE': 'b' } });
    expect([seen[0]?.headers['x-store'], seen[0]?.headers.accept]).toEqual(['b', 'text/plain']);
  });

  test('S-52: headers that would change the request are refused and nothing is sent', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: url });
    const bad: Record<string, string>[] = [
      { 'X-A': 'a\r\nX-B: 1' },
      { 'X-A': 'a\nb' },
      { 'X-A': 'a\0b' },
      { 'X-A': 'żółw' },
      { 'X A': 'b' },
      { Host: 'evil.example' },
      { 'content-length': '0' },
      { 'Transfer-Encoding': 'chunked' },
      { Connection: 'close' },
    ];
    for (const headers of bad) {
      const refused = await failure(Promise.resolve(run(api, { operation: 'GET /' }, { headers })));
      expect(refused).toMatchObject({ code: 'value_refused', at: { connector: 'api' } });
    }
    await run(api, { operation: 'GET /' }, { headers: { 'X-A': 'café' } });
    expect(seen.length).toBe(1);
  });

  test('S-53: parameters stay in their segment and targets stay below base_url', async () => {
    const { url, seen } = await recorder();
    const api = await client({ base_url: `${url}/v1` });
    for (const id of ['../../admin', 'a/b', '%2e%2e', '?x=1', '#f', 'a\r\nb', '\\..\\x']) {
      await run(api, { operation: 'GET /users/:id' }, { params: { id } });
    }
    for (const target of ['//evil.example/x', 'http://evil.example/x', 'a b#c', '\\\\evil.example']) {
      await run(api, { verb: 'read' }, { target });
    }
    expect(seen.map((each) => each.url)).toEqual([
      '/v1/users/..%2F..%2Fadmin',
      '/v1/users/a%2Fb',
      '/v1/users/%252e%252e',
      '/v1/users/%3Fx%3D1',
      '/v1/users/%23f',
      '/v1/users/a%0D%0Ab',
      '/v1/users/%5C..%5Cx',
      '/v1/evil.example/x',
      '/v1/http://evil.example/x',
      '/v1/a%20b%23c',
      '/v1/evil.example',
    ]);
    for (const id of ['..', '.', '']) {
      expect((await failure(run(api, { operation: 'GET /users/:id' }, { params: { id } }))).code).toBe('value_refused');
    }
    for (const target of ['../admin', 'a/%2E%2e/b', '..%2fadmin', 'x/..\\y']) {
      expect((await failure(run(api, { verb: 'read' }, { target }))).code).toBe('value_refused');
    }
    expect(seen.length).toBe(11);
  });

  test('the debug line of a write has sizes and names, never values', async () => {
    const { url } = await recorder();
    const log = recordingLog();
    const api = await client({ base_url: url }, connectorServices({ log }));
    await run(api, { operation: 'PUT /orders/:id' }, { params: { id: 'secret-id', card: '4111' } });
    await run(api, { operation: 'GET /orders' });
    expect(log.lines).toEqual([
      {
        level: 'debug',
        message: 'http request',
        fields: { connector: 'api', method: 'PUT', path: '/orders/:id', size_bytes: 15, top_level_keys: ['card'] },
      },
    ]);
  });
});

describe('what comes back', () => {
  test.each([
    ['object', { a: 1 }, 'application/json', [{ a: 1 }], { a: 1 }],
    ['array', [{ a: 1 }, 2], 'application/json', [{ a: 1 }, { data: 2 }], [{ a: 1 }, 2]],
    ['array of one', [{ a: 1 }], 'application/json', [{ a: 1 }], { a: 1 }],
    ['scalar', '5', 'application/problem+json', [{ data: 5 }], { data: 5 }],
    ['text', 'hello', 'text/plain', [{ data: 'hello' }], { data: 'hello' }],
    ['empty', '', 'application/json', [{ data: null }], { data: null }],
    ['broken JSON', '{"a":', 'application/json', [{ data: '{"a":' }], { data: '{"a":' }],
  ])('%s', async (_name, body, type, rows, value) => {
    const { url } = await recorder({ body, headers: { 'content-type': type } });
    const api = await client({ base_url: url });
    expect(await run(api, { verb: 'read', target: '/' })).toEqual({ rows });
    expect(await run(api, { verb: 'create', target: '/' }, { payload: { a: 1 } })).toEqual({ rows, affected: 1 });
    expect(await run(api, { operation: 'GET /' })).toEqual({ value });
  });

  test('compressed answers are read', async () => {
    const { url } = await recorder({ body: gzipSync('{"a":1}'), headers: { 'content-encoding': 'gzip' } });
    expect(await run(await client({ base_url: url }), { operation: 'GET /' })).toEqual({ value: { a: 1 } });
  });

  test('an error status is a failure that carries the answer', async () => {
    const { url } = await recorder({ status: 404, body: '{"no":1}' }, { status: 503, headers: { 'retry-after': '7' } });
    const api = await client({ base_url: url });
    expect(await failure(run(api, { operation: 'GET /' }))).toMatchObject({
      code: 'upstream_error',
      message: 'HTTP 404: 404 Not Found - {"no":1}',
      upstream: { status: 404, body: '{"no":1}' },
      retriable: false,
      at: { connector: 'api' },
    });
    expect(await failure(run(api, { operation: 'GET /' }))).toMatchObject({
      message: 'HTTP 503: 503 Service Unavailable - {"ok":true}',
      retriable: true,
      retryAfter: 7000,
    });
  });
});

describe('R-91: retries', () => {
  const quick = { attempts: 3, delay: 1 };

  test('what changes nothing is repeated on 5xx, 429 and broken connections, never on other 4xx', async () => {
    const { url, seen } = await recorder({ status: 500 }, { status: 429 }, {}, { status: 400 });
    const api = await client({ base_url: url, retry: quick });
    expect(await run(api, { operation: 'PUT /' }, { params: { a: 1 } })).toEqual({ value: { ok: true } });
    expect(seen.map((each) => each.body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
    expect((await failure(run(api, { operation: 'GET /' }))).upstream?.status).toBe(400);
    expect(seen.length).toBe(4);
  });

  test('POST and PATCH are repeated only when asked for, or with a key', async () => {
    const { url, seen } = await recorder({ status: 500 });
    const plain = await client({ base_url: url, retry: quick });
    const unsafe = await client({ base_url: url, retry: { ...quick, unsafe: true } });
    await failure(run(plain, { operation: 'POST /plain' }));
    await failure(run(plain, { operation: 'PATCH /plain' }));
    await failure(run(plain, { operation: 'POST /keyed' }, { headers: { 'Idempotency-Key': 'k' } }));
    await failure(run(unsafe, { operation: 'POST /unsafe' }));
    const attempts = Object.groupBy(seen, ({ method, url }) => `${method} ${url}`);
    expect(Object.entries(attempts).map(([line, all]) => [line, all?.length])).toEqual([
      ['POST /plain', 1],
      ['PATCH /plain', 1],
      ['POST /keyed', 3],
      ['POST /unsafe', 3],
    ]);
  });

  test('a POST that never left is repeated', async () => {
    const { url, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    const waits: number[] = [];
    const base = connectorServices();
    const clock = { ...base.clock, sleep: async (ms: number) => void waits.push(ms) };
    const api = await client({ base_url: url, retry: quick }, { ...base, clock });
    expect(await failure(run(api, { operation: 'POST /' }))).toMatchObject({ code: 'connector_refused' });
    expect(waits.length).toBe(2);
  });

  test('Retry-After is waited for, at most 30 seconds, and other waits are spread', async () => {
    const { url } = await recorder(
      { status: 503, headers: { 'retry-after': '3600' } },
      { status: 503, headers: { 'retry-after': '2' } },
      { status: 503 },
      {},
    );
    const waits: number[] = [];
    const base = connectorServices();
    const clock = { ...base.clock, sleep: async (ms: number) => void waits.push(ms) };
    const retry = { attempts: 4, delay: 1000, backoff: 'linear', max_delay: 10_000 };
    const api = await client({ base_url: url, retry }, { ...base, clock });
    await run(api, { operation: 'GET /' });
    expect(waits.slice(0, 2)).toEqual([30_000, 2000]);
    expect(waits[2]).toBeGreaterThanOrEqual(2400);
    expect(waits[2]).toBeLessThanOrEqual(3600);
  });

  test('the timeout of the call bounds all attempts together', async () => {
    const { url, seen } = await recorder({ status: 503, headers: { 'retry-after': '20' } });
    const api = await client({ base_url: url, retry: quick });
    expect((await failure(run(api, { operation: 'GET /', timeout: 5000 }))).upstream?.status).toBe(503);
    expect(seen.length).toBe(1);
  });

  test('each attempt has the timeout of the connector', async () => {
    let asked = 0;
    const { url } = await listen(() => asked++);
    const api = await client({ base_url: url, timeout: 50, retry: quick });
    expect((await failure(run(api, { operation: 'GET /' }))).code).toBe('connector_timeout');
    expect(asked).toBe(3);
  });

  test('a cancelled request is aborted and not repeated', async () => {
    const stop = new AbortController();
    let dropped = false;
    const { url } = await listen((request) => {
      request.on('close', () => (dropped = true));
      stop.abort();
    });
    const api = await client({ base_url: url, retry: quick });
    expect((await failure(run(api, { operation: 'GET /' }, { signal: stop.signal }))).code).toBe('cancelled');
    await expect.poll(() => dropped).toBe(true);
  });
});

test('S-77: other kinds of addresses are refused, and a password in one is never shown', async () => {
  const addresses = [
    'file:///etc/passwd',
    'gopher://h/',
    'unix:/run/x.sock',
    'ftp://h',
    'https://h/?q',
    'https://h/\r\nX: 1',
    'h',
  ];
  const pattern = new RegExp(http.config.attributes.base_url.pattern?.source ?? '');
  expect(addresses.filter((address) => pattern.test(address))).toEqual([]);
  for (const base_url of ['file:///etc/passwd', 'unix:/run/x.sock']) {
    await expect(client({ base_url })).rejects.toThrow('"base_url" is not an http:// or https:// address');
  }
  const away = await client({ base_url: 'http://user:s3cret@127.0.0.1:1' });
  expect((await failure(run(away, { operation: 'GET /' }))).message).not.toContain('s3cret');
});

describe('credentials', () => {
  test.each([
    ['bearer', { type: 'bearer', token: 't' }, 'authorization', 'Bearer t'],
    ['basic', { type: 'basic', username: 'u', password: 'p:q' }, 'authorization', 'Basic dTpwOnE='],
    ['api_key', { type: 'api_key', api_key: 'k' }, 'x-api-key', 'k'],
    ['api_key in a chosen header', { type: 'api_key', token: 'k', api_key_header: 'X-K' }, 'x-k', 'k'],
  ])('%s goes with every request', async (_name, auth, header, value) => {
    const { url, seen } = await recorder();
    await run(await client({ base_url: url, auth }), { operation: 'GET /' });
    expect(seen[0]?.headers[header]).toBe(value);
  });

  test('a key may travel in the query string, and a password in the address', async () => {
    const { url, seen } = await recorder();
    const auth = { type: 'api_key', api_key: 'k&', api_key_query: 'key' };
    await run(await client({ base_url: url, auth }), { operation: 'POST /?a=1' }, { params: { b: 2 } });
    await run(await client({ base_url: url.replace('//', '//u:p%40@') }), { operation: 'GET /' });
    expect([seen[0]?.url, seen[1]?.headers.authorization]).toEqual(['/?a=1&key=k%26', 'Basic dTpwQA==']);
  });

  test('access tokens are fetched once, shared, and renewed once after a 401', async () => {
    let issued = 0;
    const forms: string[] = [];
    const authorizations: (string | undefined)[] = [];
    const { url } = await listen((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        if (request.url === '/token') {
          forms.push(body);
          response.end(JSON.stringify({ access_token: `t${++issued}`, expires_in: 3600 }));
          return;
        }
        authorizations.push(request.headers.authorization);
        response.statusCode = request.headers.authorization === `Bearer t${issued}` && issued > 1 ? 200 : 401;
        response.end('{}');
      });
    });
    const auth = {
      type: 'client_credentials',
      token_url: `${url}/token`,
      client_id: 'id',
      client_secret: 's3',
      scopes: ['a', 'b'],
    };
    const api = await client({ base_url: url, auth });
    await Promise.all([run(api, { operation: 'POST /' }), run(api, { operation: 'POST /' })]);
    await run(api, { operation: 'GET /' });
    expect(forms).toEqual(Array(2).fill('grant_type=client_credentials&scope=a+b'));
    expect(authorizations.sort()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2', 'Bearer t2']);
  });

  test('a peer that keeps refusing is asked twice', async () => {
    const { url, seen } = await recorder(
      { body: { access_token: 't' } },
      { status: 401 },
      { body: { access_token: 'u' } },
      { status: 401 },
    );
    const auth = { type: 'oauth2', token_url: `${url}/token`, client_id: 'id', refresh_token: 'r' };
    const api = await client({ base_url: url, auth, retry: { attempts: 3, delay: 1 } });
    expect((await failure(run(api, { operation: 'GET /' }))).upstream?.status).toBe(401);
    expect(seen.map((each) => each.url)).toEqual(['/token', '/', '/token', '/']);
    expect(seen[0]?.body).toBe('grant_type=refresh_token&refresh_token=r&client_id=id');
  });
});

test('any answer to HEAD means healthy, none means not', async () => {
  const { url, seen } = await recorder({ status: 500 });
  const api = await client({ base_url: `${url}/base` });
  await api.check?.(new AbortController().signal);
  expect([seen[0]?.method, seen[0]?.url]).toEqual(['HEAD', '/base']);
  const { url: moved } = await recorder({ status: 302, headers: { location: 'https://other.example/' } });
  await (await client({ base_url: moved })).check?.(new AbortController().signal);
  const away = await client({ base_url: 'http://127.0.0.1:1' });
  expect((await failure(Promise.resolve(away.check?.(new AbortController().signal)))).code).toBe('connector_refused');
});
