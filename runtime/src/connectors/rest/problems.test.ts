import { describe, expect, test } from 'vitest';
import { Failure } from '../../foundation/errors/failure.ts';
import { binding, echo, reply, served, without } from './testing/served.ts';

const config = { errors: 'problem', max_body: 100 };
const type = 'application/problem+json; charset=utf-8';
const fields = [{ field: 'email', code: 'required', message: '"email" is required' }];
const bindings = [
  binding('POST /a', echo),
  binding('GET /fields', () => Promise.reject(new Failure('input_invalid', 'validation failed', { fields }))),
  binding('GET /broken', () => {
    throw new Error('secret of the service');
  }),
  binding('GET /limited', () => Promise.reject(new Failure('rate_limited', 'slower', { retryAfter: 2500 }))),
  binding('GET /own', () => reply({ mine: true }, { status: 422 })),
];

describe('errors = "problem"', () => {
  test.each<readonly [string, RequestInit, number, Record<string, unknown>]>([
    ['/nothing', {}, 404, { title: 'Not Found', detail: 'nothing is served at /nothing', code: 'not_found' }],
    [
      '/a',
      {},
      405,
      { title: 'Method Not Allowed', detail: 'GET is not served at this path', code: 'method_not_allowed' },
    ],
    [
      '/%zz',
      {},
      400,
      { title: 'Bad Request', detail: 'the path of the request is not a valid address', code: 'value_refused' },
    ],
    [
      '/a',
      { method: 'POST', body: 'x'.repeat(101), headers: { 'content-type': 'application/json' } },
      413,
      { title: 'Payload Too Large', detail: 'the body is larger than 100 bytes', code: 'body_too_large' },
    ],
    [
      '/a',
      { method: 'POST', body: 'x', headers: { 'content-type': 'image/png' } },
      415,
      {
        title: 'Unsupported Media Type',
        detail: 'a body of type image/png is not accepted',
        code: 'media_type_unsupported',
      },
    ],
    ['/fields', {}, 400, { title: 'Bad Request', detail: 'validation failed', code: 'input_invalid', fields }],
    ['/limited', {}, 429, { title: 'Too Many Requests', detail: 'slower', code: 'rate_limited' }],
  ])('%s is answered as a problem', async (path, init, status, members) => {
    await using server = await served(bindings, { config, services: { production: true } });
    const answer = await server.ask(path, init);
    expect([answer.status, answer.headers['content-type'], answer.json]).toEqual([
      status,
      type,
      { status, ...members },
    ]);
  });

  test('times to wait and methods are where they are with JSON', async () => {
    await using server = await served(bindings, { config });
    expect(without((await server.ask('/limited')).headers, 'content-type')).toEqual({
      'retry-after': '3',
      'x-content-type-options': 'nosniff',
    });
    expect((await server.ask('/a')).headers['allow']).toBe('OPTIONS, POST');
  });

  test('S-66: a failure of the service says no more than with JSON', async () => {
    await using server = await served(bindings, { config, services: { production: true } });
    const { status, text, json } = await server.ask('/broken');
    const { request_id: id } = json as { request_id: string };
    expect([status, json]).toEqual([500, { title: 'Internal Server Error', status: 500, request_id: id }]);
    expect(text).not.toContain('secret');
    expect(server.lines.some(({ fields: line }) => line?.['request_id'] === id)).toBe(true);
    await using development = await served(bindings, { config });
    expect((await development.ask('/broken')).json).toMatchObject({ title: 'Internal Server Error', code: 'internal' });
  });

  test('refusals before the flow: credentials, too many headers, and what is not HTTP', async () => {
    const auth = { type: 'api_key', keys: ['k'.repeat(40)] };
    await using guarded = await served(bindings, { config: { ...config, auth } });
    const refused = await guarded.ask('/own');
    expect([refused.status, refused.headers['content-type']]).toEqual([401, type]);
    await using server = await served(bindings, { config });
    const many = Array.from({ length: 201 }, (_, at) => `X-${at}: 1\r\n`).join('');
    const headers = await server.raw(`GET /own HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${many}\r\n`);
    expect(headers).toMatch(/^HTTP\/1.1 431 [\s\S]*application\/problem\+json[\s\S]*"code":"headers_too_large"/);
    const malformed = await server.raw('GET / HTTP/1.1\r\nbroken\r\n\r\n');
    expect(malformed).toMatch(
      /^HTTP\/1.1 400 [\s\S]*application\/problem\+json[\s\S]*\{"title":"Bad Request","status":400,"detail":"the request is not valid HTTP","code":"malformed"\}$/,
    );
  });

  test('an answer that a flow makes of a failure stays its own, and JSON is the usual form', async () => {
    await using server = await served(bindings, { config });
    expect((await server.ask('/own')).json).toEqual({ mine: true });
    await using plain = await served(bindings);
    const answer = await plain.ask('/nothing');
    expect([answer.headers['content-type'], answer.json]).toEqual([
      'application/json; charset=utf-8',
      { error: 'nothing is served at /nothing', code: 'not_found' },
    ]);
  });
});
