import { describe, expect, test } from 'vitest';
import { Content } from '../../foundation/contracts/content.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import { bodyFormatNames } from '../../platform/formats/format-spec.ts';
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
