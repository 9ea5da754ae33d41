import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { binding, echo, reply, served, without } from './testing/served.ts';

const json = { 'content-type': 'application/json' };
const post = (body: string | FormData, headers: Record<string, string> = json): RequestInit => ({
  method: 'POST',
  body,
  headers: body instanceof FormData ? {} : headers,
});
const fields = (value: unknown) => without(value as Record<string, string>, 'headers');

describe('routes', () => {
  test('literals win over parameters, and both spellings of parameters bind', async () => {
    await using server = await served([
      binding('GET /users/:id', ({ input }) => reply({ id: input['id'] })),
      binding('GET /users/me', () => reply({ me: true })),
      binding('GET /teams/{team}/members/:member', ({ input, addressed }) =>
        reply({ team: input['team'], member: input['member'], addressed }),
      ),
    ]);
    expect((await server.ask('/users/me')).json).toEqual({ me: true });
    expect((await server.ask('/users/a%2Fb%20c')).json).toEqual({ id: 'a/b c' });
    expect((await server.ask('/teams/t/members/m')).json).toEqual({
      team: 't',
      member: 'm',
      addressed: ['team', 'member'],
    });
    expect(server.finished).toEqual([
      'GET /users/me 200',
      'GET /users/:id 200',
      'GET /teams/:team/members/:member 200',
    ]);
  });

  test('unknown paths are 404, a trailing slash is another path, unknown methods are 405 with Allow', async () => {
    await using server = await served([
      binding('GET /a', echo),
      binding('POST /a', echo),
      binding('DELETE /a/:id', echo),
    ]);
    const [missing, slash, wrong, param] = await Promise.all([
      server.ask('/b'),
      server.ask('/a/'),
      server.ask('/a', { method: 'PUT', body: '{' }),
      server.ask('/a/7'),
    ]);
    expect([missing.status, missing.json]).toEqual([404, { error: 'nothing is served at /b', code: 'not_found' }]);
    expect(slash.status).toBe(404);
    expect((await server.ask('/a/', { method: 'DELETE' })).status).toBe(404);
    expect([wrong.status, wrong.headers['allow'], wrong.json]).toEqual([
      405,
      'GET, HEAD, OPTIONS, POST',
      { error: 'PUT is not served at this path', code: 'method_not_allowed' },
    ]);
    expect([param.status, param.headers['allow']]).toEqual([405, 'DELETE, OPTIONS']);
    expect(new Set(server.finished)).toEqual(
      new Set(['GET unmatched 404', 'DELETE unmatched 404', 'PUT unmatched 405', 'GET unmatched 405']),
    );
  });

  test('HEAD is served by the GET flow without a body, OPTIONS says what is allowed', async () => {
    await using server = await served([binding('GET /a', () => reply({ x: 1 }))]);
    const head = await server.raw('HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/content-length: 7\r\n/);
    expect(head.endsWith('\r\n\r\n')).toBe(true);
    const options = await server.ask('/a', { method: 'OPTIONS' });
    expect([options.status, options.headers['allow'], options.text]).toEqual([204, 'GET, HEAD, OPTIONS', '']);
    expect((await server.ask('/b', { method: 'OPTIONS' })).status).toBe(404);
  });

  test('a flow may serve HEAD and OPTIONS itself', async () => {
    await using server = await served([
      binding('GET /a', () => reply({}, { headers: { 'x-by': 'get' } })),
      binding('HEAD /a', () => reply({}, { headers: { 'x-by': 'head' } })),
      binding('OPTIONS /a', () => reply({ own: true })),
    ]);
    expect((await server.ask('/a', { method: 'HEAD' })).headers['x-by']).toBe('head');
    expect((await server.ask('/a', { method: 'OPTIONS' })).json).toEqual({ own: true });
  });

  test('a malformed path is 400', async () => {
    await using server = await served([binding('GET /:a', echo)]);
    expect((await server.ask('/%zz')).status).toBe(400);
  });

  test('the first flow of an operation answers, the others run on their own copy and their errors are logged', async () => {
    const seen: unknown[] = [];
    await using server = await served([
      binding('POST /a', ({ input }) => {
        (input['list'] as unknown[]).push('changed');
        return reply({ by: 'first' });
      }),
      binding('POST /a', ({ input }) => reply(seen.push(input['list'])), { flow: 'second' }),
      binding('POST /a', () => Promise.reject(new Failure('connector_refused', 'no database')), { flow: 'third' }),
    ]);
    expect((await server.ask('/a', post('{"list":["sent"]}'))).json).toEqual({ by: 'first' });
    await until(() => server.lines.length > 0 && seen.length > 0);
    expect(seen).toEqual([['sent']]);
    expect(server.lines).toEqual([
      {
        level: 'warn',
        message: 'flow beside the answering one failed',
        fields: { flow: 'third', code: 'connector_refused', error: 'no database' },
      },
    ]);
  });

  test('built-in routes are served beside flows, uncounted, unless a flow claims the path', async () => {
    const builtins = [
      {
        path: '/health',
        open: false,
        handle: () => ({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' }),
      },
      { path: '/metrics', open: false, handle: async () => ({ status: 200, contentType: 'text/plain', body: 'm' }) },
    ];
    await using server = await served([binding('GET /metrics', () => reply('mine'))], { http: { builtins } });
    const health = await server.ask('/health');
    expect([health.text, health.headers['cache-control']]).toEqual(['ok', 'no-store']);
    expect((await server.ask('/health', { method: 'HEAD' })).status).toBe(200);
    expect((await server.ask('/metrics')).text).toBe('"mine"');
    expect(server.finished).toEqual(['GET /metrics 200']);
  });
});

describe('QUERY', () => {
  test('takes its query from the body, and its paths say so', async () => {
    await using server = await served([
      binding('QUERY /a', ({ input }) => reply(fields(input))),
      binding('GET /a', echo),
    ]);
    const answer = await server.ask('/a', { method: 'QUERY', body: '{"q":1}', headers: json });
    expect([answer.json, answer.headers['accept-query']]).toEqual([{ q: 1 }, 'application/json, application/xml']);
    expect((await server.ask('/a')).headers['accept-query']).toBe('application/json, application/xml');
    expect((await server.ask('/a', { method: 'PUT' })).headers['accept-query']).toBe(
      'application/json, application/xml',
    );
  });

  test('content without a Content-Type is 415, no content is fine', async () => {
    await using server = await served([binding('QUERY /a', ({ input }) => reply(fields(input)))]);
    const bare = await server.raw('QUERY /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}');
    expect(bare).toMatch(/^HTTP\/1\.1 415 /);
    expect(bare).toContain('QUERY requires a Content-Type header');
    const empty = await server.raw('QUERY /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(empty).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});
