import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { reply, type ServedSchema, servedGraphql } from '../testing/served.ts';

const schema = `type Query { user(id: Int): User, hello(name: String, list: [JSON]): String }
type User { id: Int, name: String, friends: [User], boss: User }
type Mutation { login(name: String, password: String): Boolean }`;

let tried = 0;
const flows = {
  'Query.user': () => reply({ id: 1, name: 'Ada', friends: [], boss: null }),
  'Query.hello': () => reply('world'),
  'Mutation.login': () => {
    tried++;
    return reply(false);
  },
};
const serve = (options: ServedSchema = {}) => servedGraphql(schema, flows, options);
const production = { services: { production: true, environment: 'production' } } as const;

/** `{ user { boss { … id } } }` of so many fields inside each other. */
const deep = (fields: number, inner = 'id') =>
  `{ user ${'{ boss '.repeat(fields - 2)}{ ${inner} }${' }'.repeat(fields - 2)} }`;
const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
}

describe('S-67: a document beyond a limit is refused before anything runs', () => {
  test.each([
    ['depth', 'asks for more than 10 fields inside each other', deep(10), deep(11)],
    [
      'depth',
      'asks for more than 10 fields inside each other',
      `{ user { ...F } } fragment F on User { ... on User { boss ${'{ boss '.repeat(6)}{ id }${' }'.repeat(6)} } }`,
      `{ user { ...F } } fragment F on User { ... on User { boss ${'{ boss '.repeat(9)}{ id }${' }'.repeat(9)} } }`,
    ],
    [
      'aliases',
      'has more than 15 aliases',
      `{ ${times(15, (n) => `a${n}: hello`)} }`,
      `{ ${times(16, (n) => `a${n}: hello`)} }`,
    ],
    [
      'aliases',
      'has more than 15 aliases',
      '{ user { ...F boss { ...F boss { ...F } } } } fragment F on User { a: id b: id c: id d: id e: id }',
      '{ user { ...F boss { ...F boss { ...F boss { ...F } } } } } fragment F on User { a: id b: id c: id d: id }',
    ],
    [
      'directives',
      'has more than 50 directives',
      `query($a: Boolean = true) { ${times(50, () => '... @include(if: $a) { hello }')} }`,
      `query($a: Boolean = true) { ${times(51, () => '... @include(if: $a) { hello }')} }`,
    ],
    [
      'tokens',
      'has more than 1000 tokens',
      `{ hello(list: [${times(991, () => '1')}]) }`,
      `{ hello(list: [${times(992, () => '1')}]) }`,
    ],
    [
      'cost',
      'costs more than 5000',
      `{ user { ${times(100, () => 'boss { id }')} } }`,
      `{ user { ...A } } fragment A on User { ${times(16, () => '...B')} }
       fragment B on User { ${times(16, () => '...C')} } fragment C on User { boss { boss { boss { boss { id } } } } }`,
    ],
  ])('%s: %s', async (limit, said, within, beyond) => {
    await using server = await serve();
    await using shipped = await serve(production);
    expect((await server.post({ query: within })).json).toEqual({ data: expect.anything() });
    expect((await server.post({ query: beyond })).json).toEqual({
      errors: [{ message: `the document ${said}; \`limits { ${limit} }\` of connector "api" allows more` }],
    });
    const { status, json } = await shipped.post({ query: beyond }, { accept: 'application/graphql-response+json' });
    expect([status, json]).toEqual([400, { errors: [{ message: `the document ${said}` }] }]);
  });

  test.each([
    ['depth', '1', '{ hello }', '{ user { id } }'],
    ['depth', '15', deep(15), deep(16)],
    ['aliases', '0', '{ hello }', '{ a: hello }'],
    ['directives', '0', '{ hello }', '{ hello @include(if: true) }'],
    ['tokens', '3', '{ hello }', '{ hello hello }'],
    ['cost', '2', '{ hello ...F } fragment F on Query { hello }', '{ hello ...F ...F } fragment F on Query { hello }'],
  ])('%s is what is written: %s', async (limit, value, within, beyond) => {
    await using server = await serve({ config: { limits: { [limit]: Number(value) } } });
    expect((await server.post({ query: within })).json).toEqual({ data: expect.anything() });
    expect((await server.post({ query: beyond })).json).toEqual({
      errors: [{ message: expect.stringContaining(`limits { ${limit} }`) }],
    });
  });

  test('a login is not tried ten thousand times by one request', async () => {
    await using server = await serve();
    tried = 0;
    const attempts = (count: number) =>
      `mutation { ${times(count, (n) => `a${n}: login(name: "ada", password: "${n}")`)} }`;
    for (const query of [attempts(10_000), attempts(16)])
      expect(((await server.post({ query })).json as Answered).errors).toHaveLength(1);
    const unnamed = `mutation { ${times(50, (n) => `login(name: "ada", password: "${n}")`)} }`;
    expect((await server.post({ query: unnamed })).json).not.toHaveProperty('data');
    const list = JSON.stringify(Array(50).fill({ query: attempts(1) }));
    expect((await server.post(list)).status).toBe(400);
    expect(tried).toBe(0);
  });

  test('a document is longer than any that is written', async () => {
    await using server = await serve();
    const long = { query: `{ hello(name: "${'a'.repeat(262_144)}") }` };
    expect((await server.post(long)).json).toEqual({
      errors: [{ message: 'the document is longer than 262144 characters; large values are sent as variables' }],
    });
    const variables = { name: 'a'.repeat(1_000_000) };
    const { json } = await server.post({ query: 'query($name: String) { hello(name: $name) }', variables });
    expect(json).toEqual({ data: { hello: 'world' } });
  });

  test('fragments within themselves are refused', async () => {
    await using server = await serve();
    for (const query of [
      '{ user { ...A } } fragment A on User { ...A }',
      '{ user { ...A } } fragment A on User { boss { ...B } } fragment B on User { boss { ...A } }',
    ])
      expect((await server.post({ query })).json).toEqual({
        errors: [{ message: 'the fragment "A" is used within itself' }],
      });
  });

  test('@defer and @stream are refused by name', async () => {
    await using server = await serve();
    const queries = ['{ user { ... @defer { id } } }', '{ user { friends @stream(initialCount: 1) { id } } }'];
    const messages = [];
    for (const query of queries) messages.push(((await server.post({ query })).json as Answered).errors);
    expect(messages).toEqual([
      [{ message: '@defer is not available: every answer is sent as a whole', locations: [{ line: 1, column: 14 }] }],
      [{ message: '@stream is not available: every answer is sent as a whole', locations: [{ line: 1, column: 18 }] }],
    ]);
  });
});

describe('introspection', () => {
  const whole = getIntrospectionQuery();

  test('is outside the limits on depth and cost where it is on, and bounded all the same', async () => {
    await using server = await serve();
    expect((await server.post({ query: whole })).json).toEqual({ data: { __schema: expect.anything() } });
    const circular = `{ __schema { types ${'{ fields { type '.repeat(4)}{ name }${' } }'.repeat(4)} } }`;
    expect(((await server.post({ query: circular })).json as Answered).errors).toEqual([
      { message: 'Maximum introspection depth exceeded', locations: expect.anything() },
    ]);
  });

  test.each([
    ['off in production', production],
    ['off where it is written so', { config: { introspection: false } }],
  ])('is %s, and says only that', async (_title, options) => {
    await using server = await serve(options);
    const refused = { errors: [{ message: 'introspection is disabled' }] };
    for (const query of [
      whole,
      '{ __schema { queryType { name } } }',
      '{ a: __type(name: "User") { name } }',
      '{ ...F } fragment F on Query { ... { __schema { queryType { name } } } }',
      'query A { hello } query B { __schema { queryType { name } } }',
    ]) {
      const { status, json } = await server.post({ query, operationName: query.startsWith('query A') ? 'A' : null });
      expect([status, json]).toEqual([200, refused]);
    }
    for (const query of [
      '{ __typename user { __typename id } }',
      '{ hello(name: "{ __schema { types { name } } }") }',
      '{ hello(name: """ __type(name: "x") """) } # __schema',
    ])
      expect((await server.post({ query })).json).toEqual({ data: expect.anything() });
  });

  test('is on in production where it is written so', async () => {
    await using server = await serve({ ...production, config: { introspection: true } });
    expect((await server.post({ query: whole })).json).toEqual({ data: { __schema: expect.anything() } });
  });
});

describe('A-06: no document holds the event loop', () => {
  /** Milliseconds that the event loop was held at a time while this ran, the longest. */
  async function longestHold(run: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 1);
    await run();
    await new Promise((resolve) => setTimeout(resolve, 5));
    clearInterval(timer);
    return longest;
  }

  test.each([
    ['many equal fields with arguments', `{ ${times(160, () => 'hello(name: "x")')} }`],
    ['many equal fields with different arguments', `{ ${times(160, (n) => `hello(name: "${n}")`)} }`],
    ['many equal objects', `{ ${times(240, () => 'user { id }')} }`],
    [
      'many equal objects inside each other',
      `{ ${times(30, () => 'user { boss { boss { boss { id } } boss { name } } }')} }`,
    ],
    [
      'fragments in fragments',
      `{ user { ...F0 } } ${times(60, (n) => `fragment F${n} on User { ...F${n + 1} ...F${n + 1} id }`)} fragment F60 on User { id }`,
    ],
    [
      'fragments beside each other',
      `{ user { ${times(120, (n) => `...F${n}`)} } } ${times(120, (n) => `fragment F${n} on User { id }`)}`,
    ],
    ['inline fragments', `{ user { ${times(140, () => '... on User { id }')} } }`],
    ['unknown fields', `{ ${times(900, (n) => `helo${n}`)} }`],
    ['a value of many lists', `{ hello(list: ${'['.repeat(490)}${']'.repeat(490)}) }`],
    ['a long text', `{ hello(name: "${'\\u0061'.repeat(43_000)}") }`],
    ['a long block', `{ hello(name: """${'\n a'.repeat(87_000)}""") }`],
    ['long comments', `{ hello }${'#\n'.repeat(131_000)}`],
    ['many commas', `{ hello }${','.repeat(262_000)}`],
    ['a long name', `{ ${'a'.repeat(262_000)} }`],
    ['a text of a megabyte', `{ hello(name: "${'a'.repeat(1_048_000)}") }`],
  ])('%s', async (_title, query) => {
    await using server = await serve();
    await server.post({ query: '{ hello }' });
    // Other work of the machine holds it too, in some of the rounds.
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 20 && least >= 50; round++)
      least = Math.min(least, await longestHold(() => server.post({ query: query + ' '.repeat(round) })));
    expect(least).toBeLessThan(50);
  });
});
