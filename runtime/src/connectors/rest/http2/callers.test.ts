import { describe, expect, test } from 'vitest';
import { ClientAddress } from '../../../platform/http/admission/client-address.ts';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import {
  encoded,
  endsHeaders,
  endsStream,
  fieldsOf,
  frame,
  RawCaller,
  request,
} from '../../../platform/http/testing/http2-frames.ts';
import { limiter } from '../../../platform/http/testing/limiter.ts';
import { binding, echo, reply, type Served, type ServedOptions, served } from '../testing/served.ts';

const keys = Array.from({ length: 8 }, (_, at) => `the key of caller ${at}`);

/** Flows that say who called, at once or after some turns. */
function start(config: Record<string, unknown> = {}, options: ServedOptions = {}): Promise<Served> {
  const flows = [
    binding('GET /a', echo),
    binding('POST /a', echo),
    binding('GET /me', async ({ auth }) => {
      for (let turn = 0; turn < Math.random() * 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      return reply({ id: auth.user_id, authenticated: auth.authenticated });
    }),
    binding('GET /public', ({ auth }) => reply({ authenticated: auth.authenticated })),
  ];
  return served(flows, { config: { http2: true, ...config }, ...options });
}

describe('callers that share one connection', () => {
  const auth = { type: 'api_key', keys, public: ['/public'] };

  test('A-01: are each who their own credentials say, whatever the others send', async () => {
    await using service = await start({ auth });
    await using session = openHttp2(service.url);
    const asked = Array.from(
      { length: 400 },
      (_, at) => [at % (keys.length + 1), at % 3 === 0 ? '/public' : '/me'] as const,
    );
    const answers = await Promise.all(
      asked.map(([caller, path]) =>
        askHttp2(session, { ':path': path, ...(caller < keys.length && { 'x-api-key': keys[caller] }) }),
      ),
    );
    const one = await Promise.all(
      asked.map(([caller, path]) =>
        service.ask(path, { headers: caller < keys.length ? { 'x-api-key': keys[caller] as string } : {} }),
      ),
    );
    expect(answers.map(({ status, text }) => [status, text])).toEqual(one.map(({ status, text }) => [status, text]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  test('A-01: headers in the table of the connection are not credentials of the next request', async () => {
    await using service = await start({ auth });
    const caller = new RawCaller(service.port);
    const key = keys[0] as string;
    // Into the table, where later requests could name it.
    const indexed = Buffer.concat([
      Buffer.from([0x40, 9]),
      Buffer.from('x-api-key'),
      Buffer.from([key.length]),
      Buffer.from(key),
    ]);
    const head = encoded(fieldsOf('GET', '/me'));
    const whole = endsHeaders | endsStream;
    caller.send(
      frame('headers', whole, 1, Buffer.concat([head, indexed])),
      request(3, 'GET', '/me'),
      frame('headers', whole, 5, Buffer.concat([head, Buffer.from([0x80 | 62])])),
    );
    await expect
      .poll(() => [1, 3, 5].map((stream) => caller.outcomeOf(stream) !== undefined))
      .toEqual([true, true, true]);
    const [first, second, third] = [1, 3, 5].map((stream) => JSON.parse(caller.outcomeOf(stream) as string));
    expect([first.authenticated, second.code, third]).toEqual([true, 'authentication_required', first]);
    caller.end();
  });

  test('S-66: cookies in several fields are one, in their order', async () => {
    await using service = await start();
    const caller = new RawCaller(service.port);
    caller.send(
      request(1, 'GET', '/a', [
        ['cookie', 'a=1'],
        ['x', '1'],
        ['cookie', 'b=2'],
        ['cookie', 'c=3; d=4'],
      ]),
    );
    await expect.poll(() => caller.outcomeOf(1)).toBe('{"headers":{"cookie":"a=1; b=2; c=3; d=4","x":"1","host":"x"}}');
    caller.end();
  });
});

test('S-88: preflights and pages of other origins are treated as over HTTP/1.1', async () => {
  await using service = await start({ cors: { origins: ['https://app.example.org'], allow_credentials: true } });
  await using open = await start({}, { services: { production: false } });
  await using session = openHttp2(service.url);
  await using own = openHttp2(open.url);
  const preflight = { 'access-control-request-method': 'POST' };
  const json = { 'content-type': 'application/json' };
  for (const [origin, more, method] of [
    ['https://app.example.org', preflight, 'OPTIONS'],
    ['https://other.example.org', preflight, 'OPTIONS'],
    ['null', preflight, 'OPTIONS'],
    ['https://app.example.org', {}, 'OPTIONS'],
    ['https://app.example.org', json, 'POST'],
    ['https://other.example.org', json, 'POST'],
  ] as const)
    for (const [server, connection] of [
      [service, session],
      [open, own],
    ] as const) {
      const body = method === 'POST' ? '{}' : undefined;
      const over2 = await askHttp2(connection, { ':method': method, ':path': '/a', origin, ...more }, body);
      const over1 = await server.ask('/a', { method, headers: { origin, ...more }, ...(body && { body }) });
      const { 'content-length': _, ...headers } = over2.headers;
      expect([origin, method, over2.status, headers]).toEqual([origin, method, over1.status, over1.headers]);
    }
});

describe('the rate limit', () => {
  const burst = 5;
  /** A bucket of five for each key. */
  const counting = (over = {}) => {
    const taken = new Map<string, number>();
    const take = (key: string) => {
      const count = (taken.get(key) ?? 0) + 1;
      taken.set(key, count);
      return { allowed: count <= burst, remaining: Math.max(0, burst - count), retryAfter: count <= burst ? 0 : 1_500 };
    };
    return { taken, rateLimiter: limiter({ burst, take, ...over }) };
  };

  test('A-01: counts each stream, and answers those beyond it as over HTTP/1.1', async () => {
    const { taken, rateLimiter } = counting();
    await using service = await start({}, { http: { rateLimiter } });
    await using session = openHttp2(service.url);
    const answers = await Promise.all(Array.from({ length: 50 }, () => askHttp2(session, { ':path': '/a' })));
    expect(answers.map(({ status }) => status)).toEqual([...Array(burst).fill(200), ...Array(45).fill(429)]);
    expect(answers.slice(0, 6).map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
      '4',
      '3',
      '2',
      '1',
      '0',
      '0',
    ]);
    const [, , , , , refused] = answers;
    const over1 = await service.ask('/a');
    const { 'content-length': _, ...headers } = refused?.headers ?? {};
    expect([over1.status, over1.text, Object.keys(headers).sort()]).toEqual([
      429,
      refused?.text,
      Object.keys(over1.headers).sort(),
    ]);
    expect([refused?.headers['retry-after'], [...taken]]).toEqual(['2', [['ip:127.0.0.1', 51]]]);
    expect(service.started.length).toBe(51);
  });

  test('counts what is refused before it is a request', async () => {
    const { taken, rateLimiter } = counting();
    await using service = await start({}, { http: { rateLimiter } });
    await using session = openHttp2(service.url);
    const asked = Array.from({ length: 8 }, () => askHttp2(session, { ':path': '/a', host: 'a', ':authority': 'b' }));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([...Array(burst).fill(400), ...Array(3).fill(429)]);
    expect([...taken]).toEqual([['ip:127.0.0.1', 8]]);
  });

  test('A-02: is that of the address which a trusted proxy names, in one field or in several', async () => {
    const { taken, rateLimiter } = counting();
    await using service = await start(
      {},
      { http: { rateLimiter, trustedProxies: { networks: ['127.0.0.1'], header: 'x-forwarded-for' } } },
    );
    const caller = new RawCaller(service.port);
    const named = (...addresses: readonly string[]) =>
      addresses.map((address) => ['x-forwarded-for', address] as const);
    const requests = [named('10.0.0.1, 10.0.0.2'), named('10.0.0.1', '10.0.0.2'), named('10.0.0.3'), []];
    for (const [at, fields] of requests.entries()) caller.send(request(2 * at + 1, 'GET', '/a', fields));
    await expect.poll(() => requests.every((_, at) => caller.outcomeOf(2 * at + 1) !== undefined)).toBe(true);
    expect([...taken]).toEqual([
      ['ip:10.0.0.2', 2],
      ['ip:10.0.0.3', 1],
      ['ip:127.0.0.1', 1],
    ]);
    caller.end();
    expect(
      new ClientAddress({ networks: [], header: 'x-forwarded-for' }).of({
        socket: { remoteAddress: '::ffff:10.0.0.9' },
        headers: {},
      } as never),
    ).toBe('10.0.0.9');
  });
});
