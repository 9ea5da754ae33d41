import { expect, test, vi } from 'vitest';
import { randomFrom } from '../../../../../../test/support/random.ts';
import { reply, servedGraphql } from '../testing/served.ts';

/** Requests that are made; `FUZZ_REQUESTS` makes it longer, `FUZZ_SEED` repeats a run. */
const count = Number(process.env['FUZZ_REQUESTS'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

const schema = `enum Kind { NEW OLD }
input Filter { kind: Kind, names: [String!], inner: Filter }
interface Node { id: ID! }
union Any = User | Post
type User implements Node { id: ID!, name: String, posts(first: Int = 1, filter: Filter): [Post!]!, any: Any }
type Post implements Node { id: ID!, title: String, author: User, kind: Kind }
type Query { user(id: ID): User, node(id: ID!): Node, search(filter: Filter, json: JSON): [Any], at: DateTime }
type Mutation { write(filter: Filter!, at: DateTime): Boolean }`;

/** Documents, bodies and headers of a grammar that is mostly kept, and broken at random places. */
function generator(random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const some = (most: number, make: () => string) =>
    Array.from({ length: Math.floor(random() * most) }, make).join(' ');
  const name = () =>
    pick([
      'id',
      'name',
      'posts',
      'any',
      'user',
      'node',
      'search',
      'title',
      'author',
      'kind',
      '__typename',
      '__schema',
      '__proto__',
      'constructor',
      'x',
    ]);
  const value = (depth = 0): string =>
    depth > 3
      ? '1'
      : pick([
          () => '1',
          () => '-0.5e9',
          () => '99999999999999999999',
          () => `"${pick(['', 'a', '\\u0000', '\\ud800', '💥', '\\"'])}"`,
          () => '"""a\n  b"""',
          () => 'null',
          () => 'true',
          () => pick(['NEW', 'OLD', 'NONE']),
          () => `$${name()}`,
          () => `[${some(3, () => value(depth + 1))}]`,
          () => `{${some(3, () => `${pick(['kind', 'names', 'inner', '__proto__'])}: ${value(depth + 1)}`)}}`,
        ])();
  const args = () => (random() < 0.4 ? `(${pick(['id', 'first', 'filter', 'json', 'at'])}: ${value()})` : '');
  const directive = () =>
    random() < 0.1 ? pick(['@include(if: true)', '@skip(if: $a)', '@defer', '@stream', '@include(if: 1)', '@x']) : '';
  const selection = (depth: number): string => {
    const inner = depth < 6 && random() < 0.6 ? `{ ${selections(depth + 1)} }` : '';
    return pick([
      () => `${random() < 0.2 ? `${name()}: ` : ''}${name()}${args()} ${directive()} ${inner}`,
      () => `...${pick(['A', 'B', 'C'])}`,
      () => `... on ${pick(['User', 'Post', 'Node', 'Query', 'None'])} ${directive()} { ${selections(depth + 1)} }`,
    ])();
  };
  const selections = (depth: number): string => `${selection(depth)} ${some(3, () => selection(depth))}`;
  const document = () =>
    [
      `${pick(['', 'query', 'query Q($a: Boolean = true)', 'mutation', 'subscription', 'query Q($id: ID!)'])} { ${selections(0)} }`,
      ...['A', 'B', 'C']
        .filter(() => random() < 0.4)
        .map((each) => `fragment ${each} on ${pick(['User', 'Query', 'Any'])} { ${selections(2)} }`),
    ].join('\n');
  const broken = (text: string) => {
    if (random() > 0.2) return text;
    const at = Math.floor(random() * text.length);
    return pick([
      () => text.slice(0, at),
      () => text.slice(0, at) + pick(['{', '}', '"', '\\', '\u0000', '💥', '#', '...', '[', ']']) + text.slice(at),
      () => text.slice(0, at) + text.slice(at, at + 50).repeat(20) + text.slice(at),
    ])();
  };
  const body = () =>
    broken(
      JSON.stringify({
        query: broken(document()),
        ...(random() < 0.3 && { variables: pick([null, {}, [], { id: 1 }, { a: 'x', id: { b: [] } }, 'x']) }),
        ...(random() < 0.2 && { operationName: pick(['Q', '', null, 1, '__proto__']) }),
        ...(random() < 0.2 && {
          extensions: pick([
            {},
            { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } },
            [],
            { persistedQuery: {} },
          ]),
        }),
      }),
    );
  const headers = (): Record<string, string> => ({
    'content-type': pick([
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'application/json; charset=x',
    ]),
    accept: pick(['*/*', 'application/graphql-response+json', 'application/json;q=0', ',;,=']),
  });
  return { body, headers, document };
}

test('S-99: no request of a grammar ends the service, and none is answered with an internal error', async () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  const user = {
    id: 1,
    name: 'Ada',
    posts: [{ id: 2, title: 'One', kind: 'NEW', __typename: 'Post' }],
    any: null,
    __typename: 'User',
  };
  await using server = await servedGraphql(
    schema,
    {
      'Query.user': () => reply(user),
      'Query.node': () => reply(user),
      'Query.search': () => reply([user]),
      'Query.at': () => reply(new Date(0)),
      'Mutation.write': () => reply(true),
    },
    { services: { production: true, environment: 'production' }, config: { persisted: {}, introspection: true } },
  );
  try {
    const { body, headers, document } = generator(randomFrom(seed));
    for (let index = 0; index < count; index++) {
      const [sent, described] = [body(), headers()];
      const { status, text } =
        index % 5 === 0
          ? await server.ask(`/graphql?${new URLSearchParams({ query: document().slice(0, 4000) })}`, {
              headers: described,
            })
          : await server.post(sent, described);
      expect([sent, status < 500, /node_modules|\.ts:\d|\bat \w+ \(/.test(text)]).toEqual([sent, true, false]);
    }
    await vi.waitFor(async () => expect((await server.post({ query: '{ __typename }' })).status).toBe(200));
    expect(rejections).toEqual([]);
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
});
