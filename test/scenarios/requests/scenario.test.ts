import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const json = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Code inside the service that says, when it is asked by a signal, whether something reached the prototype of objects. */
const watchdog = `data:text/javascript,process.on('SIGUSR2',()=>console.error('pollution',Object.keys(Object.prototype).length,({}).isAdmin))`;

let service: Scenario;

beforeAll(async () => {
  service = await startScenario(import.meta.dirname, { env: { NODE_OPTIONS: `--import="${watchdog}"` } });
});

afterAll(() => service?.end());

describe('input', () => {
  test('S-31: the path wins over the query, the query over the body, for every method', async () => {
    const body = { id: 2, name: 'from the body' };
    expect(await service.ask('PUT', '/things/1?id=3&name=from+the+query', body)).toMatchObject({
      status: 200,
      body: { id: '1', name: 'from the query' },
    });
    expect(await service.ask('DELETE', '/things/1?id=3', body)).toMatchObject({
      status: 200,
      body: { id: '1', name: 'from the body' },
    });
    expect((await service.ask('GET', '/things/1?id=3&id=4')).body).toEqual({ id: '1' });
    expect((await service.ask('GET', '/things/a%2Fb%20c?tag=x&tag=y')).body).toEqual({ id: 'a/b c', tag: ['x', 'y'] });
  });

  test('S-32: neither body nor query nor form sets headers, files or who is signed in', async () => {
    const claim = {
      headers: { 'x-role': 'admin' },
      files: { doc: { filepath: '/etc/passwd', data: 'cm9vdA==' } },
      auth: { user_id: 'root', authenticated: true },
    };
    const plain = { id: '1', name: 'unnamed', role: 'none', documents: 'none', user: '', signed_in: false };
    expect((await service.ask('PUT', '/things/1', claim)).body).toEqual(plain);
    const query = 'headers[x-role]=admin&headers=x-role&files=doc&auth=root';
    expect((await service.ask('PUT', `/things/1?${query}`)).body).toEqual(plain);
    const form = new FormData();
    form.set('headers', 'x-role');
    form.set('files', 'doc');
    expect((await service.ask('PUT', '/things/1', form)).body).toEqual({ ...plain, documents: 'uploaded' });
    expect((await service.ask('PUT', '/things/1', {}, { 'X-Role': 'clerk' })).body).toEqual({
      ...plain,
      role: 'clerk',
    });
  });

  test('R-21: 1 000 identical requests have one answer', async () => {
    const answers = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 50 }, () => service.ask('POST', '/chain', { start: 'a' }));
      for (const { status, text } of await Promise.all(asked)) answers.add(`${status} ${text}`);
    }
    const e = 'abcda';
    const all = ['a', 'ab', 'abc', 'abcd', e];
    const expected = { a: 'a', b: 'ab', c: 'abc', d: 'abcd', e, f: 5, g: { all, size: 5 } };
    expect([...answers]).toEqual([`200 ${JSON.stringify(expected)}`]);
  });

  test('numbers beyond 2^53 keep their digits, lists and scalars have a place', async () => {
    const { text } = await service.ask('POST', '/show', '{"big":9007199254740993,"small":1.50,"whole":3.0}');
    expect(text).toBe('{"big":"9007199254740993","small":1.5,"whole":3}');
    expect((await service.ask('POST', '/show', [1, 2])).body).toEqual({ items: [1, 2] });
    expect((await service.ask('POST', '/show', '"x"')).body).toEqual({ value: 'x' });
    expect((await service.ask('POST', '/show', '')).body).toEqual({});
  });
});

test('what a flow gives back of a message are its fields, never the headers of the caller', async () => {
  const secret = { authorization: 'Bearer secret', cookie: 'session=secret' };
  for (const [path, status] of [
    ['/show', 200],
    ['/taken', 202],
  ] as const) {
    const answer = await service.ask('POST', path, { a: 1 }, secret);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { a: 1 } });
  }
});

describe('S-58: prototypes', () => {
  const admin = { isAdmin: true };
  const member = '{"isAdmin":true}';
  const type = (name: string) => ({ 'content-type': name });

  test('1 000 hostile inputs of every kind reach no prototype', async () => {
    const form = () => {
      const made = new FormData();
      made.set('__proto__', member);
      made.set('__proto__[isAdmin]', 'true');
      made.set('constructor.prototype.isAdmin', 'true');
      made.set('__proto__', new File(['x'], '__proto__'));
      return made;
    };
    const attacks: (() => ReturnType<Scenario['ask']>)[] = [
      () => service.ask('POST', '/show', `{"__proto__":${member}}`),
      () => service.ask('POST', '/show', `{"constructor":{"prototype":${member}}}`),
      () => service.ask('POST', '/show', `{"a":{"__proto__":{"__proto__":${member}}},"b":[{"__proto__":${member}}]}`),
      () => service.ask('POST', '/show?__proto__[isAdmin]=1&__proto__.isAdmin=1&__proto__=1&constructor=2', admin),
      () => service.ask('PUT', '/things/__proto__?isAdmin=1', `{"__proto__":${member}}`),
      () => service.ask('POST', '/show', '__proto__[isAdmin]=1&__proto__=1', type('application/x-www-form-urlencoded')),
      () => service.ask('POST', '/show', '__proto__,constructor\n1,2\n', type('text/csv')),
      () =>
        service.ask('POST', '/show', '<r><a><constructor><isAdmin>1</isAdmin></constructor></a></r>', type('text/xml')),
      () => service.ask('POST', '/upload', form()),
      () => service.ask('GET', '/who', undefined, { ['__proto__']: member, 'x-__proto__': member }),
    ];
    const statuses = new Set<number>();
    for (let round = 0; round < 100; round++)
      for (const { status } of await Promise.all(attacks.map((attack) => attack()))) statuses.add(status);
    // Such names are keys of maps without a prototype, in every format; 500: the upload flow reads a document that these
    // forms lack.
    expect([...statuses].sort()).toEqual([200, 500]);

    const who = await service.ask('GET', '/who');
    expect(who).toMatchObject({ status: 200, body: { admin: false, header_seen: false } });
    expect(Object.keys((who.body as { headers: object }).headers)).not.toContain('isAdmin');
    process.kill(service.pid, 'SIGUSR2');
    await until(() => service.log.includes('pollution'));
    expect(service.log).toContain('pollution 0 undefined');
  });

  test('what every object inherits is not a field', async () => {
    const { status, body } = await service.ask('GET', '/constructor');
    expect(status).toBe(500);
    expect((body as { error: string }).error).toContain('no such key: constructor');
    expect((await service.ask('GET', '/constructor?constructor=mine')).body).toEqual({ type: 'mine' });
  });
});

describe('methods', () => {
  test('HEAD is the GET flow without its body', async () => {
    const head = await service.ask('HEAD', '/things/7');
    expect(head).toEqual({ status: 200, headers: json, text: '', body: undefined });
  });

  test('OPTIONS tells what is served; with a preflight it is CORS', async () => {
    expect(await service.ask('OPTIONS', '/things/7')).toEqual({
      status: 204,
      headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PUT', 'x-content-type-options': 'nosniff' },
      text: '',
      body: undefined,
    });
    const from = async (origin: string) => {
      const preflight = { origin, 'access-control-request-method': 'PUT' };
      const { status, headers } = await service.ask('OPTIONS', '/things/7', undefined, preflight);
      return [status, headers['access-control-allow-origin'], headers['vary']];
    };
    const varies = expect.stringContaining('Origin');
    expect(await from('http://localhost:5173')).toEqual([200, 'http://localhost:5173', varies]);
    expect(await from('https://app.example.org')).toEqual([200, undefined, varies]);
  });

  test('unknown paths are 404, unknown methods 405 with Allow, unknown bodies 415', async () => {
    const missing = { error: 'nothing is served at /elsewhere', code: 'not_found' };
    expect(await service.ask('GET', '/elsewhere')).toMatchObject({ status: 404, headers: json, body: missing });
    expect((await service.ask('GET', '/things/7/')).status).toBe(404);
    expect(await service.ask('PATCH', '/things/7', {})).toMatchObject({
      status: 405,
      headers: { ...json, allow: 'DELETE, GET, HEAD, OPTIONS, PUT' },
      body: { error: 'PATCH is not served at this path', code: 'method_not_allowed' },
    });
    expect(await service.ask('POST', '/show', 'x', { 'content-type': 'text/html' })).toMatchObject({
      status: 415,
      headers: json,
      body: { error: 'a body of type text/html is not accepted', code: 'media_type_unsupported' },
    });
  });

  test('QUERY reads from its body and its paths say so', async () => {
    const { status, headers, body } = await service.ask('QUERY', '/show', { q: 1 });
    expect([status, headers['accept-query'], body]).toEqual([200, 'application/json, application/xml', { q: 1 }]);
    expect((await service.ask('OPTIONS', '/show')).headers).toMatchObject({
      allow: 'OPTIONS, POST, QUERY',
      'accept-query': 'application/json, application/xml',
    });
  });

  test('a body that does not parse is 400', async () => {
    expect(await service.ask('POST', '/show', '{"a":')).toMatchObject({
      status: 400,
      headers: json,
      body: { code: 'body_undecodable' },
    });
    expect(await service.ask('DELETE', '/things/1', '{')).toMatchObject({ status: 400 });
    expect((await service.ask('GET', '/things/%zz')).status).toBe(400);
  });
});

describe('formats', () => {
  test('XML comes and goes', async () => {
    const sent = '<order id="7"><line>a</line><line>b</line><note/></order>';
    const { status, headers, text } = await service.ask('POST', '/xml', sent, { 'content-type': 'text/xml' });
    expect([status, headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8']);
    const body = '<root id="7">\n  <line>a</line>\n  <line>b</line>\n  <note></note>\n</root>\n';
    expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
  });

  test('CSV comes and goes', async () => {
    const { headers, text } = await service.ask('POST', '/csv', 'name,note\nAda,"a, ""b"""\n', {
      'content-type': 'text/csv',
    });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toBe('name,note\r\nAda,"a, ""b"""\r\nb,plain\r\n');
  });

  test('forms, also with files', async () => {
    const plain = await service.ask('POST', '/show', 'a=1&b=2&b=%C3%BC', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(plain.body).toEqual({ a: '1', b: ['2', 'ü'] });
    const form = new FormData();
    form.set('title', 'Report');
    form.set('document', new File(['three'], 'report.txt', { type: 'text/plain' }));
    expect((await service.ask('POST', '/upload', form)).body).toEqual({
      title: 'Report',
      size: 5,
      name: 'report.txt',
      type: 'text/plain',
      data: Buffer.from('three').toString('base64'),
    });
  });

  test('S-93: bytes are sent as they are, under a name that every browser reads', async () => {
    const { status, headers } = await service.ask('GET', '/picture');
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'content-disposition': `inline; filename="na_ve _name_.png"; filename*=UTF-8''na%C3%AFve%20%22name%22.png`,
      },
    });
  });

  test('S-93: every body says its charset and forbids sniffing', async () => {
    const answers = await Promise.all([
      service.ask('GET', '/things/1'),
      service.ask('GET', '/elsewhere'),
      service.ask('PATCH', '/things/1'),
      service.ask('GET', '/broken'),
      service.ask('POST', '/show', '{'),
      service.ask('GET', '/health'),
      service.ask('GET', '/health/live'),
      service.ask('GET', '/metrics'),
      service.ask('GET', '/explained'),
    ]);
    for (const { headers } of answers) {
      expect(headers['content-type']).toMatch(/; charset=utf-8$/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect(await service.ask('GET', '/nothing')).toEqual({
      status: 204,
      headers: { 'x-content-type-options': 'nosniff' },
      text: '',
      body: undefined,
    });
  });
});

describe('limits', () => {
  test('bodies, depth, texts and control characters', async () => {
    expect(await service.ask('POST', '/show', { text: 'x'.repeat(21_000) })).toMatchObject({
      status: 413,
      headers: json,
      body: { error: 'the body is larger than 20480 bytes', code: 'body_too_large' },
    });
    const deep = `${'{"a":'.repeat(25)}1${'}'.repeat(25)}`;
    expect(await service.ask('POST', '/show', deep)).toMatchObject({ status: 400, headers: json });
    expect(await service.ask('POST', '/show', '{"person":{"name":"a\\u0000b"}}')).toMatchObject({
      status: 400,
      body: { code: 'input_refused', fields: [{ field: 'person.name' }] },
    });
    expect((await service.ask('POST', '/show', { a: 'x\u202ey\tz' })).body).toEqual({ a: 'xy\tz' });
  });

  test('uploads have their own, larger limit', async () => {
    const form = new FormData();
    form.set('title', 'Large');
    form.set('document', new File([new Uint8Array(200_000)], 'zeros.bin'));
    expect(await service.ask('POST', '/upload', form)).toMatchObject({ status: 200, body: { size: 200_000 } });
  });

  test('too many headers are 431', async () => {
    const many = Object.fromEntries(Array.from({ length: 210 }, (_, index) => [`x-${index}`, '1']));
    expect(await service.ask('GET', '/things/1', undefined, many)).toMatchObject({ status: 431, headers: json });
  });

  test('S-66: what two servers could read differently is refused and the connection closed', async () => {
    const { port } = new URL(service.address);
    const send = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        let received = '';
        socket.on('data', (piece) => {
          received += piece;
        });
        socket.on('close', () => resolve(received));
        socket.on('error', () => undefined);
      });
    const head = 'POST /show HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    for (const rest of [
      'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
      'X-A: 1\r\n folded\r\nContent-Length: 2\r\n\r\n{}',
    ])
      expect(await send(head + rest), rest).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('in production', () => {
  let production: Scenario;

  beforeAll(async () => {
    production = await startScenario(import.meta.dirname, { args: ['--env', 'production'] });
  });
  afterAll(() => production?.end());

  test('S-11: a failure inside says nothing but an id that the log carries', async () => {
    const { status, headers, body } = await production.ask('GET', '/broken');
    const { request_id: id } = body as { request_id: string };
    expect({ status, body }).toEqual({ status: 500, body: { error: 'Internal Server Error', request_id: id } });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await until(() => production.log.includes(id));
    const line = production.log.split('\n').find((each) => each.includes(id))!;
    expect(line).toContain('table_that_is_not_there');
    expect((await service.ask('GET', '/broken')).text).toContain('table_that_is_not_there');
  });

  test('S-11: what the caller did wrong is explained, and an error_response is sent as written', async () => {
    expect(await production.ask('POST', '/checked', { name: 'x', age: -1 })).toMatchObject({
      status: 400,
      body: {
        code: 'input_invalid',
        fields: [
          { field: 'name', code: 'min_length' },
          { field: 'age', code: 'min' },
        ],
      },
    });
    expect(await production.ask('GET', '/explained')).toMatchObject({
      status: 502,
      headers: { 'x-reason': 'store' },
      body: { message: 'the store is closed', type: 'unknown' },
    });
  });

  test('health tells no details, other origins get no CORS headers, requests are limited', async () => {
    const health = await production.ask('GET', '/health');
    expect((health.body as { components: unknown }).components).toEqual({
      api: { status: 'healthy' },
      db: { status: 'healthy' },
    });
    const { headers } = await production.ask('GET', '/things/1', undefined, { origin: 'https://evil.test' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['x-ratelimit-limit']).toBe('200');
  });

  test('production logs what is unwise', () => {
    expect(production.log).toContain('connector \\"db\\" is an sqlite database');
  });
});
