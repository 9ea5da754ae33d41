import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { Drop } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { binding, reply, served } from './testing/served.ts';

const drop = (reason: Drop['reason'], expression: string): Drop => ({
  kind: 'drop',
  reason,
  policy: 'ack',
  expression,
  messageId: '',
});

describe('answers', () => {
  test('S-93: every body says its charset and forbids sniffing', async () => {
    await using server = await served([
      binding('GET /a', () => reply({ x: 'é' })),
      binding('GET /list', () => reply([])),
      binding('GET /none', () => reply(null)),
    ]);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
    expect(await server.ask('/a')).toEqual({ status: 200, headers, text: '{"x":"é"}', json: { x: 'é' } });
    expect((await server.ask('/list')).text).toBe('[]');
    expect(await server.ask('/none')).toEqual({
      status: 200,
      headers: { 'x-content-type-options': 'nosniff' },
      text: '',
      json: undefined,
    });
    const missing = await server.ask('/<script>');
    expect([missing.status, missing.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test('status and headers of the reply', async () => {
    await using server = await served([
      binding('POST /a', () => reply({ id: 1 }, { status: 201, headers: { location: '/a/1' } })),
      binding('GET /problem', () =>
        reply({ e: 1 }, { status: 418, headers: { 'Content-Type': 'application/problem+json' } }),
      ),
      binding('GET /empty', () => reply({ ignored: true }, { status: 204 })),
      binding('GET /early', () => reply({}, { status: 103 })),
    ]);
    const created = await server.ask('/a', { method: 'POST' });
    expect([created.status, created.headers['location'], created.text]).toEqual([201, '/a/1', '{"id":1}']);
    const problem = await server.ask('/problem');
    expect([problem.status, problem.headers['content-type']]).toEqual([418, 'application/problem+json; charset=utf-8']);
    expect((await server.ask('/empty')).text).toBe('');
    expect((await server.ask('/early')).status).toBe(500);
  });

  test.each<Record<string, string>>([
    { 'x-a': 'a\r\nSet-Cookie: b=c' },
    { 'x-a': 'a\nb' },
    { 'x-a': 'a\0b' },
    { 'x-a': 'ж' },
    { 'x-a\r\nx-b': 'c' },
    { 'Content-Length': '5' },
    { 'Transfer-Encoding': 'chunked' },
    { connection: 'upgrade' },
    { Host: 'evil' },
  ])('S-52: the header %j is refused, nothing of it is sent', async (headers) => {
    await using server = await served([binding('GET /a', () => reply({ secret: 1 }, { headers }))]);
    const answer = await server.ask('/a');
    expect([answer.status, (answer.json as { code: string }).code, answer.headers['set-cookie']]).toEqual([
      500,
      'internal',
      undefined,
    ]);
  });

  const binary = { type: 'configuration' } as const;

  test('bytes with their type and file name', async () => {
    const pdf = {
      _binary: Buffer.from('%PDF').toString('base64'),
      _content_type: 'application/pdf',
      _filename: 'é "x".pdf',
    };
    await using server = await served([
      binding('GET /pdf', () => reply(pdf), { binary }),
      binding('GET /text', () => reply({ _binary: new TextEncoder().encode('a,b'), _content_type: 'text/csv' }), {
        binary,
      }),
      binding('GET /odd', () => reply({ _binary: 'AA==', _content_type: 'a\r\nb' }), { binary }),
    ]);
    const answer = await server.ask('/pdf');
    expect([answer.text, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      '%PDF',
      'application/pdf',
      `inline; filename="_ _x_.pdf"; filename*=UTF-8''%C3%A9%20%22x%22.pdf`,
    ]);
    const text = await server.ask('/text');
    expect([text.text, text.headers['content-type']]).toEqual(['a,b', 'text/csv; charset=utf-8']);
    expect((await server.ask('/odd')).status).toBe(500);
  });

  test('data that looks like bytes of a page is data, where the configuration makes no bytes', async () => {
    const page = { _binary: Buffer.from('<script>').toString('base64'), _content_type: 'text/html' };
    await using server = await served([binding('GET /a', () => reply(page))]);
    const answer = await server.ask('/a');
    expect([answer.json, answer.headers['content-type']]).toEqual([page, 'application/json; charset=utf-8']);
  });

  test('bytes whose type comes from data are saved, or shown in a sandbox', async () => {
    const page = { _binary: Buffer.from('<script>').toString('base64'), _content_type: 'text/html' };
    const headers = { 'Content-Disposition': 'inline', 'content-security-policy': "script-src 'unsafe-inline'" };
    await using server = await served([
      binding('GET /a', () => reply(page), { binary: { type: 'data' } }),
      binding('GET /b', () => reply({ ...page, _filename: 'a.html' }, { headers }), { binary: { type: 'data' } }),
    ]);
    const shown = async (path: string) => {
      const { text, headers } = await server.ask(path);
      return [text, headers['content-type'], headers['content-disposition'], headers['content-security-policy']];
    };
    expect(await shown('/a')).toEqual(['<script>', 'text/html; charset=utf-8', 'attachment', 'sandbox']);
    expect((await shown('/b')).slice(2)).toEqual(['attachment; filename="a.html"', 'sandbox']);
  });

  test('drops: 200 with the reason, 403 when accept decided about the caller', async () => {
    await using server = await served([
      binding('GET /filter', () => drop('filter', 'auth.user_id == ""')),
      binding('GET /accept', () => drop('accept', "input.auth == 'auth.x'")),
      binding('GET /caller', () => drop('accept', 'input.owner == auth.user_id')),
    ]);
    expect((await server.ask('/filter')).json).toEqual({ status: 'dropped', reason: 'filter' });
    expect((await server.ask('/accept')).json).toEqual({ status: 'dropped', reason: 'accept' });
    const refused = await server.ask('/caller');
    expect([refused.status, refused.json]).toEqual([
      403,
      { error: 'the request was not accepted', code: 'permission_denied' },
    ]);
  });
});

describe('failures', () => {
  const invalid = new Failure('input_invalid', 'invalid input', {
    fields: [{ field: 'email', code: 'required', message: 'email is required' }],
  });
  const database = new Failure('connector_failed', 'syntax error in SELECT * FROM secrets at 10.0.0.5', {
    at: { stage: 'destination', connector: 'db' },
  });
  const bindings = [
    binding('GET /invalid', () => Promise.reject(invalid)),
    binding('GET /database', () => Promise.reject(database)),
    binding('GET /bug', () => {
      throw new TypeError('x is not a function');
    }),
    binding('GET /waits', () => Promise.reject(new Failure('wait_timeout', 'no permit', { retryAfter: 1000 }))),
    binding('GET /busy', () =>
      Promise.reject(new Failure('store_unavailable', 'redis is unavailable', { retryAfter: 2500 })),
    ),
  ];

  test('S-11: outside production the caller reads everything', async () => {
    await using server = await served(bindings);
    expect(await server.ask('/invalid')).toMatchObject({
      status: 400,
      json: {
        error: 'invalid input',
        code: 'input_invalid',
        fields: [{ field: 'email', code: 'required', message: 'email is required' }],
      },
    });
    expect((await server.ask('/database')).json).toEqual({ error: database.message, code: 'connector_failed' });
    expect((await server.ask('/bug')).json).toEqual({ error: 'x is not a function', code: 'internal' });
    const busy = await server.ask('/busy');
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '3']);
    const waited = await server.ask('/waits');
    expect([waited.status, waited.headers['retry-after'], (waited.json as { code: string }).code]).toEqual([
      503,
      '1',
      'wait_timeout',
    ]);
  });

  test('S-11: in production a 5xx says nothing but the id that the log carries', async () => {
    await using server = await served(bindings, { services: { production: true, environment: 'production' } });
    expect((await server.ask('/invalid')).json).toMatchObject({ error: 'invalid input', code: 'input_invalid' });
    const answer = await server.ask('/database');
    const { request_id: id, ...rest } = answer.json as { request_id: string };
    expect([answer.status, rest]).toEqual([500, { error: 'Internal Server Error' }]);
    expect(server.lines).toEqual([
      {
        level: 'error',
        message: 'request failed',
        fields: {
          request_id: id,
          method: 'GET',
          route: '/database',
          code: 'connector_failed',
          error: database.message,
          flow: 'GET /database',
          stage: 'destination',
          failed_connector: 'db',
          connector: 'api',
        },
      },
    ]);
  });

  test('a flow that takes longer than `timeout` is answered with 503 and its signal fires', async () => {
    let reason: unknown;
    await using server = await served(
      [
        binding(
          'GET /slow',
          (message) =>
            new Promise((_, reject) => {
              const signal = message.signal();
              signal?.addEventListener('abort', () => {
                reason = signal.reason;
                reject(signal.reason);
              });
            }),
        ),
      ],
      { config: { timeout: 20 } },
    );
    const answer = await server.ask('/slow');
    expect([answer.status, (answer.json as { code: string }).code, answer.headers['retry-after']]).toEqual([
      503,
      'request_timeout',
      '1',
    ]);
    expect(reason).toMatchObject({ code: 'request_timeout' });
  });

  test('the time limit does not run while a debugger holds the flow, and continues after it', async () => {
    const held = Promise.withResolvers<void>();
    await using server = await served(
      [
        binding('GET /held', async (message) => {
          const release = message.hold?.();
          await held.promise;
          release?.();
          return { kind: 'reply', value: 'late' };
        }),
        binding('GET /released', (message) => {
          message.hold?.()();
          return new Promise(() => undefined);
        }),
      ],
      { config: { timeout: 20 } },
    );
    const late = server.ask('/held');
    // The other request is cut off after its time, so the time of the held one is over too.
    expect((await server.ask('/released')).status).toBe(503);
    held.resolve();
    expect(await late).toMatchObject({ status: 200, json: 'late' });
  });

  test('the signal fires when the caller disconnects, and the request ends as 499', async () => {
    let [isWaiting, gone] = [false, false];
    await using server = await served([
      binding('GET /slow', (message) => {
        isWaiting = true;
        const signal = message.signal() as AbortSignal;
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            gone = true;
            resolve(reply(null));
          }),
        );
      }),
    ]);
    const caller = new AbortController();
    const asked = server.ask('/slow', { signal: caller.signal }).catch(() => 'gone');
    await until(() => isWaiting);
    caller.abort();
    expect(await asked).toBe('gone');
    await until(() => gone && server.finished.length > 0);
    expect(server.finished).toEqual(['GET /slow 499']);
  });

  test('a caller that disconnects while it sends is counted, and is not a failure of the service', async () => {
    await using server = await served([binding('POST /a', () => reply(1)), binding('POST /form', () => reply(1))]);
    const head = 'HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nContent-Type:';
    for (const [path, type] of [
      ['/a', 'application/json'],
      ['/form', 'multipart/form-data; boundary=b'],
    ]) {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(`POST ${path} ${head} ${type}\r\n\r\n--b\r\n`);
      await until(() => server.started.includes(`POST ${path}`));
      socket.destroy();
    }
    await until(() => server.finished.length === 2);
    expect([server.finished.toSorted(), server.lines]).toEqual([['POST /a 499', 'POST /form 499'], []]);
  });
});
