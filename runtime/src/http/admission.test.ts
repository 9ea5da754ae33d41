import { describe, expect, test } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import type { RateLimiter } from '../connectors/contract.ts';
import { binding, reply, served, without } from '../connectors/rest/testing/served.ts';
import { ClientAddress } from './client-address.ts';
import { cors } from './cors-spec.ts';

const flows = [binding('GET /a', () => reply(1)), binding('POST /a', () => reply(2))];
const production = { services: { production: true, environment: 'production' } };
const crossOrigin = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control') || name === 'vary'));
const preflight = (origin: string, more: Record<string, string> = {}): RequestInit => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', ...more },
});

describe('S-88: CORS', () => {
  const origins = ['https://app.example.com'];
  const granted = {
    'access-control-allow-origin': 'https://app.example.com',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'X-Token',
    vary: 'Origin',
  };
  const config = { cors: { origins, methods: ['GET', 'POST'], headers: ['X-Token'] } };

  test('a listed origin is echoed exactly, others get nothing', async () => {
    await using server = await served(flows, { config });
    const from = async (origin: string) => crossOrigin((await server.ask('/a', { headers: { origin } })).headers);
    expect(await from('https://app.example.com')).toEqual(granted);
    for (const origin of [
      'https://app.example.com.evil.com',
      'https://evilapp.example.com',
      'http://app.example.com',
      'https://app.example.com:444',
      'https://APP.example.com',
      'null',
    ])
      expect(await from(origin)).toEqual({ vary: 'Origin' });
    expect(crossOrigin((await server.ask('/a')).headers)).toEqual({ vary: 'Origin' });
  });

  test('preflights are answered before anything else, and only with Access-Control-Request-Method', async () => {
    const taken: string[] = [];
    await using server = await served(flows, {
      config: { ...config, auth: { type: 'basic', users: { ops: 'pw' } } },
      http: {
        rateLimiter: limiter({ take: (key) => ({ allowed: taken.push(key) < 0, remaining: 0, retryAfter: 0 }) }),
      },
    });
    const answer = await server.ask('/a', preflight('https://app.example.com'));
    expect([answer.status, answer.text, crossOrigin(answer.headers), taken]).toEqual([200, '', granted, []]);
    const plain = await server.ask('/a', { method: 'OPTIONS', headers: { origin: 'https://app.example.com' } });
    expect([plain.status, crossOrigin(plain.headers)]).toEqual([429, granted]);
  });

  test('refusals carry the headers too', async () => {
    await using server = await served(flows, { config: { ...config, auth: { type: 'basic', users: { ops: 'pw' } } } });
    const answer = await server.ask('/a', { headers: { origin: 'https://app.example.com' } });
    expect([answer.status, crossOrigin(answer.headers)]).toEqual([401, granted]);
  });

  test('without a block any origin may call outside production, none in production, and `null` never', async () => {
    await using development = await served(flows);
    await using live = await served(flows, production);
    const origin = 'http://localhost:5173';
    expect(crossOrigin((await development.ask('/a', { headers: { origin } })).headers)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization',
      vary: 'Origin',
    });
    expect(crossOrigin((await development.ask('/a', { headers: { origin: 'null' } })).headers)).toEqual({
      vary: 'Origin',
    });
    expect(crossOrigin((await live.ask('/a', { headers: { origin } })).headers)).toEqual({});
    expect((await live.ask('/a', preflight(origin))).status).toBe(204);
  });

  test('credentials are allowed for listed origins, never for every origin', async () => {
    const written = configured(cors, { origins, allow_credentials: true });
    await using listed = await served(flows, { config: { cors: written } });
    await using any = await served(flows, { config: { cors: { origins: ['*'], allow_credentials: true } } });
    const headers = { origin: 'https://app.example.com' };
    expect((await listed.ask('/a', { headers })).headers['access-control-allow-credentials']).toBe('true');
    expect((await any.ask('/a', { headers })).headers['access-control-allow-credentials']).toBeUndefined();
  });
});

function limiter(over: Partial<RateLimiter> = {}): RateLimiter {
  return {
    keyExtractor: 'ip',
    excludedPaths: ['/health'],
    headers: true,
    burst: 200,
    take: () => ({ allowed: true, remaining: 7.9, retryAfter: 0 }),
    ...over,
  };
}

describe('rate limits', () => {
  test('tell what is left, and refuse with 429 before auth and router', async () => {
    let allowed = true;
    const take: RateLimiter['take'] = () => ({ allowed, remaining: allowed ? 7.9 : 0, retryAfter: 1200 });
    const clock = { now: () => 10_000, elapsed: () => 0, sleep: async () => undefined };
    await using server = await served(flows, {
      config: { auth: { type: 'basic', users: { ops: 'pw' } } },
      http: { rateLimiter: limiter({ take }) },
      services: { clock },
    });
    const headers = { authorization: `Basic ${Buffer.from('ops:pw').toString('base64')}` };
    const limits = { 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '12' };
    const first = await server.ask('/a', { headers });
    expect(without(first.headers, 'content-type', 'x-content-type-options')).toEqual(limits);
    allowed = false;
    const refused = await server.ask('/nowhere');
    expect([
      refused.status,
      refused.json,
      refused.headers['retry-after'],
      refused.headers['x-ratelimit-remaining'],
    ]).toEqual([429, { error: 'rate limit exceeded', code: 'rate_limited', retry_after: 2 }, '2', '0']);
  });

  test('excluded paths are whole segments, headers can be off', async () => {
    const keys: string[] = [];
    const take: RateLimiter['take'] = async (key) => ({ allowed: keys.push(key) > 0, remaining: 1, retryAfter: 0 });
    await using server = await served(
      [binding('GET /health/x', () => reply(1)), binding('GET /healthy', () => reply(1))],
      { http: { rateLimiter: limiter({ take, headers: false }) } },
    );
    expect((await server.ask('/health/x')).headers['x-ratelimit-limit']).toBeUndefined();
    expect(keys).toEqual([]);
    expect((await server.ask('/healthy')).headers['x-ratelimit-limit']).toBeUndefined();
    expect(keys).toEqual(['ip:127.0.0.1']);
  });

  test.each([
    ['ip', ['ip:127.0.0.1', 'ip:127.0.0.1']],
    ['header:X-Tenant', ['header:t1', 'ip:127.0.0.1']],
    ['query:tenant', ['query:t2', 'ip:127.0.0.1']],
    [
      'combined:header:X-Tenant,query:tenant,ip',
      ['header:t1|query:t2|ip:127.0.0.1', 'ip:127.0.0.1|ip:127.0.0.1|ip:127.0.0.1'],
    ],
  ])('keys by %s', async (keyExtractor, expected) => {
    const keys: string[] = [];
    const take: RateLimiter['take'] = (key) => ({ allowed: keys.push(key) > 0, remaining: 1, retryAfter: 0 });
    await using server = await served(flows, { http: { rateLimiter: limiter({ keyExtractor, take }) } });
    await server.ask('/a?tenant=t2', { headers: { 'x-tenant': 't1', 'x-forwarded-for': '9.9.9.9' } });
    await server.ask('/a', { headers: { 'x-forwarded-for': '9.9.9.9' } });
    expect(keys).toEqual(expected);
  });
});

describe('the address of the caller', () => {
  const of = (proxies: string[], remoteAddress: string, headers: Record<string, string> = {}) =>
    new ClientAddress(proxies).of({ socket: { remoteAddress }, headers } as never);

  test('is the peer unless the peer is a trusted proxy', () => {
    expect(of([], '::ffff:10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('10.0.0.1');
    expect(of(['192.168.0.0/16'], '10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('10.0.0.1');
    expect(of(['10.0.0.0/8'], '::ffff:10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('9.9.9.9');
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-real-ip': '9.9.9.9' })).toBe('9.9.9.9');
  });

  test('is the last one in front of trusted proxies; what callers write before it is not believed', () => {
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': '1.1.1.1, 9.9.9.9, 10.0.0.2' })).toBe('9.9.9.9');
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': '1.1.1.1, nonsense, 10.0.0.2' })).toBe('10.0.0.2');
    expect(of(['fd00::/8'], 'fd00::1', { 'x-forwarded-for': '[2001:db8::1]:443' })).toBe('2001:db8::1');
  });
});

describe('overload', () => {
  test('refuses flows with Retry-After while the process lags, and still answers health', async () => {
    const builtins = [
      { path: '/health', open: true, handle: () => ({ status: 200, contentType: 'text/plain', body: 'ok' }) },
    ];
    await using server = await served(flows, { http: { overloaded: () => true, builtins } });
    const refused = await server.ask('/a');
    expect([refused.status, refused.headers['retry-after'], refused.json]).toEqual([
      503,
      '1',
      { error: 'the service is too busy; try again shortly', code: 'overloaded' },
    ]);
    expect((await server.ask('/health')).text).toBe('ok');
  });
});
