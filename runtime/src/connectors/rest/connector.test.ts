import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { Content } from '../../contracts/content.ts';
import type { Message } from '../../contracts/message.ts';
import type { Binding } from '../../contracts/source.ts';
import { Failure } from '../../errors/failure.ts';
import { bodyFormatNames } from '../../formats/format-spec.ts';
import { binding, echo, reply, served, without } from './testing/served.ts';

const json = { 'content-type': 'application/json' };
const post = (body: string | FormData, headers: Record<string, string> = json): RequestInit => ({
  method: 'POST',
  body,
  headers: body instanceof FormData ? {} : headers,
});
const fields = (value: unknown) => without(value as Record<string, string>, 'headers');

/** Names that an object has without having been given them. */
function inherited(value: object): readonly PropertyKey[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null ? [] : Reflect.ownKeys(prototype as object);
}

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

describe('input', () => {
  test('S-31: a path parameter wins over query and body', async () => {
    await using server = await served([binding('PUT /users/:id', ({ input }) => reply(fields(input)))]);
    const answer = await server.ask('/users/1?id=2&x=query&x=again', {
      method: 'PUT',
      body: '{"id":3,"x":"body","y":true}',
      headers: json,
    });
    expect(answer.json).toEqual({ id: '1', x: ['query', 'again'], y: true });
  });

  test('S-33: the message says which values the query string gave', async () => {
    let queried: readonly string[] | undefined = ['untouched'];
    await using server = await served([
      binding('PUT /users/:id', (message) => {
        queried = message.queried;
        return reply(null);
      }),
    ]);
    await server.ask('/users/1?id=2&role=admin', { method: 'PUT', body: '{"role":"user"}', headers: json });
    expect(queried).toEqual(['role']);
    await server.ask('/users/1', { method: 'PUT', body: '{"role":"user"}', headers: json });
    expect(queried).toBeUndefined();
  });

  test('S-32: headers and files come from the source alone', async () => {
    await using server = await served([binding('POST /a/:z', echo)]);
    const body = '{"headers":{"x-role":"admin"},"files":{"doc":{"filepath":"/etc/passwd"}},"auth":{"user_id":"root"}}';
    const answer = await server.ask('/a/1?headers=1&files=2', post(body));
    const { headers, ...rest } = answer.json as { headers: Record<string, string> };
    expect(rest).toEqual({ z: '1', auth: { user_id: 'root' } });
    expect(headers['x-role']).toBeUndefined();
    expect(headers['content-type']).toBe('application/json');
  });

  test('headers are lower case, and a repeated one keeps its first value', async () => {
    await using server = await served([
      binding('GET /a', ({ input }) => reply((input['headers'] as Record<string, string>)['x-a'])),
    ]);
    expect(await server.raw('GET /a HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n')).toMatch(
      /"1"$/,
    );
  });

  test('S-58: keys that name prototypes change nothing and are plain data', async () => {
    let input: Record<string, unknown> = {};
    await using server = await served(
      [
        binding('POST /a', (message) => {
          input = message.input;
          return reply(null);
        }),
      ],
      { config: { body_formats: [...bodyFormatNames] } },
    );
    const form = new FormData();
    form.set('__proto__', 'x');
    form.set('constructor', 'y');
    for (const request of [
      post(
        '{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}',
      ),
      post('{"a":{"\\u005f_proto__":{"isAdmin":true}}}'),
      post('__proto__=1&constructor.prototype=2', { 'content-type': 'application/x-www-form-urlencoded' }),
      post('__proto__,a\nb,c\n', { 'content-type': 'text/csv' }),
      post('<r><toString><hasOwnProperty>1</hasOwnProperty></toString></r>', { 'content-type': 'application/xml' }),
      post(form),
    ])
      for (const path of ['/a', '/a?__proto__[isAdmin]=1&__proto__=2&constructor=3'])
        expect([(await server.ask(path, request)).status, inherited(input)]).toEqual([200, []]);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    await server.ask('/a', post('{"a":{"__proto__":{"isAdmin":true}}}'));
    expect([Object.getPrototypeOf(input['a']), Object.keys(input['a'] as object)]).toEqual([null, ['__proto__']]);
  });

  test('a list is in items, a scalar in value, an empty body is fine', async () => {
    await using server = await served([binding('POST /a', ({ input }) => reply(fields(input)))]);
    expect((await server.ask('/a', post('[1,{"b":2}]'))).json).toEqual({ items: [1, { b: 2 }] });
    expect((await server.ask('/a', post('"x"'))).json).toEqual({ value: 'x' });
    expect((await server.ask('/a', post(''))).json).toEqual({});
  });

  test('integers beyond 2^53-1 stay exact and go out as text; the last of equal keys counts', async () => {
    let seen: unknown;
    await using server = await served([
      binding('POST /a', ({ input }) => {
        seen = input['n'];
        return reply({ n: input['n'], small: 9007199254740991n });
      }),
    ]);
    const answer = await server.ask('/a', post('{"n":1,"n":9007199254740993}'));
    expect([seen, answer.text]).toEqual([9007199254740993n, '{"n":"9007199254740993","small":9007199254740991}']);
  });

  test('forms, csv and xml by Content-Type, and by the format of the flow', async () => {
    await using server = await served([
      binding('POST /a', ({ input }) => reply(fields(input))),
      binding('POST /csv', ({ input }) => reply(input['rows']), { words: { format: 'csv' } }),
      binding('POST /xml', ({ input }) => reply(fields(input)), { words: { format: 'xml' } }),
    ]);
    const form = await server.ask('/a', post('a=1&b=2&b=3', { 'content-type': 'application/x-www-form-urlencoded' }));
    expect(form.json).toEqual({ a: '1', b: ['2', '3'] });
    const csv = await server.ask('/csv', post('name,n\nAda,1\nBob,2\n', { 'content-type': 'text/plain' }));
    expect([csv.text, csv.headers['content-type']]).toEqual([
      'name,n\r\nAda,1\r\nBob,2\r\n',
      'text/csv; charset=utf-8',
    ]);
    const xml = await server.ask('/xml', post('<o id="1"><n>2</n><n>3</n></o>', { 'content-type': 'text/xml' }));
    expect([xml.text, xml.headers['content-type']]).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>\n<root id="1">\n  <n>2</n>\n  <n>3</n>\n</root>\n',
      'application/xml; charset=utf-8',
    ]);
  });

  test('the connector format decides where neither flow nor Content-Type does', async () => {
    await using server = await served([binding('POST /a', ({ input }) => reply(fields(input)))], {
      config: { format: 'xml' },
    });
    const text = '<o><n>1</n></o>';
    const raw = await server.raw(
      `POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    expect(raw).toContain('<n>1</n>');
  });

  test('uploads are files of their field, repeated ones a list; other fields are texts', async () => {
    await using server = await served([binding('POST /a', ({ input }) => reply(fields(input)))]);
    const form = new FormData();
    form.set('title', 'hello');
    form.append('headers', 'no');
    form.set('doc', new Blob(['abc'], { type: 'text/plain' }), 'a b.txt');
    form.append('many', new Blob(['1']), '1');
    form.append('many', new Blob(['2']), '2');
    const doc = { filename: 'a b.txt', content_type: 'text/plain', size: 3, data: 'YWJj' };
    const many = ['1', '2'].map((name) => ({
      filename: name,
      content_type: 'application/octet-stream',
      size: 1,
      data: Buffer.from(name).toString('base64'),
    }));
    expect((await server.ask('/a', post(form))).json).toEqual({ title: 'hello', doc, many, files: { doc, many } });
  });

  test('uploads beyond 32 MB are 413, below they pass the limit of other bodies', async () => {
    await using server = await served([
      binding('POST /a', ({ input }) => reply((input['doc'] as { size: bigint }).size)),
    ]);
    const form = (megabytes: number) => {
      const data = new FormData();
      data.set('doc', new Blob([new Uint8Array(megabytes * 1024 * 1024)]), 'x');
      return post(data);
    };
    expect((await server.ask('/a', form(3))).json).toBe(3 * 1024 * 1024);
    expect((await server.ask('/a', form(33))).json).toEqual({
      error: 'the body is larger than 33554432 bytes',
      code: 'body_too_large',
    });
  });

  test.each([
    ['{"a":', 'application/json', 400, 'body_undecodable'],
    ['{"a":1e999}', 'application/json', 400, 'body_undecodable'],
    ['x', 'multipart/form-data', 400, 'body_undecodable'],
    [
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nv',
      'multipart/form-data; boundary=b',
      400,
      'body_undecodable',
    ],
    ['x', 'text/plain', 415, 'media_type_unsupported'],
    ['x', 'nonsense', 415, 'media_type_unsupported'],
    ['{}', 'application/json; charset=nonsense', 415, 'media_type_unsupported'],
  ])('%j as %s is %i', async (body, type, status, code) => {
    await using server = await served([binding('POST /a', echo)]);
    const answer = await server.ask('/a', post(body, { 'content-type': type }));
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([status, code]);
  });

  test('format = "binary" leaves a body as it is, up to max_upload, whatever its type', async () => {
    const bodies: unknown[] = [];
    const keep: Binding['deliver'] = ({ input }) => {
      const { body } = input;
      if (body instanceof Content) bodies.push([body.content_type, Number(body.size), body.bytes.read()]);
      else bodies.push(body);
      return { kind: 'reply', value: { ok: true } };
    };
    const raw: Binding = { ...binding('POST /a', echo), words: { format: 'binary' }, deliver: keep };
    await using server = await served([raw], { config: { max_upload: 200_000, max_body: 10 } });
    const large = Buffer.alloc(200_000, 0xff);
    const send = (body: Buffer, type: string) =>
      server.ask('/a', { method: 'POST', body, headers: { 'content-type': type } });
    const answers = [
      await send(Buffer.from([0, 0xff]), 'application/json'),
      await send(large, 'multipart/form-data; boundary=b'),
      await send(Buffer.alloc(0), 'image/png'),
      await send(Buffer.alloc(200_001), 'image/png'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 413]);
    expect(answers[0]?.json).toEqual({ ok: true });
    expect(bodies).toEqual([
      ['application/json', 2, Buffer.from([0, 0xff])],
      ['multipart/form-data', 200_000, large],
      ['image/png', 0, Buffer.alloc(0)],
    ]);
  });

  test('invalid UTF-8 is 400, compressed bodies are 415', async () => {
    await using server = await served([binding('POST /a', echo)]);
    const bytes = await server.ask('/a', { method: 'POST', body: Buffer.from([0x22, 0xff, 0x22]), headers: json });
    expect([bytes.status, bytes.json]).toEqual([
      400,
      { error: 'the body is not valid UTF-8: the byte FF at position 1', code: 'body_undecodable' },
    ]);
    const gzip = await server.ask('/a', {
      method: 'POST',
      body: '{}',
      headers: { ...json, 'content-encoding': 'gzip' },
    });
    expect(gzip.status).toBe(415);
  });

  test('S-64: bodies beyond the limit are 413 while they stream, deep or crowded ones 400', async () => {
    await using server = await served([binding('POST /a', echo)], { config: { max_body: 1000 } });
    const chunk = `${(900).toString(16)}\r\n${' '.repeat(900)}\r\n`;
    const head = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const streamed = await server.raw(head + chunk + chunk, (text) => text.includes('body_too_large'));
    expect(streamed).toMatch(/^HTTP\/1\.1 413 /);
    expect((await server.ask('/a', post(' '.repeat(1001)))).status).toBe(413);
    const deep = await server.ask('/a', post('['.repeat(150) + ']'.repeat(150)));
    expect([deep.status, deep.json]).toEqual([
      400,
      { error: 'the body is nested deeper than 100 levels', code: 'body_undecodable' },
    ]);
  });

  test('S-64: an endless body is cut off and costs no memory', async () => {
    await using server = await served([binding('POST /a', echo)]);
    const before = process.memoryUsage().rss;
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const init = { method: 'POST', body: stream, headers: json, duplex: 'half' } as RequestInit;
    const status = await server.ask('/a', init).then(
      (answer) => answer.status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(status);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('trace context and the address of the row come with the message', async () => {
    let message: Message | undefined;
    await using server = await served([
      binding('GET /a/:id', (taken) => {
        message = taken;
        return reply(null);
      }),
    ]);
    await server.ask('/a/1', { headers: { traceparent: '00-1-2-01', tracestate: 'a=b' } });
    expect([message?.traceparent, message?.tracestate, message?.addressed]).toEqual(['00-1-2-01', 'a=b', ['id']]);
  });
});
