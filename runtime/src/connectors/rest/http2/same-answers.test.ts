import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import {
  encoded,
  endsHeaders,
  endsStream,
  type Fields,
  fieldsOf,
  frame,
  RawCaller,
  request,
} from '../../../platform/http/testing/http2-frames.ts';
import { binding, echo, reply, type Served, served } from '../testing/served.ts';

const values = ['a\r\nx-more: 1', 'a\0x-more\x001', '\u20ac', ' a\t', 'é', ''];

let service: Served;
beforeAll(async () => {
  const flows = ['GET /a', 'GET /a/:id', 'POST /a', 'GET /'].map((operation) => binding(operation, echo));
  const answers = values.map((value, at) =>
    binding(`GET /v/${at}`, () => reply({ at }, { headers: { 'x-value': value } })),
  );
  service = await served([...flows, ...answers], { config: { http2: true } });
});
afterAll(() => service[Symbol.asyncDispose]());

/** `PROTOCOL_ERROR`: how HTTP/2 refuses a request that is malformed. */
const reset = 'reset 1';
const malformed = { error: 'the request is not valid HTTP', code: 'malformed' };

/** What the fields of a request are answered over HTTP/2: the body, or how the stream was ended. */
async function over2(fields: Fields, body?: string): Promise<unknown> {
  const caller = new RawCaller(service.port);
  caller.send(frame('headers', endsHeaders | (body === undefined ? endsStream : 0), 1, encoded(fields)));
  if (body !== undefined) caller.send(frame('data', endsStream, 1, Buffer.from(body)));
  await expect.poll(() => caller.outcomeOf(1)).toBeDefined();
  const outcome = caller.outcomeOf(1) as string;
  caller.end();
  return outcome.startsWith('{') ? JSON.parse(outcome) : outcome;
}

/** The same over HTTP/1.1: the body, without the header that asks to close the connection. */
async function over1(fields: Fields, body = ''): Promise<unknown> {
  const textOf = (name: string) => fields.find(([each]) => each === name)?.[1];
  const text = await service.raw(
    [
      `${textOf(':method')} ${textOf(':path')} HTTP/1.1`,
      `host: ${textOf(':authority')}`,
      ...fields.filter(([name]) => !name.startsWith(':')).map(([name, value]) => `${name}: ${value}`),
      ...(body === '' ? [] : [`content-length: ${body.length}`]),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  const answer = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  const read = JSON.parse(answer);
  delete read.headers?.connection;
  return read;
}

describe('S-66: what is asked over HTTP/2', () => {
  const paths = [
    [
      '/a/',
      '/a//',
      '//a',
      '/a/../a',
      '/a/./',
      '/a/%2e%2e/b',
      '/a/%',
      '/a/%zz',
      '/a/%ff',
      '/a/%00',
      '/a/%2f',
      '/a/%c3%a9',
    ],
    ['/a#x', '/a?x#y', '/a?x=1&x=2', '/a?%', '/a?x=%', '/a;x=1', '/a\\b', '/a/"<>', '/a/|^`{}', '/a?__proto__=1'],
    [
      '/',
      '/?',
      '/a/\xe9',
      '/a/\xff\xfe',
      `/${'p'.repeat(9_000)}`,
      '/a/%C0%AE',
      '/a/%E0%80%AF',
      '/A',
      '/a%20',
      '/a%0d%0ax:y',
    ],
  ].flat();
  test.each(paths)('the path %j is what it is over HTTP/1.1', async (path) => {
    const fields = fieldsOf('GET', path);
    expect(await over2(fields)).toEqual(await over1(fields));
  });

  test.each(['/a b', '/a\t', '/a/\x01', '/a/\x7f', '/a\r\n', 'a', '', 'x:1', 'http:/a'])(
    'the path %j is refused as it is over HTTP/1.1',
    async (path) => {
      const fields = fieldsOf('GET', path);
      expect([await over1(fields), await over2(fields)]).toEqual([malformed, reset]);
    },
  );

  test.each(['HEAD', 'OPTIONS', 'get', 'TRACE', 'FOO', 'PRI', 'M-SEARCH', 'DELETE', 'QUERY'])(
    'the method %s is what it is over HTTP/1.1',
    async (method) => {
      const fields = fieldsOf(method, '/a');
      const answered = await over2(fields);
      if (answered === '') expect(['HEAD', 'OPTIONS']).toContain(method);
      else expect(answered).toEqual(await over1(fields));
    },
  );

  const same: readonly Fields[] = [
    [['expect', '100-continue']],
    [['expect', 'something']],
    [['expect', '']],
    [
      ['content-type', 'a'],
      ['content-type', 'b'],
    ],
    [
      ['authorization', 'a'],
      ['authorization', 'b'],
    ],
    [
      ['user-agent', 'a'],
      ['user-agent', 'b'],
    ],
    [
      ['x-forwarded-for', '10.0.0.1'],
      ['x-forwarded-for', '10.0.0.2'],
    ],
    [['x', '\xe9\xff']],
    [['x', 'a\tb']],
    [['x', '']],
    [['__proto__', 'x']],
    [['te', 'trailers']],
    [['http2-settings', 'AAMAAABkAAQAAP__']],
  ];
  test.each(same)('the headers %j %j are what they are over HTTP/1.1', async (...more) => {
    const fields = fieldsOf('GET', '/a', more as unknown as Fields);
    expect(await over2(fields)).toEqual(await over1(fields));
  });

  const resets: readonly (readonly [string, Fields])[] = [
    ['a name in capitals', fieldsOf('GET', '/a', [['X-Name', 'a']])],
    ['Connection', fieldsOf('GET', '/a', [['connection', 'x']])],
    ['Transfer-Encoding', fieldsOf('POST', '/a', [['transfer-encoding', 'chunked']])],
    ['Keep-Alive', fieldsOf('GET', '/a', [['keep-alive', '1']])],
    ['Proxy-Connection', fieldsOf('GET', '/a', [['proxy-connection', 'x']])],
    ['Upgrade', fieldsOf('GET', '/a', [['upgrade', 'h2c']])],
    ['TE that is not trailers', fieldsOf('GET', '/a', [['te', 'gzip']])],
    ['two paths', [...fieldsOf('GET', '/a'), [':path', '/b']]],
    ['two methods', [...fieldsOf('GET', '/a'), [':method', 'POST']]],
    ['two schemes', [...fieldsOf('GET', '/a'), [':scheme', 'https']]],
    ['two authorities', [...fieldsOf('GET', '/a'), [':authority', 'x']]],
    [
      'two hosts',
      fieldsOf('GET', '/a', [
        ['host', 'x'],
        ['host', 'x'],
      ]),
    ],
    ['a pseudo header behind others', [['x', 'y'], ...fieldsOf('GET', '/a')]],
    ['a pseudo header of answers', [...fieldsOf('GET', '/a'), [':status', '200']]],
    ['an unknown pseudo header', [...fieldsOf('GET', '/a'), [':unknown', '1']]],
    ['no path', fieldsOf('GET', '/a').filter(([name]) => name !== ':path')],
    ['no method', fieldsOf('GET', '/a').filter(([name]) => name !== ':method')],
    ['no scheme', fieldsOf('GET', '/a').filter(([name]) => name !== ':scheme')],
    ['no host', fieldsOf('GET', '/a').filter(([name]) => name !== ':authority')],
    [
      'an authority with a user',
      fieldsOf('GET', '/a').map(([name, value]) => [name, name === ':authority' ? 'u@x' : value]),
    ],
    ['an extended CONNECT', [...fieldsOf('CONNECT', '/a'), [':protocol', 'websocket']]],
    ['an address as path', fieldsOf('GET', 'http://other/a')],
    ['a length that is not a number', fieldsOf('POST', '/a', [['content-length', 'x']])],
    ['a negative length', fieldsOf('POST', '/a', [['content-length', '-1']])],
    [
      'two lengths',
      fieldsOf('POST', '/a', [
        ['content-length', '2'],
        ['content-length', '2'],
      ]),
    ],
    ['a list of lengths', fieldsOf('POST', '/a', [['content-length', '2, 2']])],
  ];
  test.each(resets)('is malformed with %s: no flow runs, and the stream is reset', async (_, fields) => {
    const before = service.started.length;
    expect(await over2(fields, fields[0]?.[1] === 'POST' ? '{}' : undefined)).toBe(reset);
    expect(service.started.length).toBe(before);
  });

  const refused: readonly (readonly [string, Fields, string])[] = [
    [
      'of a scheme whose paths may be anything',
      fieldsOf('GET', 'http://other/a').map(([name, value]) => [name, name === ':scheme' ? 'other' : value]),
      malformed.error,
    ],
    [
      'with a blank before a value',
      fieldsOf('GET', '/a', [['x', ' a']]),
      'the value of the header x begins or ends with a blank',
    ],
    [
      'with a blank behind a value',
      fieldsOf('GET', '/a', [['x', 'a\t']]),
      'the value of the header x begins or ends with a blank',
    ],
    [
      'with another host',
      fieldsOf('GET', '/a', [['host', 'y']]),
      'the host header names another host than the request',
    ],
    [
      'with a tunnel',
      [
        [':method', 'CONNECT'],
        [':authority', 'x:1'],
      ],
      'CONNECT is not served; a connection of another protocol, such as WebSocket, is opened over HTTP/1.1',
    ],
  ];
  test.each(refused)('is refused %s', async (_, fields, error) => {
    const before = service.started.length;
    expect(await over2(fields)).toEqual({ error, code: 'malformed' });
    expect(service.started.length).toBe(before);
  });

  test('reaches no flow with a header that has control characters', async () => {
    const odd = ['a\0b', 'a\rb', 'a\nb', 'a\x01b', 'a\x7fb'].map((value) => ['x', value] as const);
    for (const field of [...odd, ['x y', 'a'] as const, ['x:', 'a'] as const])
      expect(await over2(fieldsOf('GET', '/a', [field, ['y', '1']]))).toEqual({ headers: { host: 'x', y: '1' } });
  });

  test('a connection is ended whose requests continue to be malformed', async () => {
    const caller = new RawCaller(service.port);
    await caller.flood((round) => request(2 * round + 1, 'GET', '/a', [['connection', 'x']]));
    expect(caller.frames.filter(({ kind }) => kind === 'reset').length).toBeLessThan(2_000);
  });
});

describe('S-66: a wish for another protocol over HTTP/1.1', () => {
  test.each([
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'],
    ['websocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ])('for %s: the request is answered as any other, and no later answer can be taken for another', async (_, wish) => {
    const next = 'GET /a?next HTTP/1.1\r\nHost: x\r\n\r\n';
    const whole = await service.raw(`GET /a HTTP/1.1\r\nHost: x\r\n${wish}\r\n${next}`);
    expect(whole.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(whole).toContain('\r\nConnection: close\r\n');
    const sent = 'Content-Type: application/json\r\nContent-Length: 7';
    const posted = await service.raw(`POST /a HTTP/1.1\r\nHost: x\r\n${wish}${sent}\r\n\r\n{"n":1}${next}`);
    expect(posted.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(posted).toContain('{"n":1,"headers":');
  });

  test('a preface behind a request ends the connection behind its answer', async () => {
    const text = await service.raw('GET /a HTTP/1.1\r\nHost: x\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});

test('S-66: a header of an answer is never two headers behind the next proxy', async () => {
  await using session = openHttp2(service.url);
  const seen = [];
  for (const [at] of values.entries()) {
    const { status, headers } = await askHttp2(session, { ':path': `/v/${at}` });
    const { status: before, headers: expected } = await service.ask(`/v/${at}`);
    seen.push([status, headers['x-value'], headers['x-more']]);
    expect([before, expected['x-value']?.trim()]).toEqual([status, headers['x-value']]);
  }
  const whole = [
    [200, 'a', undefined],
    [200, 'é', undefined],
    [200, '', undefined],
  ];
  expect(seen).toEqual([...Array(3).fill([500, undefined, undefined]), ...whole]);
});

test('a request that expects something else is 417 over both', async () => {
  await using session = openHttp2(service.url);
  const { status, text } = await askHttp2(session, { ':path': '/a', expect: 'something' });
  const body = '{"error":"a request may expect 100-continue and nothing else","code":"malformed"}';
  expect([status, text]).toEqual([417, body]);
  const first = await service.raw('POST /a HTTP/1.1\r\nHost: x\r\nExpect: something\r\nContent-Length: 9\r\n\r\n');
  expect(first).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\nConnection: close\r\n/);
  expect(first.endsWith(`\r\n\r\n${body}`)).toBe(true);
});
