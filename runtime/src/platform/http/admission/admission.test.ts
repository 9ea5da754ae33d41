import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { binding, reply, served, without } from '../../../connectors/rest/testing/served.ts';
import type { AddressHeader, RateLimiter } from '../../../foundation/contracts/http.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import { limiter } from '../testing/limiter.ts';
import { ClientAddress, callerNetwork } from './client-address.ts';
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

  test('preflights are limited like any request, then answered before auth, and only with Access-Control-Request-Method', async () => {
    let left = 2;
    await using server = await served(flows, {
      config: { ...config, auth: { type: 'basic', users: { ops: 'pw' } } },
      http: { rateLimiter: limiter({ take: () => ({ allowed: left-- > 0, remaining: 0, retryAfter: 0 }) }) },
    });
    const origin = 'https://app.example.com';
    const answer = await server.ask('/a', preflight(origin));
    expect([answer.status, answer.text, crossOrigin(answer.headers)]).toEqual([200, '', granted]);
    const plain = await server.ask('/a', { method: 'OPTIONS', headers: { origin } });
    expect([plain.status, crossOrigin(plain.headers)]).toEqual([401, granted]);
    const limited = await server.ask('/a', preflight(origin));
    expect([limited.status, crossOrigin(limited.headers)]).toEqual([429, granted]);
    const excluded = await server.ask('/health', preflight(origin));
    expect([excluded.status, crossOrigin(excluded.headers)]).toEqual([200, granted]);
  });

  test('refusals carry the headers too', async () => {
    await using server = await served(flows, { config: { ...config, auth: { type: 'basic', users: { ops: 'pw' } } } });
    const answer = await server.ask('/a', { headers: { origin: 'https://app.example.com' } });
    expect([answer.status, crossOrigin(answer.headers)]).toEqual([401, granted]);
  });

  test('without a block pages of this machine may call outside production, none in production, and `null` never', async () => {
    await using development = await served(flows);
    await using live = await served(flows, production);
    const origin = 'http://localhost:5173';
    expect(crossOrigin((await development.ask('/a', { headers: { origin } })).headers)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization',
      vary: 'Origin',
    });
    for (const foreign of [
      'null',
      'https://evil.example.com',
      'http://localhost.evil.example.com',
      'http://127.0.0.1.evil.example.com',
      'http://evil.example.com:80#localhost',
      'http://localhost@evil.example.com',
      'http://127.0.0.1:99999999',
    ]) {
      const answer = await development.ask('/a', preflight(foreign, { 'access-control-request-method': 'DELETE' }));
      expect([foreign, crossOrigin(answer.headers)]).toEqual([foreign, { vary: 'Origin' }]);
    }
    for (const own of ['https://localhost', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://app.localhost:8080'])
      expect(crossOrigin((await development.ask('/a', preflight(own))).headers)['access-control-allow-origin']).toBe(
        own,
      );
    expect(crossOrigin((await live.ask('/a', { headers: { origin } })).headers)).toEqual({});
    expect((await live.ask('/a', preflight(origin))).status).toBe(204);
  });

  test('without a block no foreign page changes anything outside production, not by a simple request either', async () => {
    await using development = await served(flows);
    await using written = await served(flows, { config });
    const status = async (server: typeof development, method: string, headers: Record<string, string>) =>
      (await server.ask('/a', { method, headers, ...(method === 'POST' ? { body: 'x=1' } : {}) })).status;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const reached = await status(development, 'POST', form);
    for (const origin of ['https://evil.example.com', 'null', 'http://localhost.evil.example.com']) {
      expect([origin, await status(development, 'POST', { origin, ...form })]).toEqual([origin, 403]);
      expect([origin, await status(development, 'POST', { origin })]).toEqual([origin, 403]);
      expect([origin, await status(development, 'DELETE', { origin })]).toEqual([origin, 403]);
      expect([origin, await status(development, 'GET', { origin })]).toEqual([origin, 200]);
      expect([origin, await status(written, 'POST', { origin, ...form })]).toEqual([origin, reached]);
    }
    expect(await status(development, 'POST', { origin: 'http://localhost:5173', ...form })).toBe(reached);
    const own = (host: string) =>
      development.raw(
        `POST /a HTTP/1.1\r\nhost: ${host}\r\norigin: http://svc.example:3000\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      );
    expect(await own('svc.example:3000')).toMatch(/^HTTP\/1.1 200 /);
    expect(await own('svc.example')).toMatch(/^HTTP\/1.1 403 /);
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

describe('rate limits', () => {
  test('say what is left, and refuse with 429 before auth and router', async () => {
    let allowed = true;
    const take: RateLimiter['take'] = () => ({ allowed, remaining: allowed ? 7.9 : 0, retryAfter: 1200 });
    const clock = clockBy(() => 0, { now: () => 10_000 });
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

describe('S-24: what is limited', () => {
  const counting = (most: number) => {
    const keys: string[] = [];
    const take: RateLimiter['take'] = (key) => {
      keys.push(key);
      const used = keys.filter((one) => one === key).length;
      return { allowed: used <= most, remaining: Math.max(0, most - used), retryAfter: used < most ? 0 : 60_000 };
    };
    return { keys, take };
  };

  test.each([
    ['a path that cannot be decoded', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['what is not HTTP', 'HELLO\r\n\r\n', 400],
    ['two Hosts', 'GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['headers that are too large', `GET /a HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['too many headers', `GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'X-A: 1\r\n'.repeat(250)}\r\n`, 431],
    ['an unknown path', 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['OPTIONS', 'OPTIONS /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 204],
  ])('%s', async (_what, bytes, status) => {
    const { keys, take } = counting(1);
    await using server = await served(flows, {
      http: { rateLimiter: limiter({ take, keyExtractor: 'header:x-key' }) },
    });
    expect(await server.raw(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const refused = await server.raw(bytes);
    expect(refused).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused.toLowerCase()).toContain('\r\nretry-after: 60\r\n');
    expect(refused).toMatch(/\{"error":"rate limit exceeded","code":"rate_limited","retry_after":60\}$/);
    expect(keys).toEqual(['ip:127.0.0.1', 'ip:127.0.0.1']);
  });

  test('overload too: a caller that sends too much reads so, not that the service is busy', async () => {
    const { take } = counting(1);
    await using server = await served(flows, { http: { rateLimiter: limiter({ take }), overloaded: () => true } });
    expect([(await server.ask('/a')).status, (await server.ask('/a')).status]).toEqual([503, 429]);
  });

  test('a store is not asked while the service is busy', async () => {
    const { keys, take } = counting(1);
    await using server = await served(flows, {
      http: { rateLimiter: limiter({ take: async (key) => take(key), shared: true }), overloaded: () => true },
    });
    expect([(await server.ask('/a')).status, keys]).toEqual([503, []]);
  });

  describe.each([
    ['in this process', (take: RateLimiter['take']) => take, false],
    [
      'in a store',
      (take: RateLimiter['take']): RateLimiter['take'] =>
        async (key) =>
          take(key),
      true,
    ],
  ] as const)('guesses of keys, counted %s', (_where, through, shared) => {
    const guess = (server: Awaited<ReturnType<typeof served>>, key: string, path = '/a') =>
      server.ask(path, { headers: { 'x-api-key': key } }).then(({ status }) => status);
    const serveKeys = (take: RateLimiter['take'], now: () => number) =>
      served(flows, {
        config: { auth: { type: 'api_key', keys: ['right'], public: ['/health/*'] } },
        services: { clock: clockBy(now) },
        http: { rateLimiter: limiter({ take: through(take), shared, keyExtractor: 'header:X-API-Key' }) },
      });

    test('are limited by address whatever key they name, and the right one is not tried either', async () => {
      const { take } = counting(3);
      let now = 0;
      await using server = await serveKeys(take, () => now);
      const statuses: number[] = [];
      for (const key of ['a', 'b', 'c', 'd', 'right']) statuses.push(await guess(server, key));
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
      expect(await guess(server, 'e', '/health/x')).toBe(404);
      now = 60_000;
      expect(await guess(server, 'right')).toBe(200);
    });

    test('callers with a valid key have the bucket of their key alone', async () => {
      const { keys, take } = counting(10);
      await using server = await serveKeys(take, () => 0);
      expect([await guess(server, 'right'), await guess(server, 'right')]).toEqual([200, 200]);
      expect(keys).toEqual(['header:right', 'header:right']);
    });
  });
});

describe('S-24: the network of a caller', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::ffff:1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:9:8:7:6', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['nonsense', 'nonsense'],
  ])('%s: %s', (address, network) => expect(callerNetwork(address)).toBe(network));
});

describe('S-24: the address of the caller', () => {
  const of = (
    networks: string[],
    remoteAddress: string,
    headers: Record<string, string> = {},
    header: AddressHeader = 'x-forwarded-for',
  ) => new ClientAddress({ networks, header }).of({ socket: { remoteAddress }, headers } as never);

  test('is the peer unless the peer is a trusted proxy', () => {
    expect(of([], '::ffff:10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('10.0.0.1');
    expect(of(['192.168.0.0/16'], '10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('10.0.0.1');
    expect(of(['10.0.0.0/8'], '::ffff:10.0.0.1', { 'x-forwarded-for': '9.9.9.9' })).toBe('9.9.9.9');
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-real-ip': '9.9.9.9' }, 'x-real-ip')).toBe('9.9.9.9');
  });

  test('is the last one in front of trusted proxies; what callers write before it is not trusted', () => {
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': '1.1.1.1, 9.9.9.9, 10.0.0.2' })).toBe('9.9.9.9');
    expect(of(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': '1.1.1.1, nonsense, 10.0.0.2' })).toBe('10.0.0.2');
    expect(of([], '::FFFF:7f00:1')).toBe('127.0.0.1');
    expect(of([], '0:0:0:0:0:ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(of(['fd00::/8'], 'fd00::1', { 'x-forwarded-for': '[2001:db8::1]:443' })).toBe('2001:db8::1');
  });
});

describe('the header that names the address of a caller', () => {
  const all = { 'x-forwarded-for': '9.9.9.1', forwarded: 'for=9.9.9.2', 'x-real-ip': '9.9.9.3' };
  const named = (header: AddressHeader, headers: Record<string, string>) =>
    new ClientAddress({ networks: ['10.0.0.0/8'], header }).of({
      socket: { remoteAddress: '10.0.0.1' },
      headers,
    } as never);

  test.each<[AddressHeader, string]>([
    ['x-forwarded-for', '9.9.9.1'],
    ['forwarded', '9.9.9.2'],
    ['x-real-ip', '9.9.9.3'],
  ])('is %s alone: beside the others, and where the others are alone', (header, address) => {
    expect(named(header, all)).toBe(address);
    const { [header]: _, ...others } = all;
    expect(named(header, others)).toBe('10.0.0.1');
    expect(named(header, { ...others, 'x-client-ip': '9.9.9.4', 'cf-connecting-ip': '9.9.9.5' })).toBe('10.0.0.1');
  });

  test.each([
    ['for=1.1.1.1, for=9.9.9.9;proto=https;by=10.0.0.3, For="10.0.0.2:4711"', '9.9.9.9'],
    ['proto=http;for="[2001:db8::1]:80"', '2001:db8::1'],
    ['for=9.9.9.9;host="a,for=1.1.1.1"', '9.9.9.9'],
    ['for=1.1.1.1, for=unknown', '10.0.0.1'],
    ['for=1.1.1.1, for=_hidden', '10.0.0.1'],
    ['for=1.1.1.1, proto=https', '10.0.0.1'],
    ['for=1.1.1.1;for=2.2.2.2', '10.0.0.1'],
    ['by=1.1.1.1', '10.0.0.1'],
    ['for="1.1.1.1', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('Forwarded: %s names %s', (text, address) => expect(named('forwarded', { forwarded: text })).toBe(address));
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
