import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { loadConfiguration } from '../../../service/config/load.ts';
import { graphqlService } from '../testing/service.ts';

const server = `connector "api" {
  type = "graphql"
  port = 0
  host = "127.0.0.1"
  schema {
    path = "schema.graphql"
  }
}
`;
const flow = (operation: string, answer: string, lines = '', name = operation.replace('.', '_')) => `flow "${name}" {
  ${lines}
  from {
    connector = "api"
    operation = "${operation}"
  }
  response {
${answer}
  }
}
`;

/** `code «marked text» file:line:column` of every problem of a folder, and its message. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly (readonly [string, string])[]> {
  const directory = folderWith(files);
  try {
    const { diagnostics, texts } = await loadConfiguration(directory, {
      environment: {},
      workingDirectory: directory,
      workers: 1,
      tests: false,
    });
    return diagnostics
      .filter(({ severity }) => severity !== 'info')
      .map(({ severity, code, message, file, range }) => {
        const text = texts.get(file) ?? '';
        const before = text.slice(0, range.start).split('\n');
        const place = `${file}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
        return [`${severity === 'error' ? '' : `${severity} `}${code} ${place}`, message] as const;
      });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('a schema file says what fields there are, and flows resolve them', async () => {
  const schema = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", { name: "@shareable", as: "@common" }])
directive @note(text: String = "none") on FIELD_DEFINITION
"""A person."""
type Person @key(fields: "id") @common { id: ID!  friend: Person  pets: [Pet!]!  toString: String }
interface Animal { name: String! }
type Dog implements Animal { name: String!  barks: Boolean }
type Cat implements Animal { name: String!  lives: Int }
union Pet = Dog | Cat
scalar Colour
enum Size { SMALL LARGE }
input Filter { limit: Int! = 5  size: Size = LARGE  inner: Filter }
extend type Query { person(filter: Filter! = {size: SMALL}, first: Int = 3): Person @note  paint: Colour  left: Int }
`;
  await using service = await graphqlService(
    server +
      flow(
        'Query.person',
        `id = "'1'"
 friend = "{'id': '2', 'pets': []}"
 pets = "[{'name': 'Rex', 'barks': true}, {'__typename': 'Cat', 'name': 'Tom', 'lives': input.first}, {'name': string(input.filter.limit) + input.filter.size}]"`,
      ) +
      flow('Query.paint', `r = "1"`),
    '',
    { 'schema.graphql': schema },
  );
  const asked =
    '{ person { id toString friend { id } pets { __typename ... on Animal { name } ... on Cat { lives } } } paint }';
  expect(await service.ask(asked)).toEqual({
    data: {
      person: {
        id: '1',
        toString: null,
        friend: { id: '2' },
        pets: [
          { __typename: 'Dog', name: 'Rex' },
          { __typename: 'Cat', name: 'Tom', lives: 3 },
          { __typename: 'Cat', name: '5SMALL', lives: null },
        ],
      },
      paint: { r: 1 },
    },
  });
  expect(await service.ask('{ left }')).toMatchObject({
    data: { left: null },
    errors: [{ message: 'the field Query.left has no flow' }],
  });
  expect(await service.ask('{ _service { sdl } }')).toEqual({ data: { _service: { sdl: schema } } });
});

test('a changed schema is served after a reload, and a broken one leaves what runs, fifty times', async () => {
  const schema = (field: string) => `type Query { one: Int ${field}: Int }`;
  await using service = await graphqlService(server + flow('Query.one', 'a = "1"'), '', {
    'schema.graphql': schema('other0'),
  });
  for (let round = 1; round <= 50; round++) {
    expect(await service.change('schema.graphql', schema(`other${round}`))).toBe(true);
    expect((await service.ask(`{ one __type(name: "Query") { fields { name } } }`)).data).toMatchObject({
      one: 1,
      __type: { fields: expect.arrayContaining([{ name: `other${round}` }]) },
    });
    if (round % 10 > 0) continue;
    expect(await service.change('schema.graphql', 'type Query {')).toBe(false);
    expect((await service.ask(`{ one }`)).data).toEqual({ one: 1 });
  }
});

describe('what is wrong', () => {
  const of = (schema: string, flows = '') => problemsOf({ 'main.hcl': server + flows, 'schema.graphql': schema });

  test('with a file is reported with its line and column', async () => {
    expect(await of('type Query {\n  a: Int\n  b Int\n}')).toEqual([
      ['malformed-schema schema.graphql:3:5', 'Expected ":", found Name "Int".'],
    ]);
    expect(await of('type Query {\n  a: Intt\n}\ntype Query { b: Int }')).toEqual([
      ['malformed-schema schema.graphql:2:6', 'Unknown type "Intt". Did you mean "Int"?'],
      ['malformed-schema schema.graphql:4:6', 'There can be only one type named "Query".'],
    ]);
    expect(await of('type Query { a: Int @nothing }')).toEqual([
      ['malformed-schema schema.graphql:1:21', 'Unknown directive "@nothing".'],
    ]);
    expect(await of('type Query { a: A }\ninput A { b: Int }')).toEqual([
      ['malformed-schema schema.graphql:1:17', 'The type of Query.a must be Output Type but got: A.'],
    ]);
    expect(await of('')).toEqual([['malformed-schema schema.graphql:1:1', 'Unexpected <EOF>.']]);
  });

  test('with what flows say of it is reported where they say it', async () => {
    const schema = 'type Query { user: User }\ntype User { name: String }\ntype Key @key(fields: "id") { id: ID }';
    const of = (flows: string) => problemsOf({ 'main.hcl': server + flows, 'schema.graphql': schema });
    const line = server.split('\n').length;
    const unresolved = [
      ['warning unresolved-entity main.hcl:6:12', 'no flow resolves references of type "Key"'],
      [
        'warning unresolved-field schema.graphql:1:14',
        'no flow resolves the field Query.user: asking for it is an error',
      ],
    ];
    const found = async (flows: string) =>
      (await of(flows)).filter((each) => !unresolved.some(([code]) => code === each[0]));
    expect(await of('')).toEqual(unresolved);
    expect(await found(flow('Query.usr', 'a = "1"'))).toEqual([
      [`unknown-field main.hcl:${line + 4}:17`, 'the schema has no field "Query.usr"'],
    ]);
    expect(await found(flow('Usr.name', 'a = "1"'))).toEqual([
      [`unknown-type main.hcl:${line + 4}:17`, 'the schema has no type "Usr"'],
    ]);
    expect(await found(flow('Query.user', 'a = "1"', 'returns = "User"'))).toEqual([]);
    expect(await found(flow('Query.user', 'a = "1"', 'returns = "[User!]"'))).toEqual([
      [`warning contradicting-type main.hcl:${line + 1}:13`, 'the schema says that Query.user is User'],
    ]);
    expect(await found(flow('Query.user', 'a = "1"', 'returns = "Usr"'))).toEqual([
      [`unknown-type main.hcl:${line + 1}:13`, 'the schema has no type "Usr"'],
    ]);
    expect(await found(flow('Query.user', 'a = "1"', 'entity = "User"'))).toEqual([
      [`missing-key main.hcl:${line + 1}:12`, 'the schema has no type "User" with a key'],
    ]);
    expect(await found(flow('Query.user', 'a = "1"', 'entity = "Key"'))).toEqual([]);
    const publishing = `flow "p" {
  when = "@daily"
  transform {
    a = "1"
  }
  to {
    connector = "api"
    operation = "Subscription.user"
  }
}
`;
    expect(await found(publishing)).toEqual([
      [`unknown-field main.hcl:${line + 5}:3`, 'the schema has no field "Subscription.user"'],
    ]);
  });

  test('with its place is reported, links that lead out of the directory included', async () => {
    const missing = await problemsOf({ 'main.hcl': server });
    expect(missing.map(([code]) => code)).toEqual([
      'unreadable-schema main.hcl:6:12',
      'warning missing-file main.hcl:6:12',
    ]);
    const outside = await mkdtemp(join(tmpdir(), 'svc-outside-'));
    await writeFile(join(outside, 'secret.graphql'), 'type Query { secret: Int }');
    const directory = folderWith({ 'main.hcl': server });
    await symlink(join(outside, 'secret.graphql'), join(directory, 'schema.graphql'));
    const { diagnostics } = await loadConfiguration(directory, {
      environment: {},
      workingDirectory: directory,
      workers: 1,
      tests: false,
    });
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      expect.stringContaining('it is outside the opened folder'),
    ]);
    await rm(directory, { recursive: true, force: true });
    await rm(outside, { recursive: true, force: true });
  });

  test('A-06: large, wide and deep files are read in time, or refused', async () => {
    const wide = Array.from({ length: 10_000 }, (_, at) => `type T${at} { a: T${(at + 1) % 10_000} b: [Int!] }`);
    const large = `type Query { a: T0 }\n${wide.join('\n')}`;
    expect((await of(large, flow('Query.a', 'a = "1"'))).map(([code]) => code)).toEqual([]);
    const comment = `# ${'x'.repeat(1_000_000)}\ntype Query { a: Int }`;
    expect(await of(comment, flow('Query.a', 'a = "1"'))).toEqual([]);
    expect((await of(`#${'x'.repeat(1_100_000)}`))[0]?.[1]).toContain('larger than 1 MiB');
    const deep = `type Query { a: ${'['.repeat(100_000)}Int${']'.repeat(100_000)} }`;
    expect(await of(deep)).toEqual([['malformed-schema schema.graphql:1:1', 'the schema is nested too deeply']]);
  });
});
