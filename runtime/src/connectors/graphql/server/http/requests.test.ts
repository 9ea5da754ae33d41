import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { echo, reply, type ServedSchema, servedGraphql } from '../testing/served.ts';

const schema = `type Query {
  hello(name: String): String
  echoed(input: JSON): JSON
  fails: String
  broken: Int
}
type Mutation { write(a: Int): Boolean }
type Subscription { changed: String }`;

/** What was written. */
const written: unknown[] = [];
const flows = {
  'Query.hello': ({ input }: { readonly input: Record<string, unknown> }) => reply(`hello ${input['name'] ?? 'world'}`),
  'Query.echoed': echo,
  'Query.fails': () => {
    throw new Error('secret of the database at /srv/db.sock');
  },
  'Query.broken': () => reply({ a: 1, b: 2 }),
  'Mutation.write': ({ input }: { readonly input: Record<string, unknown> }) => {
    written.push({ ...input });
    return reply(true);
  },
} as const;
const serve = (options: ServedSchema = {}) => servedGraphql(schema, flows, options);

const standard = 'application/graphql-response+json';
const hello = { query: '{ hello }' };

describe('a request by POST', () => {
  test('is answered as JSON, and in the type of GraphQL to callers that prefer it', async () => {
    await using server = await serve();
    const answers = [];
    for (const accept of [
      undefined,
      '*/*',
      'text/html, application/xhtml+xml, */*;q=0.8',
      'image/png',
      'application/json',
      standard,
      `${standard}; charset=utf-8, application/json;q=0.9`,
      `${standard};q=0.1, application/json;q=0.9`,
      `${standard};q=0, application/json;q=0`,
      `Application/GraphQL-Response+JSON`,
      `constructor, __proto__;q=1, ${standard}`,
    ]) {
      const { status, headers, json } = await server.post(hello, accept === undefined ? {} : { accept });
      answers.push([status, headers['content-type'], json]);
    }
    const data = { data: { hello: 'hello world' } };
    const plain = [200, 'application/json; charset=utf-8', data];
    const named = [200, `${standard}; charset=utf-8`, data];
    expect(answers).toEqual([plain, plain, plain, plain, plain, named, named, plain, plain, named, named]);
  });

  test('names its operation, its variables and extensions, or says null', async () => {
    await using server = await serve();
    const query = 'query A($name: String) { hello(name: $name) } query B { hello }';
    const bodies = [
      { query, operationName: 'A', variables: { name: 'Ada' } },
      { query, operationName: 'B', variables: null, extensions: null },
      { query: '{ hello }', operationName: null },
      { query: '{ hello }', operationName: '' },
      { query: '{ hello }', extensions: { any: { thing: [1] } }, other: 1 },
      { query },
      { query, operationName: 'C' },
    ];
    const answers = [];
    for (const body of bodies) answers.push((await server.post(body)).json);
    expect(answers).toEqual([
      { data: { hello: 'hello Ada' } },
      { data: { hello: 'hello world' } },
      { data: { hello: 'hello world' } },
      { data: { hello: 'hello world' } },
      { data: { hello: 'hello world' } },
      { errors: [{ message: 'The document has several operations, and the request names none.' }] },
      { errors: [{ message: 'The document has no operation "C".' }] },
    ]);
  });

  test.each([
    ['{', 'the body is not valid JSON'],
    ['', 'the body is not valid JSON'],
    ['null', 'the request must be an object with the field "query"'],
    ['[]', 'several requests in one are not taken: send each by itself'],
    [JSON.stringify(Array(10_000).fill(hello)), 'several requests in one are not taken: send each by itself'],
    ['"{ hello }"', 'the request must be an object with the field "query"'],
    ['{}', '"query" must be a text'],
    ['{"query":null}', '"query" must be a text'],
    ['{"query":1}', '"query" must be a text'],
    ['{"__proto__":{"query":"{ hello }"}}', '"query" must be a text'],
    ['{"query":"{ hello }","variables":[]}', '"variables" must be an object'],
    ['{"query":"{ hello }","variables":"{}"}', '"variables" must be an object'],
    ['{"query":"{ hello }","extensions":1}', '"extensions" must be an object'],
    ['{"query":"{ hello }","operationName":1}', '"operationName" must be a text'],
    ['{"query":"{ hello }","documentId":1}', '"documentId" must be a text'],
    [
      '{"query":"{ hello }","extensions":{"persistedQuery":1}}',
      '"extensions.persistedQuery" must be an object with "version" 1 and "sha256Hash"',
    ],
    [
      '{"query":"{ hello }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"ABC"}}}',
      '"extensions.persistedQuery.sha256Hash" must be a SHA-256 in hexadecimal digits',
    ],
  ])('that is malformed is answered 400, with errors in the shape of GraphQL: %.60s', async (body, message) => {
    await using server = await serve();
    for (const [accept, type] of [
      ['application/json', 'application/json; charset=utf-8'],
      [standard, `${standard}; charset=utf-8`],
    ] as const) {
      const { status, headers, json } = await server.post(body, { accept });
      expect([status, headers['content-type'], json]).toEqual([
        400,
        type,
        { errors: [{ message: expect.stringContaining(message), extensions: { code: 'body_undecodable' } }] },
      ]);
    }
  });

  test('that could not be carried out has no data, and 400 in the type of GraphQL alone', async () => {
    await using server = await serve();
    const bodies = [
      { query: '{' },
      { query: '{ nothing }' },
      { query: 'query($a: Int!) { echoed(input: $a) }' },
      { query: '{ fails }' },
    ];
    const statuses = [];
    for (const body of bodies) {
      const [plain, named] = [await server.post(body), await server.post(body, { accept: standard })];
      statuses.push([plain.status, named.status, Object.keys(named.json as object).sort()]);
    }
    expect(statuses).toEqual([
      [200, 400, ['errors']],
      [200, 400, ['errors']],
      [200, 400, ['errors']],
      [200, 200, ['data', 'errors']],
    ]);
  });

  test('S-67: without a Content-Type that pages of other origins have to ask for, it never runs', async () => {
    await using server = await serve();
    written.length = 0;
    const body = JSON.stringify({ query: 'mutation { write(a: 1) }' });
    const form = new FormData();
    form.set('operations', body);
    form.set('map', '{}');
    const types = [
      'text/plain',
      'text/plain; charset=application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
      'application/vnd.api+json',
      'application/json, text/plain',
      'json',
      '',
    ];
    const statuses = [];
    for (const type of types) statuses.push((await server.post(body, { 'content-type': type })).status);
    const unnamed = await server.ask('/graphql', { method: 'POST', body: Buffer.from(body) });
    const formed = await server.ask('/graphql', { method: 'POST', body: form });
    expect([...statuses, unnamed.status, formed.status]).toEqual(Array(types.length + 2).fill(415));
    expect(unnamed.json).toEqual({
      errors: [
        {
          message: 'a POST must say its Content-Type, application/json',
          extensions: { code: 'media_type_unsupported' },
        },
      ],
    });
    expect(written).toEqual([]);
  });

  test('is read in the charset that it names', async () => {
    await using server = await serve();
    const ask = (charset: string, bytes: Buffer) =>
      server.ask('/graphql', {
        method: 'POST',
        headers: { 'content-type': `application/json; charset=${charset}` },
        body: bytes,
      });
    const text = JSON.stringify({ query: '{ hello(name: "Zoë") }' });
    const data = { data: { hello: 'hello Zoë' } };
    expect((await ask('utf-8', Buffer.from(text))).json).toEqual(data);
    expect((await ask('"UTF-8"', Buffer.from(text))).json).toEqual(data);
    expect((await ask('iso-8859-1', Buffer.from(text, 'latin1'))).json).toEqual(data);
    expect((await ask('utf-9', Buffer.from(text))).status).toBe(415);
    expect((await ask('utf-8', Buffer.from(text, 'latin1'))).status).toBe(400);
    const encoded = { 'content-encoding': 'gzip' };
    expect((await server.post(text, encoded)).status).toBe(415);
  });
});

describe('a request by GET', () => {
  const path = (parameters: Record<string, string>) => `/graphql?${new URLSearchParams(parameters)}`;

  test('is a query', async () => {
    await using server = await serve();
    const query = 'query A($name: String) { hello(name: $name) } query B { hello }';
    const variables = '{"name":"Ada"}';
    const answers = [];
    const asked: Record<string, string>[] = [
      { query: '{ hello }' },
      { query, operationName: 'A', variables },
      { query, operationName: 'B', variables: '', extensions: '{}' },
      { query: '{ hello }', variables: 'null', extensions: 'null' },
    ];
    for (const parameters of asked) answers.push((await server.ask(path(parameters))).json);
    expect(answers).toEqual(['world', 'Ada', 'world', 'world'].map((name) => ({ data: { hello: `hello ${name}` } })));
  });

  test('of a mutation or a subscription is refused with 405, and nothing runs', async () => {
    await using server = await serve();
    written.length = 0;
    for (const method of ['GET', 'HEAD']) {
      const answer = await server.ask(path({ query: 'mutation { write(a: 1) }' }), { method });
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'OPTIONS, POST']);
    }
    const both = 'query A { hello } mutation B { write(a: 1) }';
    expect((await server.ask(path({ query: both, operationName: 'A' }))).status).toBe(200);
    const { status, json } = await server.ask(path({ query: both, operationName: 'B' }));
    expect([status, json]).toEqual([
      405,
      {
        errors: [
          { message: 'a mutation is sent by POST; GET is for queries', extensions: { code: 'method_not_allowed' } },
        ],
      },
    ]);
    expect(written).toEqual([]);
  });

  test('that is malformed is answered 400 in the shape of GraphQL', async () => {
    await using server = await serve();
    const paths = [
      '/graphql',
      path({ query: '{ hello }', variables: '{' }),
      path({ query: '{ hello }', variables: '[]' }),
      path({ query: '{ hello }', variables: '"a"' }),
      `${path({ query: '{ hello }' })}&query=x`,
      '/graphql?query[]=a',
    ];
    for (const each of paths) {
      const { status, json } = await server.ask(each);
      expect([each, status, json]).toEqual([
        each,
        400,
        { errors: [{ message: expect.any(String), extensions: { code: 'body_undecodable' } }] },
      ]);
    }
  });
});

describe('what the server of an address says', () => {
  test('has the form of every server: unknown paths, other methods, what is allowed', async () => {
    await using server = await serve();
    const put = await server.ask('/graphql', { method: 'PUT' });
    const options = await server.ask('/graphql', { method: 'OPTIONS' });
    const other = await server.ask('/graphql/');
    expect([put.status, put.headers['allow'], put.json]).toEqual([
      405,
      'GET, HEAD, OPTIONS, POST',
      { error: 'PUT is not served at this path', code: 'method_not_allowed' },
    ]);
    expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    expect([other.status, other.json]).toEqual([404, { error: 'nothing is served at /graphql/', code: 'not_found' }]);
  });

  test('a body beyond the limit gets 413, and a request beyond its time 503', async () => {
    await using server = await servedGraphql(
      'type Query { slow: String }',
      { 'Query.slow': () => new Promise(() => undefined) },
      { config: { max_body: 100, timeout: 50 } },
    );
    const large = await server.post({ query: `{ slow } #${'x'.repeat(100)}` });
    const slow = await server.post({ query: '{ slow }' });
    expect([large.status, large.json, slow.status, slow.json]).toEqual([
      413,
      { error: 'the body is larger than 100 bytes', code: 'body_too_large' },
      503,
      { error: 'the request took longer than the service allows', code: 'request_timeout' },
    ]);
  });
});

describe('S-11: errors', () => {
  test('of documents are explained in full in production, those of the service are not', async () => {
    await using server = await serve({ services: { production: true, environment: 'production' } });
    const ask = async (query: string) => (await server.post({ query })).json;
    expect(await ask('{ helo }')).toEqual({
      errors: [
        {
          message: 'Cannot query field "helo" on type "Query". Did you mean "hello"?',
          locations: [{ line: 1, column: 3 }],
        },
      ],
    });
    expect(await ask('{ hello(name: 1) }')).toEqual({
      errors: [{ message: 'String cannot represent a non string value: 1', locations: [{ line: 1, column: 15 }] }],
    });
    expect(await ask('{ fails }')).toEqual({
      data: { fails: null },
      errors: [
        {
          message: 'Internal Server Error',
          locations: [{ line: 1, column: 3 }],
          path: ['fails'],
          extensions: { code: 'internal', request_id: expect.any(String) },
        },
      ],
    });
  });

  test('of the service are shown outside production', async () => {
    await using server = await serve();
    const { json } = await server.post({ query: '{ fails }' });
    expect(json).toMatchObject({ errors: [{ message: 'secret of the database at /srv/db.sock' }] });
  });

  test('that a flow, a scalar or a variable causes never end the service', async () => {
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no property');
        },
        ownKeys: () => {
          throw new Error('no keys');
        },
      },
    );
    await using server = await servedGraphql(
      'type Query { a: T b: [T] c: JSON d: DateTime e: T! } type T { x: Int! }',
      {
        'Query.a': () => reply(throwing),
        'Query.b': () => reply([{ x: 'text' }, null, 1n]),
        'Query.c': () =>
          reply({
            toJSON: () => {
              throw new Failure('internal', 'no JSON');
            },
          }),
        'Query.d': () =>
          reply({
            toString: () => {
              throw new Error('no text');
            },
          }),
        'Query.e': () => Promise.reject(Object.assign(Object.create(null), { odd: true })),
      },
    );
    for (const query of ['{ a { x } }', '{ b { x } }', '{ c }', '{ d }', '{ e { x } }']) {
      const { status } = await server.post({ query });
      expect([query, [200, 500].includes(status)]).toEqual([query, true]);
    }
    expect((await server.post({ query: '{ __typename }' })).json).toEqual({ data: { __typename: 'Query' } });
  });
});

test('S-58: names of prototypes are data like others, or refused', async () => {
  await using server = await serve();
  const literal = '{ echoed(input: {__proto__: {isAdmin: true}, constructor: {prototype: {isAdmin: true}}}) }';
  const bodies = [
    JSON.stringify({ query: literal }),
    '{"query":"query($i: JSON) { echoed(input: $i) }","variables":{"i":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}}',
    '{"__proto__":{"isAdmin":true},"query":"{ hello }","extensions":{"__proto__":{"persistedQuery":{}}}}',
    '{"query":"query($constructor: String) { constructor: hello(name: $constructor) }","variables":{"constructor":"Ada","__proto__":{"isAdmin":true}}}',
    '{"query":"query($__proto__: JSON) { echoed(input: $__proto__) }","variables":{"__proto__":{"isAdmin":true}}}',
    '{"query":"{ __proto__: hello }"}',
  ];
  for (let round = 0; round < 200; round++) for (const body of bodies) await server.post(body);
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  const texts = [];
  for (const body of bodies) texts.push((await server.post(body)).text);
  const echoed = '{"data":{"echoed":{"constructor":{"prototype":{"isAdmin":true}}}}}';
  const refused = '"message":"\\"__proto__\\" cannot be the name of an alias or a variable."';
  expect(texts).toEqual([
    echoed,
    echoed,
    '{"data":{"hello":"hello world"}}',
    '{"data":{"constructor":"hello Ada"}}',
    expect.stringContaining(refused),
    expect.stringContaining(refused),
  ]);
});
