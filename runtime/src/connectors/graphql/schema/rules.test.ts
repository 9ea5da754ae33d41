import { describe, expect, test } from 'vitest';
import { problemOf, type Surroundings, problemsOf as written } from '../../../checks/rules/testing/problems.ts';

/** Without what is said of a connector that no flow uses. */
const problemsOf = (text: string, around?: Surroundings) =>
  written(text, around).filter((each) => each !== 'info unused «"api"»');

const server = (lines = '') => `connector "api" {\n  type = "graphql"\n  port = 4001\n${lines}\n}\n`;
const user = 'type "user" {\n  id = id\n}\n';
const flow = (operation: string, lines = '', words = '') => `flow "f" {
  ${lines}
  from {
    connector = "api"
    operation = "${operation}"
    ${words}
  }
  response {
    a = "1"
  }
}
`;

test('a schema is in a file or generated, and nothing else', () => {
  const files = { files: { 'a.graphql': 'type Query { a: Int }' } };
  const both = `${server('schema {\n path = "a.graphql"\n auto_generate = true\n }')}${user}`;
  expect(problemsOf(both, files)).toEqual(['contradicting-schema «true»']);
  expect(problemsOf(`${server('schema {\n auto_generate = false\n }')}${user}`)).toEqual(['missing-schema «false»']);
  expect(problemsOf(server('schema {\n path = "a.graphql"\n auto_generate = false\n }') + user, files)).toEqual([]);
  expect(problemsOf(server('schema {\n }') + user)).toEqual([]);
  expect(problemsOf(server() + flow('Query.a', 'returns = "Int"'))).toEqual(['missing-schema «"api"»']);
  expect(problemsOf(server())).toEqual([]);
});

test.each(['../a.graphql', '/etc/a.graphql', 'x/../../a.graphql', 'C:/a.graphql', '..\\\\a.graphql'])(
  'a schema outside the directory is refused: %s',
  (path) => {
    expect(problemOf('outside-directory', server(`schema {\n path = "${path}"\n }`) + user).help).toContain(
      'below the directory',
    );
  },
);

describe('names', () => {
  test.each([
    'Query',
    'Mutation',
    'Subscription',
    'String',
    'Int',
    'JSON',
    'DateTime',
    'UUID',
    '_Any',
    '_Entity',
    '__Type',
    '__proto__',
    'order-item',
    'é',
  ])('the type "%s" cannot be published', (name) => {
    const { message, help } = problemOf('unpublished-name', `${server()}type "${name}" {\n  id = id\n}\n`);
    expect(message).toContain(`type "${name}" `);
    expect(help).toContain('Rename the type');
    expect(problemsOf(`type "${name}" {\n  id = id\n}\n`).filter((each) => each.startsWith('unpublished'))).toEqual([]);
  });

  test('names of hostile kinds that GraphQL takes are published', () => {
    expect(
      problemsOf(`${server()}type "constructor" {\n  toString = string\n  hasOwnProperty = "constructor"\n}\n`),
    ).toEqual([]);
  });

  test('a field of a name that GraphQL does not take is reported where it is', () => {
    expect(problemsOf(`${server()}type "a" {\n  first-name = string\n  b = {\n __c = string\n }\n}\n`)).toEqual([
      'unpublished-name «string»',
      'unpublished-name «{\n __c = string\n }»',
    ]);
  });

  test('names that are made of others are each there once', () => {
    const input = 'type "userInput" {\n  id = id\n}\n';
    expect(problemsOf(`${server()}${user}${input}`).filter((each) => each.startsWith('unpublished'))).toEqual([]);
    const answered = flow('Query.users', 'returns = "userInput[]"');
    expect(problemOf('unpublished-name', `${server()}${user}${input}${answered}`).message).toBe(
      'the input of type "user" and type "userInput" are both userInput in the schema',
    );
    const nested = 'type "a" {\n b = {\n c = string\n }\n}\ntype "a_b" {\n  id = id\n}\n';
    expect(problemsOf(server() + nested)).toEqual([
      'unpublished-name «{\n c = string\n }»',
      'unpublished-name «"a_b"»',
    ]);
    expect(
      problemOf(
        'unpublished-name',
        `${server()}type "StatusEnum" {\n  id = id\n}\ntype "a" {\n status = string({ enum = ["x"] })\n}\n`,
      ).message,
    ).toContain('StatusEnum');
  });

  test('allowed values that have one name in the schema are reported', () => {
    const { message, help } = problemOf(
      'equal-enum-values',
      `${server()}type "a" {\n  status = string({ enum = ["in-progress", "IN_PROGRESS", "x"] })\n}\n`,
    );
    expect(message).toBe('enum of field "status": "in-progress" and "IN_PROGRESS" are both IN_PROGRESS in the schema');
    expect(help).toBe('Write values that differ in more than case and punctuation.');
  });
});

describe('flows', () => {
  test('resolve fields of types that there are', () => {
    expect(problemOf('unknown-type', `${server()}${user}${flow('usr.name')}`).help).toBe('Did you mean "user.name"?');
    expect(problemOf('unknown-type', `${server()}${user}${flow('Querry.name')}`).help).toBe(
      'Did you mean "Query.name"?',
    );
    expect(problemsOf(server() + user + flow('user.name'))).toEqual([]);
  });

  test('take many keys at once where there are objects', () => {
    expect(problemsOf(server() + user + flow('Query.users', '', 'batch = "id"'))).toEqual([
      'inert-attribute «"Query.users"»',
    ]);
    expect(problemsOf(server() + user + flow('user.name', '', 'match = "id"'))).toEqual(['missing-attribute «"id"»']);
  });

  test('need an operation, unless they resolve references', () => {
    const without = (lines: string) => flow('§', lines).replace('operation = "§"', '');
    expect(problemsOf(server() + user + without(''))).toEqual(['missing-operation «"api"»']);
    const keyed = 'type "user" {\n  _key = "id"\n  id = id\n}\n';
    expect(problemsOf(server() + keyed + without('entity = "user"'))).toEqual([]);
  });
});

describe('federation', () => {
  const keyed = (lines: string, further = '') => `${server(further)}type "a" {\n  id = id\n${lines}\n}\n`;
  const entity = (name: string, more = '') => flow('Query.a', `entity = "${name}"`) + more;

  test('keys, and what is required and provided, are fields that there are', () => {
    const of = (lines: string) => problemOf('unknown-field', keyed(lines) + entity('a'));
    expect(of('_key = "idd"')).toMatchObject({ message: '"a" has no field "idd"', help: 'Did you mean "id"?' });
    expect(of('_key = "id { x }"').message).toContain('id has no fields of its own');
    expect(of('_key = "b { x }"\n b = {\n y = string\n }').message).toBe('"a.b" has no field "x"');
    expect(of('_key = "b { y"\n b = {\n y = string\n }').message).toContain('not closed');
    expect(of('_key = "id }"').message).toContain('not opened');
    expect(of('_key = " "').message).toContain('empty');
    expect(of('_key = "id"\n n = string({ requires = ["idd"] })').message).toBe('"a" has no field "idd"');
    expect(of('_key = "id"\n n = string({ provides = "id" })').message).toContain('holds no objects');
    expect(of('_key = "id"\n n = a({ provides = "x" })').message).toBe('"a" has no field "x"');
  });

  test('a type with a key that no flow resolves is a warning', () => {
    expect(problemsOf(keyed('_key = "id"'))).toEqual(['warning unresolved-entity «"id"»']);
    expect(problemsOf(keyed('_key = "id"') + flow('Query.a', 'returns = "a!"'))).toEqual([]);
    expect(problemsOf(keyed('_key = "id"') + flow('Query.a', 'returns = "a[]"'))).toEqual([
      'warning unresolved-entity «"id"»',
    ]);
    expect(problemsOf(keyed('_key = "id"') + flow('Mutation.a', 'returns = "a"'))).toEqual([
      'warning unresolved-entity «"id"»',
    ]);
  });

  test('entities are types with keys, each once, where a federation asks for them', () => {
    expect(problemOf('unknown-type', keyed('_key = "id"') + entity('aa')).help).toBe('Did you mean "a"?');
    expect(problemsOf(keyed('') + entity('a'))).toEqual(['missing-key «"a"»']);
    const twice = entity('a') + entity('a').replaceAll('"f"', '"g"').replace('Query.a', 'Query.b');
    expect(problemsOf(keyed('_key = "id"') + twice)).toEqual(['equal-entities «"a"»']);
    expect(problemsOf(keyed('_key = "id"', 'federation {\n enabled = false\n }') + entity('a'))).toEqual([
      'inert-attribute «"a"»',
    ]);
    const rest = 'connector "api" {\n  type = "rest"\n  port = 4001\n}\n';
    expect(problemsOf(`${rest}${user}${flow('GET /a', 'entity = "user"')}`)).toEqual(['inert-attribute «"f"»']);
  });

  test('types have the fields of what they implement', () => {
    const node = 'type "node" {\n  id = id\n  name = string({ required = false })\n}\n';
    const of = (lines: string) => problemsOf(`${server()}${node}type "b" {\n _implements = ["node"]\n${lines}\n}\n`);
    expect(of('id = id\n name = string')).toEqual([]);
    expect(of('id = id')).toEqual(['unlike-interface «["node"]»']);
    expect(of('id = id\n name = number')).toEqual(['unlike-interface «["node"]»']);
    expect(problemsOf(`${server()}type "b" {\n _implements = ["c"]\n id = id\n}\n`)).toEqual(['unknown-type «"c"»']);
  });

  test('version 1 lacks words', () => {
    const old = 'federation {\n version = 1\n }';
    expect(problemsOf(keyed('_shareable = true\n n = string({ override = "x" })', old))).toEqual([
      'wrong-version «true»',
      'wrong-version «string({ override = "x" })»',
    ]);
    expect(problemsOf(server('federation {\n version = 3\n }') + user)).toEqual(['out-of-bounds «3»']);
  });
});

test('nothing begins or is published for subscribers where they are not taken', () => {
  const closed = server('subscriptions {\n enabled = false\n }') + user;
  const publishing = `flow "g" {
  from {
    connector = "api"
    operation = "Mutation.a"
  }
  transform {
    id = "1"
  }
  to {
    connector = "api"
    operation = "Subscription.a"
  }
}
`;
  expect(problemsOf(closed + flow('Subscription.a', 'returns = "user"'))).toEqual([
    'inert-attribute «"Subscription.a"»',
  ]);
  expect(problemsOf(closed + publishing)).toEqual(['inert-attribute «to»']);
  expect(problemsOf(server() + user + publishing + flow('Subscription.a', 'returns = "user"'))).toEqual([]);
});
